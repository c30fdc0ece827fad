"""What a study can be expected to find, simulated before it begins."""
