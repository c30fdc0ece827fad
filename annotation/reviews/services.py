"""Copy scored items into a draft: for experts, or where a measure differs from people."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from django.db import transaction
from django.dispatch import receiver

from annotation.baselines.queries.measures import Measure
from annotation.baselines.queries.scored_items import (
    ComparableScores,
    comparable_scores,
    published_labels,
    scored_items,
)
from annotation.basics.errors import StateError
from annotation.basics.reviewed import (
    MEASURE_HIGHER,
    PEOPLE_HIGHER,
    RESERVED,
    Review,
    Reviewed,
)
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.services.locks import lock_study
from annotation.core.services.many_rows import RowWriter, update_rows
from annotation.core.signals import answers_withdrawn
from annotation.items.services.imports import drop_items
from annotation.kinds.queries.people_scores import RatingRule, ScoredItems
from annotation.kinds.services import copied_material
from annotation.kinds.services.design_rows import insert
from annotation.kinds.services.earlier_rounds import hold_with_studies, tell_later_rounds
from annotation.models import Assignment, Item, Phase, Pool, Study
from annotation.models.items import ONE_POOL
from annotation.studies import presets
from annotation.studies.services.studies import refuse_filling
from scoring import discrepancies
from scoring.expert_check import MIDDLE
from scoring.measures.discrepancies import By, Thresholds, largest

Which = Literal["all", "nearest", "random", "random_per_group"]
# One person labels all items, so the limit is the size of a booklet.
MAX_ITEMS = 5000


@dataclass(frozen=True)
class ChosenItems:
    """Numbers of copied items, and of items that could not be chosen."""

    n_items: int
    n_without_score: int
    n_without_value: int = 0


def choose_for_experts(
    *, study: Study, which: Which = "all", n: int = 0, phase: int | None = None
) -> ChosenItems:
    """Copy scored items into a draft for experts, replacing the items it had.

    `which`: all; the `n` nearest the middle; `n` at random; or `n` at random of each dialogue or
    group of the earlier study. Random draws use the design's seed.

    Raises StateError if the draft or the earlier study does not allow it.
    """
    study, earlier = _refuse(study, Review.EXPERTS)
    scored = scored_items(earlier, phase=phase)
    rows = _rows(earlier, scored.scores)
    if which != "all" and n < 1:
        raise StateError(_("Choose at least 1 item."))
    drawn = _draw(rows, scored, which, n, np.random.default_rng(study.design.seed))
    _copy(study, Review.EXPERTS, drawn, lambda item: _of_score(scored, item))
    return ChosenItems(len(drawn), scored.n_without)


def choose_discrepancies(
    *,
    study: Study,
    measure: Measure,
    n: int = 100,
    by: By = "ranks",
    least_of_each: int = 0,
    most_of_each: int | None = None,
    thresholds: Thresholds | None = None,
    is_shown: bool = True,
    phase: int | None = None,
    people: RatingRule = "mean",
    column: str = "",
) -> ChosenItems:
    """Copy into a draft the items where a measure and the people differ.

    With `thresholds` all items beyond them, else the `n` largest differences; ties are broken by
    id. `is_shown`: annotators see the score and the value. People's scores come from the earlier
    study's result, where `people` says how several ratings become one, or from a `column` of
    labels that was imported with its items (the earlier study may then be a draft).

    Raises StateError if the draft, the earlier study or the measure does not allow it.
    """
    study, earlier = _refuse(study, Review.DISCREPANCIES)
    scored = (
        published_labels(earlier, column)
        if column
        else comparable_scores(earlier, phase=phase, by=people)
    )
    rows = sorted(_rows(earlier, scored.scores), key=lambda item: item.key)
    both = [item for item in rows if item.key in measure.values]
    _refuse_useless(measure, [scored.scores[item.pk] for item in both], both)
    if thresholds is None:
        chosen = _largest_differences(
            scored,
            measure,
            both,
            n=n,
            by=by,
            least_of_each=least_of_each,
            most_of_each=most_of_each,
        )
    else:
        chosen = _beyond_thresholds(scored, measure, both, thresholds)

    def reviewed(item: Item) -> Reviewed:
        return replace(
            chosen[item.pk],
            column=column,
            label=scored.labels[item.pk] if scored.is_labelled else None,
            measure=measure.name,
            value=measure.values[item.key],
            is_shown=is_shown,
        )

    # Keep the order of the earlier study: sorted by difference, annotators could guess it.
    of_review = [item for item in both if item.pk in chosen]
    _copy(study, Review.DISCREPANCIES, of_review, reviewed)
    return ChosenItems(len(chosen), scored.n_without, len(rows) - len(both))


def _largest_differences(
    scored: ComparableScores,
    measure: Measure,
    both: Sequence[Item],
    *,
    n: int,
    by: By,
    least_of_each: int,
    most_of_each: int | None,
) -> dict[int, Reviewed]:
    """The items that differ most, by primary key."""
    difference = discrepancies(
        [scored.scores[item.pk] for item in both],
        [measure.values[item.key] for item in both],
        by=by,
    ).difference
    try:
        order = largest(difference, n, least_of_each=least_of_each, most_of_each=most_of_each)
    except ValueError:
        raise StateError(
            _(
                "At least %(least)s and at most %(most)s items per direction do not fit into "
                "%(n)s items. Choose other numbers."
            )
            % {"least": least_of_each, "most": n if most_of_each is None else most_of_each, "n": n}
        ) from None
    return {
        both[place].pk: _of_score(scored, both[place], by=by, difference=float(difference[place]))
        for place in order.tolist()
    }


def _beyond_thresholds(
    scored: ComparableScores, measure: Measure, both: Sequence[Item], thresholds: Thresholds
) -> dict[int, Reviewed]:
    """The items beyond the thresholds, by primary key."""
    directions = thresholds.directions(
        [scored.labels[item.pk] for item in both], [measure.values[item.key] for item in both]
    )
    names = {1: PEOPLE_HIGHER, -1: MEASURE_HIGHER}
    reviewed_by_item = {
        item.pk: _of_score(scored, item, rule=thresholds.text, direction=names[direction])
        for item, direction in zip(both, directions.tolist(), strict=True)
        if direction
    }
    if not reviewed_by_item:
        raise StateError(
            _("No item meets these thresholds (%(rule)s). Choose others.")
            % {"rule": thresholds.text}
        )
    return reviewed_by_item


def _refuse(study: Study, review: Review) -> tuple[Study, Study]:
    """A draft that takes items for such a review as it is now, and the study that they are of."""
    study = Study.objects.get(pk=study.pk)
    if not study.is_draft:
        raise StateError(
            _("The study has been opened, so its items are frozen. Create a new study instead.")
        )
    if study.earlier_round is None or presets.review_of(study.preset) != review:
        raise StateError(
            _(
                "This study does not review an earlier study. Create a new study with a review "
                "preset."
            )
        )
    refuse_filling(study)
    return study, study.earlier_round


def _rows(earlier: Study, scores: Collection[int]) -> list[Item]:
    """The items whose primary keys have a score, in their order."""
    rows = earlier.items.select_related("pool", "target_turn__context", "candidate_turn__context")
    items = [item for item in rows.order_by("number") if item.pk in scores]
    if not items:
        raise StateError(_("%(study)s has no item with a score.") % {"study": earlier.title})
    return items


def _draw(
    rows: Sequence[Item], scored: ScoredItems, which: Which, n: int, rng: np.random.Generator
) -> list[Item]:
    """Some of the items, in their order."""
    if which == "all":
        return list(rows)
    if which == "nearest":
        nearest = sorted(rows, key=lambda item: (abs(scored.scores[item.pk] - MIDDLE), item.key))
        drawn = {item.pk for item in nearest[:n]}
        return [item for item in rows if item.pk in drawn]
    parts: dict[int, list[Item]] = {}
    for item in rows:
        parts.setdefault(item.pool_id if which == "random_per_group" else 0, []).append(item)
    drawn = {
        of_part[place].pk
        for of_part in parts.values()
        for place in rng.permutation(len(of_part))[:n].tolist()
    }
    return [item for item in rows if item.pk in drawn]


def _refuse_useless(measure: Measure, scores: Collection[float], both: Sequence[Item]) -> None:
    values = {measure.values[item.key] for item in both}
    if len(both) < 2:
        raise StateError(
            _(
                "Too few items have both a score and a value of %(name)s: %(n)s, but at least 2 "
                "are needed."
            )
            % {"n": len(both), "name": measure.name}
        )
    if len(values) == 1:
        raise StateError(
            _("%(name)s has the same value for all items (%(value)s). Choose another measure.")
            % {"name": measure.name, "value": f"{values.pop():g}"}
        )
    if len(set(scores)) == 1:
        raise StateError(
            _("All items with a value of %(name)s have the same score. Add values for more items.")
            % {"name": measure.name}
        )


def _of_score(
    scored: ScoredItems | ComparableScores, item: Item, **of_measure: object
) -> Reviewed:
    return Reviewed(
        score=scored.scores[item.pk],
        result=scored.result.pk if scored.result else None,
        computed_at=scored.result.computed_at.isoformat() if scored.result else "",
        phase=scored.phase,
        **of_measure,  # type: ignore[arg-type] # named by the caller, as the fields are
    )


def _copy(
    study: Study, review: Review, items: Sequence[Item], reviewed: Callable[[Item], Reviewed]
) -> None:
    """Give the draft copies of these items with their contexts, and numbers that fit them."""
    if len(items) > MAX_ITEMS:
        raise StateError(
            _("%(n)s items are too many for one person. Choose at most %(most)s.")
            % {"n": len(items), "most": MAX_ITEMS}
        )
    sides = [t for i in items for t in (i.target_turn, i.candidate_turn) if t is not None]
    # The slow steps come before the lock: on SQLite nobody can save an answer while we hold it.
    scores = [(score, score.into(item.metadata)) for item in items for score in [reviewed(item)]]
    results = {score.result for score, _metadata in scores if score.result}
    with transaction.atomic():
        assert study.earlier_round_id is not None  # _refuse
        # Withdrawals hold it first, too: they delete what was computed with the answers.
        lock_study(study.earlier_round_id)
        study, earlier = _refuse(lock_study(study.pk), review)
        if len(results) != earlier.results.filter(pk__in=results).count():
            raise StateError(
                _(
                    "Somebody withdrew from %(study)s in the meantime. Score it again, then "
                    "choose the items again."
                )
                % {"study": earlier.title}
            )
        drop_items(study)
        _store(study, earlier, items, scores)
        _fit_design(study, len(items), in_context=any(turn.context.n_turns > 1 for turn in sides))


def _store(
    study: Study,
    earlier: Study,
    items: Sequence[Item],
    scores: Sequence[tuple[Reviewed, dict[str, Any]]],
) -> None:
    """Scores are given with the metadata that hold them."""
    sides = [t for i in items for t in (i.target_turn, i.candidate_turn) if t is not None]
    context_pks = {turn.context_id for turn in sides}
    contexts = copied_material.contexts(study, earlier, only=context_pks)
    turns = copied_material.turns(earlier, contexts)
    # One pool holds all items: an expert judges all candidates of a dialogue.
    (pool,) = insert(Pool, [Pool(study=study, key=ONE_POOL, number=1)])
    names = (
        *("number", "key", "target_text", "target_turn_id", "candidate_text"),
        *("candidate_turn_id", "intended_class", "derived_from_id", "chosen_in_id"),
        *("score_of_id", "metadata"),
    )
    # Model objects of 5000 items would take half a second.
    RowWriter(Item, names, study_id=study.pk, pool_id=pool.pk).write(
        (
            number,
            item.key,
            item.target_text,
            turns[item.target_turn_id].pk if item.target_turn_id else None,
            item.candidate_text,
            turns[item.candidate_turn_id].pk if item.candidate_turn_id else None,
            item.intended_class,
            item.pk,
            item.chosen_in_id,
            # A score from a column is nobody's who could withdraw.
            item.pk if score.result else None,
            metadata,
        )
        for number, (item, (score, metadata)) in enumerate(
            zip(items, scores, strict=True), start=1
        )
    )


@receiver(answers_withdrawn)
def forget_scores(held: Sequence[Assignment], **_kwargs: object) -> None:
    """A review keeps the scores that it was begun with, but those of which no answer is left."""
    if not held:
        return
    annotator = held[0].annotator
    reviewed = Item.objects.filter(score_of__study=annotator.study_id, metadata__has_key=RESERVED)
    if not reviewed.exists():
        return
    items = {item.score_of_id for item in reviewed.only("score_of") if item.score_of_id}
    unanswered = counted_answers.unanswered(annotator.study, items)
    gone = [item for item in hold_with_studies(reviewed) if item.score_of_id in unanswered]
    for item in gone:
        del item.metadata[RESERVED]
    update_rows(gone, ["metadata"])
    tell_later_rounds(annotator, Counter(item.study_id for item in gone))


def _fit_design(study: Study, n_items: int, *, in_context: bool) -> None:
    """Everybody labels every item, in its context if it has one."""
    design = study.design
    condition = Phase.Condition.DEPENDENT if in_context else Phase.Condition.FREE
    phases = [{**design.parameters["phases"][0], "condition": condition.value}]
    design.parameters = {**design.parameters, "items_per_booklet": n_items, "phases": phases}
    design.save(update_fields=["parameters"])
