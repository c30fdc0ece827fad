"""What stands out in how people answered: flags say what was seen, and are no verdict.

Several kinds, each a test of everybody against everybody else, corrected over all who were tested
[BH1995] and over the kinds. Several careless people do not hide one another: see
`scoring.flags.outlying`. Where people do not differ in it, about one study in fifty has any flag,
or fewer. If they do, more have one, if they agree with nobody: docs/statistics.md has how many.

- ``agreement``, ``correlation``, ``pairwise``: agrees with the others less than they do with one
  another; of best-worst answers, ratings, labels.
- ``position``: picks by where an option stands on the screen. Options are shuffled.
- ``run``, ``same``: straight-lining. One position on the screen many times in a row; the answer of
  before again, whatever is asked.
- ``consistency``, ``distance``, ``repeats``: self-agreement. Says something else when asked again.
- ``speed``: much faster than the others.
- ``copy``: the same answers as somebody who answered before, more often than two people give them.

A small difference is found in many answers, too, and is no reason to look at anybody. So each kind
also asks for a large one, named with it.

Symbols: m judgments; a annotators; k items of a tuple.
"""

from scoring.flags.best_worst import flags
from scoring.flags.copying import MAX_PAIRS
from scoring.flags.findings import DEFINITIONS, LEVEL, MIN_ANSWERS, Flag, Flags, Kind
from scoring.flags.labels import label_flags
from scoring.flags.ratings import MIN_REPEATS, rating_flags
from scoring.flags.runs import chance_of_run, longest_run

__all__ = [
    "DEFINITIONS",
    "LEVEL",
    "MAX_PAIRS",
    "MIN_ANSWERS",
    "MIN_REPEATS",
    "Flag",
    "Flags",
    "Kind",
    "chance_of_run",
    "flags",
    "label_flags",
    "longest_run",
    "rating_flags",
]
