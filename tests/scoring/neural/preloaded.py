"""What a command with a model loads, loaded when this module is."""

from scoring.neural import packages

packages.load("sentence_transformers", "torch", "transformers", "bert_score")
