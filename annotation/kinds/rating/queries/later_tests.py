"""Which pairs later rounds of a study test: they are no training data of the study."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models.functions import Coalesce

from annotation.basics.errors import StateError
from annotation.basics.scored_pairs import is_new, pair_key
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.researchers import owner_edits
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries import baseline_pairs
from annotation.kinds.selection.queries.pick_rows import (
    SelectionRows,
    TrainingPairs,
    training_pairs,
)
from annotation.models import Job, Member, Question, Study
from annotation.models.kinds import QuestionKind

_CHUNK = 2000
_CACHED_SECONDS = 24 * 60 * 60
# The filters N1 and N2.
LIMITS = (1, 2)


@dataclass(frozen=True)
class TrainingSplit:
    """The pairs of a selection study, parted by whether a later round tests them."""

    train: TrainingPairs
    held_out: TrainingPairs
    # The rounds that test at least one of the pairs.
    rounds: tuple[Study, ...]

    def titles(self, owner_id: int) -> list[str]:
        """Of the rounds of one researcher; a colleague's may be nobody else's business."""
        return [study.title for study in self.rounds if study.owner_id == owner_id]


@dataclass(frozen=True)
class SplitCounts:
    """How many pairs the files of a split have, and the keys of the rounds that test some."""

    train: int
    # The numbers of pairs that each filter keeps, by its limit.
    within: dict[int, int]
    held_out: int
    rounds: tuple[int, ...]


def counts(study: Study) -> SplitCounts:
    """How large the parts are of what people selected; read anew only where something changed.

    Raises StateError as `split` does.
    """
    rounds = rounds_after(study)
    _refuse_unfilled(rounds)
    stamps = [
        (
            later.pk,
            *baseline_pairs.stamp(later).values(),
            *later.designs.values_list("pk", "made_at"),
        )
        for later in rounds
    ]
    # A draft's parameters, which decide whether it tests, change without a new design.
    testing = [later.pk for later in testing_rounds(study)]
    seen = repr((study.pk, counted_answers.basis(study, "people"), stamps, testing))
    key = f"training-split-{hashlib.sha256(seen.encode()).hexdigest()}"
    counted: SplitCounts | None = cache.get(key)
    if counted is None:
        parted = split(study, training_pairs(SelectionRows(study.design, "people")))
        counted = SplitCounts(
            len(parted.train),
            {limit: len(parted.train.within(limit)) for limit in LIMITS},
            len(parted.held_out),
            tuple(later.pk for later in parted.rounds),
        )
        cache.set(key, counted, _CACHED_SECONDS)
    return counted


def split(study: Study, pairs: TrainingPairs) -> TrainingSplit:
    """Part the training pairs of a study: no pair that a later round tests is to train on.

    Raises StateError while a later round is being filled: what it tests is not known yet.
    """
    _refuse_unfilled(rounds_after(study))
    rounds = testing_rounds(study)
    if not rounds:
        return TrainingSplit(pairs, pairs.part([False] * len(pairs)), ())
    texts = [pair.texts for pair in pairs.pairs]
    own = {pair_key(*text) for text in texts}
    keys_of_rounds = {later.pk: own & set(_keys(later)) for later in rounds}
    is_train = is_new(texts, {key for keys in keys_of_rounds.values() for key in keys})
    return TrainingSplit(
        pairs.part(is_train.tolist()),
        pairs.part((~is_train).tolist()),
        tuple(later for later in rounds if keys_of_rounds[later.pk]),
    )


def _refuse_unfilled(rounds: Sequence[Study]) -> None:
    is_coming = Job.objects.filter(
        study__in=rounds, kind__in=Job.COPYING_KINDS, state__in=Job.UNFINISHED
    )
    if any(later.filling_job_id for later in rounds) or is_coming.exists():
        raise StateError(
            _(
                "A later round is copying its items, which must not be in the training data. "
                "Try again in a moment."
            )
        )


def tested_keys(study: Study) -> set[str]:
    """`pair_key` of every pair that a later round tests: no model is to be trained on them.

    Raises StateError as `split` does.
    """
    _refuse_unfilled(rounds_after(study))
    return {key for later in testing_rounds(study) for key in _keys(later)}


def testing_rounds(study: Study) -> list[Study]:
    """The later rounds whose pairs are no training data: all but those that only prepared one.

    A round that asks for several ratings of each pair tests them, whatever comes after it. One
    that asks for a single rating prepares the round of ratings that took its items from it, and
    tests only as long as there is no such round. A check by experts is no round of ratings.
    """
    rounds = rounds_after(study)
    continued = {
        later.earlier_round_id
        for later in rounds
        if later.kind == QuestionKind.RATING and later.items.exists()
    }
    return [later for later in rounds if later.pk not in continued or _has_several_ratings(later)]


def _has_several_ratings(study: Study) -> bool:
    """Whether several people are asked about the same pair."""
    return RatingParameters.of(study.design).ratings_per_item > 1


def rounds_after(study: Study) -> list[Study]:
    """The studies that continue a study, or one that continues it, and so on.

    A pilot tests nothing: it tries out the study that it was made of. Nor does a study of somebody
    who may not change the earlier one any more: its owner does not know of it.
    """
    by_pk: dict[int, Study] = {}
    level = [study.pk]
    while level:
        later = Study.objects.filter(earlier_round__in=level, pilot_of=None).order_by("pk")
        new = [
            study
            for study in later.select_related("owner", "earlier_round")
            if study.pk not in by_pk
            and study.earlier_round is not None
            and owner_edits(study, study.earlier_round)
        ]
        by_pk |= {study.pk: study for study in new}
        level = [study.pk for study in new]
    return list(by_pk.values())


def _keys(study: Study) -> Iterator[str]:
    """The keys of the pairs that a study asks about; of all items, if it has no design yet."""
    items = study.items.without_checks()
    if study.designs.filter(made_at__isnull=False).exists():
        questions = Question.objects.filter(block__phase__design__study=study)
        compared = Member.objects.filter(tuple__design__study=study)
        items = items.filter(
            pk__in=questions.filter(item__isnull=False).values("item")
        ) | items.filter(pk__in=compared.values("item"))
    texts = items.order_by("pk").values_list(
        Coalesce("target_text", "target_turn__text"),
        Coalesce("candidate_text", "candidate_turn__text"),
    )
    for target, candidate in texts.iterator(chunk_size=_CHUNK):
        # A single text has no target.
        yield pair_key(target or "", candidate)
