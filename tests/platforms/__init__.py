"""The platforms' adapters against their simulators."""
