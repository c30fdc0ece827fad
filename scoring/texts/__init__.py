"""Lexical statistics of texts and of collections of them."""
