"""Labels: one or several categories for each item."""
