"""Measures that need a model; torch and the like are imported only where they are used."""
