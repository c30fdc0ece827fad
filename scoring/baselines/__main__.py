"""Measures beside people's scores of pairs of texts, from the shell: python -m scoring.baselines.

How it is used: python -m scoring.baselines --help.
"""

import sys

from scoring.baselines.command import main

if __name__ == "__main__":
    sys.exit(main())
