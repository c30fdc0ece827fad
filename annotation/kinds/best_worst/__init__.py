"""Best-worst scaling: of k items, which is the most and which the least."""
