"""Forms: the shape of input; services keep the rules."""
