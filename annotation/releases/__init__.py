"""Publish: downloads, documents and numbered releases."""
