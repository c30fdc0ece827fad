"""Pairs for a rating study, drawn from two columns of texts evenly over how alike they look."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from annotation.errors import AnnotationError
from annotation.exports import tables
from annotation.imports import text_columns
from annotation.sentences import Said
from annotation.sentences import sentence as _
from tuples.pair_sampling import MEASURES, Duplicate, SampledPairs, sample_pairs

# Of duplicates, as many are shown on the page and kept.
SHOWN = 50
# Of the pairs of a bin, and of the signs of a text.
_FIRST, _LONGEST = 3, 300
_MOST = {"n_pairs": 100_000, "n_bins": 100, "max_uses": 100_000, "seed": 2**63 - 1}

Progress = Callable[[float, Said], None]


@dataclass(frozen=True)
class Asked:
    """How many pairs are drawn, and by what rules."""

    n_pairs: int
    seed: int
    measure: str = "words"
    n_bins: int = 10
    max_uses: int = 3
    threshold: float = 0.85

    def check(self) -> None:
        for name, most in _MOST.items():
            least, number = 0 if name == "seed" else 1, getattr(self, name)
            if not least <= number <= most:
                raise AnnotationError(
                    _("%(name)s is %(number)s: choose a number from %(least)s to %(most)s.")
                    % {"name": name, "number": number, "least": least, "most": most}
                )
        if not 0 < self.threshold <= 1:
            raise AnnotationError(
                _("The threshold for near duplicates must be above 0 and at most 1.")
            )
        if self.measure not in MEASURES:
            raise AnnotationError(
                _("The measure %(name)s is unknown: choose one of %(known)s.")
                % {"name": self.measure, "known": ", ".join(MEASURES)}
            )


@dataclass(frozen=True)
class Outcome:
    """The table of pairs, as it is imported, and what is to be said of it."""

    table: str
    figures: dict[str, Any]


def _quietly(share: float, message: Said) -> None:
    """No progress is shown."""


def sample(source: str | Path | IO[bytes], asked: Asked, progress: Progress = _quietly) -> Outcome:
    """Draw pairs from the two columns of a file.

    Raises ImportProblemsError with every problem of the file, AnnotationError where a number is
    wrong or no pair can be drawn.
    """
    asked.check()
    progress(0.0, _("reading the texts"))
    targets, candidates = text_columns.read(source, limit_bytes=settings.IMPORT_LIMIT_BYTES)
    found = sample_pairs(
        targets,
        candidates,
        **asdict(asked),
        progress=lambda share: progress(share, _("comparing the texts")),
    )
    if not found.pairs:
        raise AnnotationError(
            _("No pair can be drawn: all texts of both columns are the same. Give other texts.")
        )
    rows: list[list[str]] = [["id", "target", "candidate", "similarity"]]
    rows += [
        [f"p{n}", targets[one.target], candidates[one.candidate], f"{one.similarity:.4f}"]
        for n, one in enumerate(found.pairs, start=1)
    ]
    return Outcome("".join(tables.lines(rows)), _figures(found, targets, candidates, asked))


def _figures(
    found: SampledPairs, targets: list[str], candidates: list[str], asked: Asked
) -> dict[str, Any]:
    edges = [one.high for one in found.sample.bins[:-1]]
    first: list[list[list[str]]] = [[] for _bin in found.sample.bins]
    for pair in found.pairs:
        of_bin = first[bisect_right(edges, pair.similarity)]
        if len(of_bin) < _FIRST:
            of_bin.append([_cut(targets[pair.target]), _cut(candidates[pair.candidate])])
    return {
        **asdict(asked),
        "n_drawn": len(found.pairs),
        "bins": [
            {**asdict(one), "first": pairs}
            for one, pairs in zip(found.sample.bins, first, strict=True)
        ],
        "n_targets": found.n_targets,
        "n_candidates": found.n_candidates,
        "n_looked_at": found.n_looked_at,
        "n_possible": found.n_possible,
        "n_identical_pairs": found.n_identical,
        "n_duplicate_targets": len(found.duplicate_targets),
        "n_duplicate_candidates": len(found.duplicate_candidates),
        "duplicate_targets": _shown(found.duplicate_targets, targets),
        "duplicate_candidates": _shown(found.duplicate_candidates, candidates),
    }


def _shown(found: list[Duplicate], texts: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "left_out": _cut(texts[one.left_out]),
            "for": _cut(texts[one.kept]),
            "similarity": round(one.similarity, 4),
            "exact": one.is_exact,
        }
        for one in found[:SHOWN]
    ]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
