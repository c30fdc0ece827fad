"""What people said of each item, which measures are held against: from a result or a column."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from django.utils.translation import gettext

from annotation.baselines.queries import measures, scored_items
from annotation.baselines.queries.scored_items import RatingRule, ScoredItems
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scale import MOST_BUTTONS, Scale
from annotation.basics.sentences import Said, error_message
from annotation.basics.sentences import sentence as _
from annotation.models import Baseline, Block, Item, Question, Result, Study
from annotation.models.kinds import QuestionKind
from annotation.results.queries.score_reasons import (
    NO_CEILING_OF_MAJORITIES,
    NO_CORRELATIONS,
    NO_DEVIATIONS,
    NO_ICC,
    NO_SPLIT_HALF,
    OF_ALL_ITEMS,
    RATED_ALL_ITEMS,
)
from scoring import noise_ceiling_of_icc
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.report import TypicalHuman
from scoring.bootstrap import FEWEST_POOLS
from scoring.groups import settled
from scoring.measures.noise_ceiling import NoiseCeiling, noise_ceiling_of_deviations
from shell.messages import Message

_CHUNK = 5000
# More ratings behind a mean than anybody has collected.
MOST_RATINGS = 1_000_000


@dataclass(frozen=True)
class Source:
    """Where people's scores come from: the study's own result, or a column of its items."""

    kind: Literal["result", "column"]
    # Of a rating study's result: number of the phase; None of a best-worst study.
    phase: int | None = None
    # Of a rating study's result: how several ratings become one score.
    by: RatingRule = "mean"
    # Of a column: its name, that of the column of standard deviations, ratings behind each mean.
    name: str = ""
    deviation: str = ""
    n: int | None = None

    def as_json(self) -> dict[str, Any]:
        """{"from": "result", "phase"} or {"from": "column", "name", "deviation", "n"}.

        A result that is not of means has "by" as well.
        """
        if self.kind == "result":
            by = {} if self.by == "mean" else {"by": self.by}
            return {"from": "result", "phase": self.phase, **by}
        return {"from": "column", "name": self.name, "deviation": self.deviation, "n": self.n}

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "Source":
        """Raises AnnotationError for anything that `as_json` does not write."""
        match dict(given):
            case {"from": "result", "phase": None | int() as phase}:
                by: RatingRule = "majority" if given.get("by") == "majority" else "mean"
                return cls("result", phase=phase, by=by)
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
    # How well raters agree with the others; None where nobody's ratings are known.
    typical_human: TypicalHuman | None = None
    # The few values that scores are named by, such as 0, 1 and 2; nan where an item has none.
    # None of scores that are no labels.
    labels: FloatArray | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """What figures beside these scores keep, to know whether the scores are still the same."""
        digest = hashlib.sha256(Baseline.packed(self.scores)).hexdigest()
        return {"source": self.source.as_json(), "name": self.name, "digest": digest}


def sources(study: Study) -> list[Source]:
    """What a study has: its result by phase, then each column of numbers alone.

    Ratings on a scale of a few points count by their mean or as labels, by the most frequent one.

    That there is a source does not say that it can be read: `read` says what is missing.
    """
    found: list[Source] = []
    if study.is_scored and study.results.filter(population="people").exists():
        phases = scored_items.phases(study)
        found = [Source("result", phase=number) for number, _condition in phases]
        found = found or [Source("result")]
        if is_labelled(study):
            found += [replace(one, by="majority") for one in found]
    return found + [Source("column", name=name) for name in measures.columns(study)]


def title(source: Source) -> str:
    """A source in the reader's language, for a choice or an axis."""
    if source.kind == "column":
        return gettext("column %(name)s") % {"name": source.name}
    if source.phase is None:
        return gettext("scores of the annotators")
    if source.by == "majority":
        return gettext("most frequent ratings of the annotators, phase %(n)s") % {
            "n": source.phase
        }
    return gettext("ratings of the annotators, phase %(n)s") % {"n": source.phase}


def usual(study: Study) -> Source | None:
    """The study's own scores, where it has some that count today."""
    return next((one for one in _results(study) if not _refusal(study, one)), None)


def missing_step(study: Study) -> Said:
    """What must happen before the study's own scores count; empty if they do."""
    refusals = [_refusal(study, one) for one in _results(study) or [Source("result")]]
    return "" if "" in refusals else refusals[0]


def _results(study: Study) -> list[Source]:
    return [one for one in sources(study) if one.kind == "result"]


