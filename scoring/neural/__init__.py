"""Measures that need a model; torch and what builds on it are imported only where they are used."""
