"""People's scores of each item, from a result or a column, to compare measures with."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.baselines.queries import measures, scored_items
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource, Source
from annotation.basics.errors import StateError
from annotation.basics.scale import MAX_BUTTONS
from annotation.basics.sentences import Said, error_message
from annotation.basics.sentences import sentence as _
from annotation.items.queries import number_columns
from annotation.kinds.queries.people_scores import DescribedScores, ScoredItems, no_typical_human
from annotation.kinds.queries.score_reasons import (
    NO_DEVIATIONS,
    OF_ALL_ITEMS,
    RATED_ALL_ITEMS,
)
from annotation.kinds.registry import kind_of
from annotation.models import Baseline, Block, Item, Question, Study
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.report import TypicalHuman
from scoring.groups import settled
from scoring.measures.noise_ceiling import NoiseCeiling, noise_ceiling_of_deviations

_CHUNK = 5000


@dataclass(frozen=True, eq=False)
class HumanScores:
    """People's scores of a study's items, without its checks, in the order of their numbers."""

    # English name for files; pages show `title`.
    name: str
    source: Source
    # nan for items without a score, such as calibration items.
    scores: FloatArray
    ceiling: NoiseCeiling
    # Key of each item's pool; empty for items without one.
    pools: Sequence[str]
    # Primary key of the result; None for scores of a column.
    result: int | None = None
    # How well raters agree with the others; None if the ratings are unknown.
    typical_human: TypicalHuman | None = None
    # Scores that are labels, such as 0, 1 and 2; nan for items without one; None if scores are no
    # labels.
    labels: FloatArray | None = None
    # Whether they compare the items of a pool with each other, and say nothing over pools.
    are_relative: bool = False

    @property
    def identity(self) -> dict[str, Any]:
        """What stored figures keep of the scores, to notice when these have changed."""
        digest = hashlib.sha256(Baseline.packed(self.scores)).hexdigest()
        return {
            "source": self.source.as_json(),
            "name": self.name,
            "digest": digest,
            "result": self.result,
        }

    def are_those_of(self, identity: Mapping[str, Any] | None) -> bool:
        """Whether an identity is that of the same scores, be they of an earlier result."""
        return identity is not None and {**identity, "result": self.result} == self.identity


def sources(study: Study) -> list[Source]:
    """The sources of a study: its result by phase, then each column of numbers.

    Ratings on a scale of a few points count by their mean, or as labels by the most frequent one.

    A source may still be unreadable: `read` says what is missing.
    """
    columns = [ColumnSource(name) for name in number_columns.columns(study)]
    return [*_results(study), *columns]


def usual(study: Study) -> Source | None:
    """The study's own scores, if it has current ones."""
    return next((source for source in _results(study) if not _refusal(study, source)), None)


def missing_step(study: Study) -> Said:
    """What must happen before the study's own scores count; empty if they do."""
    refusals = [_refusal(study, source) for source in _results(study) or [ResultSource()]]
    return "" if "" in refusals else refusals[0]


def has_result(study: Study) -> bool:
    """Whether a result of people's answers is among the sources."""
    return bool(_results(study))


def _results(study: Study) -> list[ResultSource]:
    has_scores = kind_of(study).baselines.scores is not None
    if not has_scores or not study.results.filter(population="people").exists():
        return []
    phases = scored_items.phases(study)
    sources_of_phases = [ResultSource(number) for number, _condition in phases] or [ResultSource()]
    if is_labelled(study):
        sources_of_phases += [replace(source, by="majority") for source in sources_of_phases]
    return sources_of_phases


def _refusal(study: Study, source: ResultSource) -> Said:
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
        pools.append(pool or "")
    human, scored, are_relative = None, None, False
    if isinstance(source, ResultSource):
        scored, described = _of_result(study, source)
        name, ceiling, human = described.name, described.ceiling, described.typical_human
        scores = np.array([scored.scores.get(pk, math.nan) for pk in pks], dtype=np.float64)
        are_relative = described.are_relative
        if described.are_means:
            # Equal means have equal ranks.
            scores = settled(scores, scores[np.isfinite(scores)])
        # Without a phase it is the first one: the same scores have one name.
        source = replace(source, phase=scored.phase)
        labels = _labels_of_result(study, source, pks)
    else:
        name = source.name
        scores, ceiling = _of_column(study, source, pks, keys, is_kept)
        known = scores[np.isfinite(scores)]
        n_values = len(np.unique(known))
        labels = scores.copy() if n_values <= min(MAX_BUTTONS, len(known) - 1) else None
    if is_kept is not None and not is_kept.any():
        raise StateError(
            _("None of the %(n)s items of %(study)s meets the condition.")
            % {"n": len(keys), "study": study.title}
        )
    if is_kept is not None:
        if scored is not None and np.isfinite(scores[~is_kept]).any():
            # It was measured on all of them; others may be more or less reliable.
            ceiling = NoiseCeiling(math.nan, math.nan, ceiling.source, OF_ALL_ITEMS)
            human = human and no_typical_human(RATED_ALL_ITEMS)
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
    return HumanScores(
        name=name,
        source=source,
        scores=scores,
        ceiling=ceiling,
        pools=pools,
        result=scored.result.pk if scored else None,
        typical_human=human,
        labels=labels,
        are_relative=are_relative,
    )


def is_labelled(study: Study) -> bool:
    """Whether people rate by one of a few buttons, as with 0, 1, 2."""
    return bool(_label_points(study))


def _label_points(study: Study) -> Sequence[float]:
    scores = kind_of(study).baselines.scores
    return scores.label_points(study) if scores else ()


def _labels_of_result(study: Study, source: ResultSource, pks: Sequence[int]) -> FloatArray | None:
    """The most frequent rating of each item on the study's scale."""
    points = np.array(_label_points(study))
    if not len(points):
        return None
    low, high = float(points[0]), float(points[-1])
    majority = scored_items.scored_items(study, phase=source.phase, by="majority").scores
    shares = np.array([majority.get(pk, math.nan) for pk in pks], dtype=np.float64)
    labels: FloatArray = low + (high - low) * shares
    # A point of the scale, without the last digits of the way there and back.
    is_known = np.isfinite(labels)
    nearest = np.abs(labels[is_known, np.newaxis] - points).argmin(axis=1)
    labels[is_known] = points[nearest]
    return labels


def _of_result(study: Study, source: ResultSource) -> tuple[ScoredItems, DescribedScores]:
    if study.is_draft or study.is_imported_table:
        raise StateError(
            _("Nobody has answered %(study)s. Choose a column of its items.")
            % {"study": study.title}
        )
    scored = scored_items.scored_items(study, phase=source.phase, by=source.by)
    scores = kind_of(study).baselines.scores
    assert scores is not None  # or it would have been refused
    return scored, scores.described(scored)


def _of_column(
    study: Study,
    source: ColumnSource,
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
    questions = Question.objects.filter(
        block__phase__design=study.design, item__isnull=False
    ).order_by()
    practice, main = (
        set(questions.filter(block__purpose=purpose).values_list("item_id", flat=True).distinct())
        for purpose in (Block.Purpose.CALIBRATION, Block.Purpose.MAIN)
    )
    return {pk for pk in practice - main if pk is not None}
