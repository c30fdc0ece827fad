"""Simulated annotators: to try a study before people do, and to test Likeness itself."""
