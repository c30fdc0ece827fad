"""What a study asks: one folder for each kind, with the same files."""