def _refusal(study: Study, source: Source) -> Said:
    try:
        scored_items.scored_items(study, phase=source.phase)
    except StateError as error:
        return error.said[0]
    return ""


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
    human, scored = None, None
    if source.kind == "result":
        name, scores, ceiling, scored = _of_result(study, source, pks)
        result = scored.result.pk
        # Without a phase it is the first one: the same scores have one name.
        source = replace(source, phase=scored.phase)
        if scored.phase is not None and source.by == "mean":
            human = _typical_human(scored.result, scored.phase)
        labels = _labels_of_result(study, source, pks)
    else:
        name, result = source.name, None
        scores, ceiling = _of_column(study, source, pks, keys, is_kept)
        known = scores[np.isfinite(scores)]
        n_values = len(np.unique(known))
        labels = scores.copy() if n_values <= min(MOST_BUTTONS, len(known) - 1) else None
    if is_kept is not None and not is_kept.any():
        raise StateError(
            _("The condition is true of none of the %(n)s items of %(study)s.")
            % {"n": len(keys), "study": study.title}
        )
    if is_kept is not None:
        if source.kind == "result" and np.isfinite(scores[~is_kept]).any():
            # It was measured on all of them; others may be more or less reliable.
            ceiling = NoiseCeiling(math.nan, math.nan, ceiling.source, OF_ALL_ITEMS)
            human = human and _no_typical_human(RATED_ALL_ITEMS)
        scores[~is_kept] = math.nan
        if labels is not None:
            labels[~is_kept] = math.nan
    if not np.isfinite(scores).any() and scored is not None and scored.phase is not None:
        raise StateError(
            _("No item of %(study)s has a score from people in phase %(number)s.")
            % {"study": study.title, "number": scored.phase}
        )
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
        typical_human=human,
        labels=labels,
    )


def is_labelled(study: Study) -> bool:
    """Whether people rate by one of a few buttons, as with 0, 1, 2."""
    return study.kind == QuestionKind.RATING and Scale.of(study.scale).is_worded


def _labels_of_result(study: Study, source: Source, pks: Sequence[int]) -> FloatArray | None:
    """The most frequent rating of each item on the study's scale."""
    if not is_labelled(study):
        return None
    scale = Scale.of(study.scale)
    low, high = float(scale.low), float(scale.high)
    points = np.array([float(point) for point in scale.points])
    majority = scored_items.scored_items(study, phase=source.phase, by="majority").scores
    labels = low + (high - low) * np.array([majority.get(pk, math.nan) for pk in pks])
    # A point of the scale, without the last digits of the way there and back.
    is_known = np.isfinite(labels)
    nearest = np.abs(labels[is_known, np.newaxis] - points).argmin(axis=1)
    labels[is_known] = points[nearest]
    return labels


def _of_result(
    study: Study, source: Source, pks: Sequence[int]
) -> tuple[str, FloatArray, NoiseCeiling, ScoredItems]:
    if study.is_draft or study.is_imported_table:
        raise StateError(
            _("Nobody has answered %(study)s. Choose a column of its items.")
            % {"study": study.title}
        )
    scored = scored_items.scored_items(study, phase=source.phase, by=source.by)
    scores = np.array([scored.scores.get(pk, math.nan) for pk in pks], dtype=np.float64)
    if scored.phase is None:
        name, ceiling = "scores, rescaled to [0, 1]", _ceiling_of_halves(scored.result)
    elif source.by == "majority":
        name = f"most frequent ratings of phase {scored.phase}, rescaled to [0, 1]"
        ceiling = NoiseCeiling(math.nan, math.nan, "icc", NO_CEILING_OF_MAJORITIES)
    else:
        name = f"mean ratings of phase {scored.phase}, rescaled to [0, 1]"
        # Equal means have equal ranks.
        scores = settled(scores, scores[np.isfinite(scores)])
        ceiling = _ceiling_of_ratings(scored.result, scored.phase)
    return name, scores, ceiling, scored


def _ceiling_of_halves(result: Result) -> NoiseCeiling:
    stepped_up = result.statistics["overall"]["split_half"]["random"]["spearman_brown"]
    value = stepped_up["value"]
    if value is None:
        reason = stepped_up["reason"] or NO_SPLIT_HALF
        return NoiseCeiling(math.nan, math.nan, "split-half", reason)
    return NoiseCeiling(math.sqrt(value), value, "split-half")


def _summary_of_phase(result: Result, number: int) -> Mapping[str, Any]:
    phases = result.statistics["phases"]
    summary: Mapping[str, Any] = next(one["summary"] for one in phases if one["number"] == number)
    return summary


def _typical_human(result: Result, number: int) -> TypicalHuman:
    raters = _summary_of_phase(result, number)["raters"]
    of = raters["pearson"]
    if of["mean"] is None:
        return _no_typical_human(raters["reason"] or NO_CORRELATIONS)
    mean, best, worst = of["mean"], of["best"], of["worst"]
    sd = math.nan if of["sd"] is None else of["sd"]
    return TypicalHuman(mean, sd, best, worst, raters["n_raters"])


def _no_typical_human(reason: Message) -> TypicalHuman:
    return TypicalHuman(math.nan, math.nan, math.nan, math.nan, 0, reason)


def _ceiling_of_ratings(result: Result, number: int) -> NoiseCeiling:
    icc = _summary_of_phase(result, number)["icc"]["1,k"]
    if icc["icc"] is None:
        reason = icc["reason"] or NO_ICC
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
                % {"name": source.deviation, "problem": error_message(error)}
            ) from error
    else:
        ceiling = NoiseCeiling(
            math.nan,
            math.nan,
            "deviations",
            NO_DEVIATIONS,
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
