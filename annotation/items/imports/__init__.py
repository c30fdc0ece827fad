"""Reading files that researchers bring: pure parsing, no database; every problem at once."""
