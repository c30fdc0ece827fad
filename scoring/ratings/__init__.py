"""Statistics of ratings on a scale, within a phase and between phases."""
