"""Measures that need a model, from the shell: python -m scoring.neural COMMAND REQUEST.json."""

import argparse
import sys

from scoring.neural import (
    choosing_command,
    encoding_command,
    scoring_command,
    training_command,
)
from scoring.neural.protocol import refuse
from scoring.neural.refusals import RefusalError
from shell import InputError, OneLineParser, run

DESCRIPTION = """\
Compute measures of how similar two texts are that need a model. For an
explanation of a command, type python -m scoring.neural COMMAND --help."""

FAMILIES = (scoring_command, choosing_command, encoding_command, training_command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status: 2 for what the caller can put right."""
    refused = run(lambda: _run(arguments), refusals=(RefusalError,))
    return 2 if refused else 0


def _run(arguments: list[str] | None) -> None:
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except InputError as error:
        refuse(str(error))
        raise
    except RefusalError as error:
        refuse(error.message)
        raise


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m scoring.neural",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for family in FAMILIES:
        for command in family.COMMANDS:
            command.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
