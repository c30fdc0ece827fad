"""Simulators of crowd platforms, independent of the application's code."""
