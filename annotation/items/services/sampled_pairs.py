"""Pairs for a rating study, drawn from two columns of texts evenly over how alike they look."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import Column, lines
from annotation.core.services.model_process import paced
from annotation.items.imports import text_columns
from annotation.items.imports.text_columns import TextColumns
from annotation.items.services import text_vectors
from annotation.items.services.text_vectors import EncodedTexts
from scoring.neural.models import MAX_NAME_LENGTH
from tuples.pair_sampling import (
    MEASURES,
    WITH_VECTORS,
    DrawnPair,
    Duplicate,
    SampledPairs,
    pair_keys,
    sample_pairs,
)

EVERY_MEASURE = (*MEASURES, *WITH_VECTORS)
# So many duplicates are stored and shown on the page.
MAX_SHOWN_DUPLICATES = 50
EXAMPLES_PER_BIN = 3
# Job.figures is stored as JSON, so the previews of texts are short.
MAX_PREVIEW_CHARS = 300
_MAX = {"n_pairs": 100_000, "n_bins": 100, "max_uses": 100_000, "seed": 2**63 - 1}
# How much of the work is done when all texts are encoded.
_ENCODED = 0.6

Progress = Callable[[float, Said], None]


@dataclass(frozen=True)
class PairSamplingOptions:
    """How many pairs are drawn, and by what rules."""

    n_pairs: int
    seed: int
    measure: str = "words"
    n_bins: int = 10
    max_uses: int = 3
    threshold: float = 0.85
    # The name of the sentence encoder, for the measures that need one.
    model: str = ""

    @property
    def needs_model(self) -> bool:
        return self.measure in WITH_VECTORS

    def check(self, names: Mapping[str, str]) -> None:
        """Refuse what cannot be drawn; `names` are the caller's names of the fields.

        Raises AnnotationError.
        """
        for field, most in _MAX.items():
            least, number = 0 if field == "seed" else 1, getattr(self, field)
            if not least <= number <= most:
                raise AnnotationError(
                    _("%(name)s is %(number)s: choose a number from %(least)s to %(most)s.")
                    % {
                        "name": names.get(field, field),
                        "number": str(number),
                        "least": str(least),
                        "most": str(most),
                    }
                )
        if not 0 < self.threshold <= 1:
            raise AnnotationError(
                _("%(name)s is %(number)s: choose a number above 0, at most 1.")
                % {
                    "name": names.get("threshold", "threshold"),
                    "number": f"{self.threshold:g}",
                }
            )
        if self.measure not in EVERY_MEASURE:
            raise AnnotationError(
                _("The measure %(name)s is unknown: choose one of %(known)s.")
                % {"name": self.measure, "known": ", ".join(EVERY_MEASURE)}
            )
        self._check_model(names)

    def _check_model(self, names: Mapping[str, str]) -> None:
        values = {"measure": self.measure, "name": names.get("model", "model")}
        if self.needs_model and not self.model.strip():
            raise AnnotationError(
                _("The measure %(measure)s needs a sentence encoder. Give its name in %(name)s.")
                % values
            )
        if self.model and not self.needs_model:
            raise AnnotationError(
                _("The measure %(measure)s uses no model. Leave out %(name)s.") % values
            )
        if len(self.model) > MAX_NAME_LENGTH:
            raise AnnotationError(
                _("%(name)s is %(n)s characters long. Use at most %(limit)s.")
                % {**values, "n": len(self.model), "limit": MAX_NAME_LENGTH}
            )


@dataclass(frozen=True)
class Outcome:
    """The table of pairs, as it is imported, and what is to be said of it."""

    table: str
    figures: dict[str, Any]


def _quietly(share: float, message: Said) -> None:
    """No progress is shown."""


def sample(
    source: str | Path | IO[bytes],
    options: PairSamplingOptions,
    progress: Progress = _quietly,
    *,
    folder: Path,
    names: Mapping[str, str] | None = None,
) -> Outcome:
    """Draw pairs from the two columns of a file. `folder` is for the files of a model's process.

    Raises ImportProblemsError with every problem of the file, AnnotationError if a number is
    wrong, a model cannot be used or no pair can be drawn.
    """
    options.check(names or {})
    progress(0.0, _("reading the texts"))
    columns = text_columns.read(source, limit_bytes=settings.IMPORT_LIMIT_BYTES)
    targets, candidates = columns.target.texts, columns.candidate.texts
    encoded, done = None, 0.0
    if options.needs_model:
        done = _ENCODED
        encoded = text_vectors.encode(
            [*targets, *candidates],
            options.model,
            folder=folder,
            progress=paced(progress, high=done),
        )
    rules = asdict(options)
    rules.pop("model")
    sampled = sample_pairs(
        targets,
        candidates,
        **rules,
        vectors=_sides(encoded, len(targets)),
        progress=lambda share: progress(done + (1 - done) * share, _("comparing the texts")),
    )
    if not sampled.pairs:
        raise AnnotationError(
            _(
                "No pair can be drawn, because all texts in both columns are the same. "
                "Use other texts."
            )
        )
    figures = _figures(sampled, targets, candidates, options)
    if encoded is not None:
        figures |= {
            name: getattr(encoded, name) for name in ("revision", "device", "n_encoded", "n_kept")
        }
    return Outcome("".join(_table(sampled, columns)), figures)


def _sides(encoded: EncodedTexts | None, n_targets: int) -> Any:
    if encoded is None:
        return None
    return encoded.vectors[:n_targets], encoded.vectors[n_targets:]


class _PairRecord(NamedTuple):
    """A drawn pair with its id."""

    key: str
    pair: DrawnPair


def _table(sampled: SampledPairs, texts: TextColumns) -> Iterator[str]:
    """As it is imported; what the texts were called, and parts of the similarity, are kept."""
    keys = pair_keys(
        [(pair.target, pair.candidate) for pair in sampled.pairs],
        texts.target.keys,
        texts.candidate.keys,
    )
    records = [_PairRecord(*record) for record in zip(keys, sampled.pairs, strict=True)]
    return lines(_columns(texts, sampled.pairs[0].parts), records)


def _columns(texts: TextColumns, parts: Iterable[str]) -> list[Column]:
    target, candidate = texts.target, texts.candidate
    columns = [
        Column("id", "of the pair", lambda row: row.key),
        Column("target", "the first text", lambda row: target.texts[row.pair.target]),
        Column("candidate", "the second text", lambda row: candidate.texts[row.pair.candidate]),
        Column("similarity", "by the measure", lambda row: f"{row.pair.similarity:.4f}"),
        *(Column(name, "a part of the similarity", _part(name)) for name in parts),
    ]
    if (target_ids := target.keys) is not None:
        columns.append(
            Column("target_id", "of the first text", lambda row: target_ids[row.pair.target])
        )
    if (candidate_ids := candidate.keys) is not None:
        columns.append(
            Column(
                "candidate_id",
                "of the second text",
                lambda row: candidate_ids[row.pair.candidate],
            )
        )
    return columns


def _part(name: str) -> Callable[[_PairRecord], str]:
    return lambda row: f"{row.pair.parts[name]:.4f}"


def _figures(
    sampled: SampledPairs,
    targets: Sequence[str],
    candidates: Sequence[str],
    options: PairSamplingOptions,
) -> dict[str, Any]:
    edges = [bin_.high for bin_ in sampled.sample.bins[:-1]]
    first: list[list[list[str]]] = [[] for _bin in sampled.sample.bins]
    for pair in sampled.pairs:
        of_bin = first[bisect_right(edges, pair.similarity)]
        if len(of_bin) < EXAMPLES_PER_BIN:
            of_bin.append([_cut(targets[pair.target]), _cut(candidates[pair.candidate])])
    return {
        **asdict(options),
        "n_drawn": len(sampled.pairs),
        "bins": [
            {**asdict(bin_), "n_compared": n_compared, "first": pairs}
            for bin_, n_compared, pairs in zip(
                sampled.sample.bins, sampled.n_compared, first, strict=True
            )
        ],
        "n_targets": sampled.n_targets,
        "n_candidates": sampled.n_candidates,
        "n_looked_at": sampled.n_looked_at,
        "n_possible": sampled.n_possible,
        "n_identical_pairs": sampled.n_identical,
        "n_duplicate_targets": len(sampled.duplicate_targets),
        "n_duplicate_candidates": len(sampled.duplicate_candidates),
        "duplicate_targets": _shown(sampled.duplicate_targets, targets),
        "duplicate_candidates": _shown(sampled.duplicate_candidates, candidates),
    }


def _shown(duplicates: list[Duplicate], texts: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "left_out": _cut(texts[duplicate.left_out]),
            "for": _cut(texts[duplicate.first]),
            "similarity": round(duplicate.similarity, 4),
            "exact": duplicate.is_exact,
        }
        for duplicate in duplicates[:MAX_SHOWN_DUPLICATES]
    ]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_PREVIEW_CHARS else f"{text[: MAX_PREVIEW_CHARS - 1]}…"
