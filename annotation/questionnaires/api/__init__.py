"""The REST API of this room."""
