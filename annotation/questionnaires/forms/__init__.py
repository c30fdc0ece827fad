"""What people answer, and what researchers type."""
