"""Simulators of crowd platforms: HTTP servers on loopback that know nothing of the application."""
