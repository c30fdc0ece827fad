"""Collect: links, rosters and platforms, from the listing to the payment."""
