"""Reads that join models, for pages, exports and `scoring`; the order of rows is always stated."""
