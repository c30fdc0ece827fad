"""Dates and times as all pages write them, whatever their language: the same as in files."""
