"""Collect: the live page, alerts and how far a study is."""
