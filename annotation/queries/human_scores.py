"""What people said of each item, which measures are held against: from a result or a column."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from django.utils.translation import gettext

from annotation.errors import AnnotationError, StateError
from annotation.models import Baseline, Block, Item, Question, Result, Study
from annotation.models.kinds import QuestionKind
from annotation.queries import measures, scored_items
from annotation.reported import sentence_of
from annotation.sentences import sentence as _
from scoring import noise_ceiling_of_icc
from scoring.arrays import BoolArray, FloatArray
from scoring.bootstrap import FEWEST_POOLS
from scoring.groups import settled
from scoring.noise_ceiling import NoiseCeiling, noise_ceiling_of_deviations

_CHUNK = 5000
OF_ALL_ITEMS = "the reliability was measured on all items, and only some of them count here"
# More ratings behind a mean than anybody has collected.
MOST_RATINGS = 1_000_000


@dataclass(frozen=True)
class Source:
    """Where people's scores come from: the study's own result, or a column of its items."""

    kind: Literal["result", "column"]
    # Of a rating study's result: number of the phase; None of a best-worst study.
    phase: int | None = None
    # Of a column: its name, that of the column of standard deviations, ratings behind each mean.
    name: str = ""
    deviation: str = ""
    n: int | None = None

    def as_json(self) -> dict[str, Any]:
        """{"from": "result", "phase"} or {"from": "column", "name", "deviation", "n"}."""
        if self.kind == "result":
            return {"from": "result", "phase": self.phase}
        return {"from": "column", "name": self.name, "deviation": self.deviation, "n": self.n}

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "Source":
        """Raises AnnotationError for anything that `as_json` does not write."""
        match dict(given):
            case {"from": "result", "phase": None | int() as phase}:
                return cls("result", phase=phase)
            case {
                "from": "column",
                "name": str(name),
                "deviation": str(deviation),
                "n": None | int() as n,
            } if name:
                if n is not None and not 1 <= n <= MOST_RATINGS:
                    raise AnnotationError(
                        _("Ratings behind each mean: choose a number from 1 to %(most)s.")
                        % {"most": MOST_RATINGS}
                    )
                return cls("column", name=name, deviation=deviation, n=n)
        raise AnnotationError(
            _("Choose where people's scores come from: the study's result, or a column.")
        )

    @property
    def title(self) -> str:
        """In the reader's language, for a choice or an axis."""
        return title(self)


@dataclass(frozen=True, eq=False)
class HumanScores:
    """People's scores of a study's items, without its checks, in the order of their numbers."""

    # In English, for files: pages show `title`.
    name: str
    source: Source
    # nan where an item has none, as calibration has.
    scores: FloatArray
    ceiling: NoiseCeiling
    # Key of each item's pool, where whole pools are drawn again by the bootstrap.
    pools: Sequence[str] | None
    # Primary key of the result that they are from; None of a column.
    result: int | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """What figures beside these scores keep, to know whether the scores are still the same."""
        digest = hashlib.sha256(Baseline.packed(self.scores)).hexdigest()
        return {"source": self.source.as_json(), "name": self.name, "digest": digest}


def sources(study: Study) -> list[Source]:
    """What a study has: its result by phase, then each column of numbers alone.

    That there is a source does not say that it can be read: `read` says what is missing.
    """
    found: list[Source] = []
    if study.is_scored and study.results.filter(population="people").exists():
        phases = scored_items.phases(study)
        found = [Source("result", phase=number) for number, _condition in phases]
        found = found or [Source("result")]
    return found + [Source("column", name=name) for name in measures.columns(study)]


def title(source: Source) -> str:
    """A source in the reader's language, for a choice or an axis."""
    if source.kind == "column":
        return gettext("column %(name)s") % {"name": source.name}
    if source.phase is None:
        return gettext("scores of the annotators")
    return gettext("ratings of the annotators, phase %(n)s") % {"n": source.phase}


def usual(study: Study) -> Source | None:
    """The study's own scores, where it has some that count today."""
    for source in sources(study):
        if source.kind == "result":
            try:
                scored_items.scored_items(study, phase=source.phase)
            except StateError:
                continue
            return source
    return None


