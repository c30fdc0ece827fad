"""The commands of `python -m scoring`: one module for each family of them.

A family is a module with `add_commands(commands)`, which adds a parser for each of its commands
and sets the parser's default `run` to the function that does the work.
"""
