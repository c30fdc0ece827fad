"""Whether intervals hold what they claim: `python -m benchmarks.coverage --help`."""
