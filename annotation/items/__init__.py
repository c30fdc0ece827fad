"""Prepare: what is judged: imported, sampled, relabelled; answers that other tools collected."""
