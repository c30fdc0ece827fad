"""Reads for pages, files and statistics."""
