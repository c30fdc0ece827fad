"""Finished answers in the files of other tools: Mechanical Turk, Label Studio, Potato."""
