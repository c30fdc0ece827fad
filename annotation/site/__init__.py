"""Wiring only: the admin site, the list of addresses, tasks."""
