"""Forms of the researcher's pages: they check the shape of input; services keep the rules."""
