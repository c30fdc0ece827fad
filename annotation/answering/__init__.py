"""Collect: the annotator's pages: joining, consent, screens, saving, phases, leaving."""