def read(study: Study, source: Source, *, is_kept: BoolArray | None = None) -> HumanScores:
    """People's scores; of the items but the checks only those that are kept, if that is given.

    Raises StateError or ImportProblemsError, with what to do, where there are none.
    """
    rows = (
        Item.objects.filter(study=study)
        .without_checks()
        .order_by("number")
        .values_list("pk", "key", "pool__key")
    )
    pks, keys, pools = [], [], []
    for pk, key, pool in rows.iterator(chunk_size=_CHUNK):
        pks.append(pk)
        keys.append(key)
        pools.append(pool)
    if source.kind == "result":
        name, scores, ceiling, result = _of_result(study, source, pks)
    else:
        name, result = source.name, None
        scores, ceiling = _of_column(study, source, pks, keys, is_kept)
    if is_kept is not None and not is_kept.any():
        raise StateError(
            _("The condition is true of none of the %(n)s items of %(study)s.")
            % {"n": len(keys), "study": study.title}
        )
    if is_kept is not None:
        if source.kind == "result" and np.isfinite(scores[~is_kept]).any():
            # It was measured on all of them; others may be more or less reliable.
            ceiling = NoiseCeiling(math.nan, math.nan, ceiling.source, OF_ALL_ITEMS)
        scores[~is_kept] = math.nan
    if not np.isfinite(scores).any():
        raise StateError(
            _("No item of %(study)s has a score from people.") % {"study": study.title}
        )
    has_score = np.isfinite(scores)
    n_pools = len({pool for pool, is_there in zip(pools, has_score, strict=True) if is_there})
    return HumanScores(
        name=name,
        source=source,
        scores=scores,
        ceiling=ceiling,
        pools=pools if n_pools >= FEWEST_POOLS else None,
        result=result,
    )


def _of_result(
    study: Study, source: Source, pks: Sequence[int]
) -> tuple[str, FloatArray, NoiseCeiling, int]:
    if study.is_draft:
        raise StateError(
            _("%(study)s is a draft, which nobody has answered. Choose a column of its items.")
            % {"study": study.title}
        )
    scored = scored_items.scored_items(study, phase=source.phase)
    scores = np.array([scored.scores.get(pk, math.nan) for pk in pks], dtype=np.float64)
    if scored.phase is None:
        name, ceiling = "scores, rescaled to [0, 1]", _ceiling_of_halves(scored.result)
    else:
        name = f"mean ratings of phase {scored.phase}, rescaled to [0, 1]"
        # Equal means have equal ranks.
        scores = settled(scores, scores[np.isfinite(scores)])
        ceiling = _ceiling_of_ratings(scored.result, scored.phase)
    return name, scores, ceiling, scored.result.pk


def _ceiling_of_halves(result: Result) -> NoiseCeiling:
    stepped_up = result.statistics["overall"]["split_half"]["random"]["spearman_brown"]
    value = stepped_up["value"]
    if value is None:
        reason = stepped_up["reason"] or "there is no split-half reliability"
        return NoiseCeiling(math.nan, math.nan, "split-half", reason)
    return NoiseCeiling(math.sqrt(value), value, "split-half")


def _ceiling_of_ratings(result: Result, number: int) -> NoiseCeiling:
    phase = next(one for one in result.statistics["phases"] if one["number"] == number)
    icc = phase["summary"]["icc"]["1,k"]
    if icc["icc"] is None:
        reason = icc["reason"] or "there is no ICC(1,k)"
        return NoiseCeiling(math.nan, math.nan, "icc", reason)
    return noise_ceiling_of_icc(icc["icc"])


def _of_column(
    study: Study,
    source: Source,
    pks: Sequence[int],
    keys: Sequence[str],
    is_kept: BoolArray | None,
) -> tuple[FloatArray, NoiseCeiling]:
    scores = _column(study, source.name, keys)
    # Practice is no data, whatever the file says of it.
    practice = _calibration_only(study)
    scores[[n for n, pk in enumerate(pks) if pk in practice]] = math.nan
    if is_kept is not None:
        scores[~is_kept] = math.nan
    if source.deviation:
        deviations = _column(study, source.deviation, keys)
        try:
            ceiling = noise_ceiling_of_deviations(scores, deviations, n=source.n)
        except ValueError as error:
            raise StateError(
                _("Column %(name)s: %(problem)s")
                % {"name": source.deviation, "problem": sentence_of(str(error))}
            ) from error
    else:
        ceiling = NoiseCeiling(
            math.nan,
            math.nan,
            "deviations",
            "the column of the ratings' standard deviations is not named",
        )
    return scores, ceiling


def _column(study: Study, name: str, keys: Sequence[str]) -> FloatArray:
    values = measures.of_column(study, name).values
    return np.array([values.get(key, math.nan) for key in keys], dtype=np.float64)


def _calibration_only(study: Study) -> set[int]:
    """Items that the design asks for in a calibration block and in no main one."""
    if study.kind == QuestionKind.BEST_WORST:
        return set()
    asked = Question.objects.filter(
        block__phase__design=study.design, item__isnull=False
    ).order_by()
    practice, main = (
        set(asked.filter(block__purpose=purpose).values_list("item_id", flat=True).distinct())
        for purpose in (Block.Purpose.CALIBRATION, Block.Purpose.MAIN)
    )
    return {pk for pk in practice - main if pk is not None}
