"""Prepare: what is judged: imported, sampled, relabelled; and answers that other tools collected."""
