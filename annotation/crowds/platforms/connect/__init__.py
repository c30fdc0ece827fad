"""CloudResearch Connect: its REST API."""
