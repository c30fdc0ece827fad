"""What the next round takes of a rating study: items, and the means of what people said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from functools import partial

from django.db import transaction
from django.db.models import Avg, Exists, OuterRef, Q
from django.dispatch import receiver

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.services.bounded_writes import Insert
from annotation.core.services.locks import lock_study
from annotation.core.signals import answers_withdrawn, data_erased
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.services import copied_material
from annotation.kinds.services.drawn_groups import EVERYTHING, Part, draw, first_of_each
from annotation.kinds.services.earlier_rounds import (
    Continued,
    EarlierRound,
    hold,
    n_context_rows,
    renew_scores_of,
    tell_later_rounds,
)
from annotation.models import Annotator, Assignment, Block, Item, Judgment, Result, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind

_THOUSANDTH = Decimal("0.001")


class RatedRound(EarlierRound):
    """Items are copied, with contexts, groups, known answers and checks.

    What people rated there is the earlier rating here: the mean of the counted ratings. What
    calibrated there calibrates here, too, unless the draft names other items.
    """

    def count_groups(self, earlier: Study) -> int:
        return len(_groups(earlier))

    def read(self, study: Study, earlier: Study, part: Part) -> "_Ratings":
        every = {
            item.key: item for item in earlier.items.select_related("pool").order_by("number")
        }
        items = list(every.values())
        if part != EVERYTHING:
            items = [every[key] for key in keys_of_part(earlier, part, study=study)]
        if not items:
            raise self.nothing_in(earlier)
        n_pools = len({item.pool_id for item in items})
        n_rows = n_context_rows(earlier) + n_pools + len(items)
        return _Ratings(earlier, items, _mean_ratings(earlier), n_rows)

    def nothing_in(self, earlier: Study) -> StateError:
        return StateError(
            _("%(study)s has no items for the next round.") % {"study": earlier.title}
        )


@dataclass(frozen=True)
class _Ratings:
    """Items of a rating study, and the means of what people said."""

    earlier: Study
    items: list[Item]
    means: dict[int, Decimal]
    n_rows: int

    @property
    def continued(self) -> Continued:
        return Continued(len(self.items), sum(item.pk in self.means for item in self.items))

    def copy(self, study: Study, insert: Insert) -> None:
        contexts = copied_material.contexts(study, self.earlier, insert=insert)
        turns = copied_material.turns(self.earlier, contexts, insert=insert)
        pools = copied_material.pools(study, self.items, contexts, insert=insert)
        copies = copied_material.items(
            study,
            self.items,
            turns=turns,
            pools=pools,
            columns=lambda item: {
                "earlier_rating": self.means.get(item.pk, item.earlier_rating),
                "score_of_id": item.pk if item.pk in self.means else item.score_of_id,
                "derived_from": item,
            },
            insert=insert,
        )
        copied_material.checks(study, self.earlier, items=copies, insert=insert)

    def finish(self, study: Study) -> None:
        # Earlier ratings and known answers are on the earlier scale.
        study.scale = self.earlier.scale
        study.save(update_fields=["scale"])
        _name_calibration(study, self.earlier, {item.key for item in self.items})


@receiver(answers_withdrawn)
def renew_earlier_ratings(held: Sequence[Assignment], **_kwargs: object) -> None:
    """The means that later rounds have of ratings which are withdrawn: those of the others alone.

    An item that nobody else rated has none any more.
    """
    if not held or held[0].annotator.study.kind != QuestionKind.RATING:
        return
    annotator = held[0].annotator
    # Also what does not count any more: it may have counted when the later round was made.
    rated = Judgment.objects.filter(
        assignment__in=held,
        question__block__purpose=Block.Purpose.MAIN,
        question__block__phase__number=1,
    )
    items = set(rated.values_list("question__item", flat=True))
    means = _mean_ratings(annotator.study)
    beside = _rated_again_in(annotator, held)
    hold(beside)
    changed = renew_scores_of({item: means.get(item) for item in items})
    tell_later_rounds(annotator, changed | beside)


def _rated_again_in(annotator: Annotator, held: Sequence[Assignment]) -> Counter[int]:
    """Later rounds in which somebody took part: how many of their ratings these stand beside.

    Also where no mean changes: the ratings may be later than the means that the round took.
    """
    rated = Judgment.objects.filter(
        assignment__in=held, question__block__purpose=Block.Purpose.MAIN
    )
    same = Q(earlier_self=annotator)
    if annotator.person_id:
        same |= Q(person=annotator.person_id)
    later = Annotator.objects.filter(same, study__earlier_round=annotator.study)
    return +Counter(
        {
            study: rated.filter(
                Exists(Item.objects.filter(study=study, derived_from=OuterRef("question__item")))
            ).count()
            for study in later.values_list("study", flat=True)
        }
    )


@receiver(answers_withdrawn)
def forget_effects(held: Sequence[Assignment], **_kwargs: object) -> None:
    """Results of an earlier study that took in whether context changes the ratings of this one."""
    if not held or held[0].annotator.study.kind != QuestionKind.RATING:
        return
    study = held[0].annotator.study
    earlier = study.earlier_round
    while earlier is not None:
        if earlier.kind == QuestionKind.SELECTION:
            # Once this is certain: a worker may store one until then, and an earlier study is held
            # before a later one, or two people who withdraw would wait for each other.
            transaction.on_commit(partial(_forget_results, earlier.pk, study.pk), robust=True)
            data_erased.send(Assignment, study_id=earlier.pk)
        earlier = earlier.earlier_round


@transaction.atomic
def _forget_results(earlier: int, later: int) -> None:
    """Those of a study that a later round is among the sources of."""
    lock_study(earlier)
    for result in Result.objects.filter(study=earlier):
        if later in [source[0] for source in result.parameters.get("other_sources", ())]:
            result.delete()


def keys_of_part(earlier: Study, part: Part, *, study: Study) -> list[str]:
    """The items of a rating study that a part has, in the order of the next round.

    An item that is in no group is one of its own. What is not to be drawn is taken as it is: what
    checks, and what calibrates unless that is left out.
    """
    groups = _groups(earlier)
    if part.n_first is not None:
        chosen = _first_rated(earlier, groups, part.n_first)
    else:
        chosen = draw(groups, part.n_groups, study=study)
    data = {key for group in groups for key in group}
    others = [key for key in _keys(earlier) if key not in data]
    if not part.with_calibration:
        calibrates = {*RatingParameters.of(earlier.design).calibration}
        others = [key for key in others if key not in calibrates]
    keys = [key for group in chosen for key in group]
    if part.n_first is not None:
        return others + keys
    wanted = {*others, *keys}
    return [key for key in _keys(earlier) if key in wanted]


def _keys(earlier: Study) -> list[str]:
    return list(earlier.items.order_by("number").values_list("key", flat=True))


def _first_rated(
    earlier: Study, groups: Sequence[tuple[str, ...]], n_first: int
) -> list[tuple[str, ...]]:
    """The first groups of which each person rated an item, in the first phase's main block."""
    group_of = {key: group for group in groups for key in group}
    rated = (
        counted_answers.counted_judgments(earlier, "people")
        .filter(
            kind=QuestionKind.RATING,
            question__block__purpose=Block.Purpose.MAIN,
            question__block__phase__number=1,
        )
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
        .values_list("assignment__annotator", "question__item__key")
    )
    return first_of_each(
        ((person, group_of[key]) for person, key in rated.iterator() if key in group_of), n_first
    )


def _groups(earlier: Study) -> list[tuple[str, ...]]:
    """The keys of the items of each group of a rating study."""
    calibrates = {*RatingParameters.of(earlier.design).calibration}
    rows = earlier.items.without_checks().order_by("number").values_list("key", "pool__key")
    groups: dict[tuple[str, str], list[str]] = {}
    for key, pool in rows:
        if key not in calibrates:
            groups.setdefault((pool, key if pool == ONE_POOL else ""), []).append(key)
    return [tuple(group) for group in groups.values()]


def _name_calibration(study: Study, earlier: Study, copied: set[str]) -> None:
    design = study.design
    named = [key for key in RatingParameters.of(earlier.design).calibration if key in copied]
    if named and not RatingParameters.of(design).calibration:
        design.parameters = {**design.parameters, "calibration": named}
        design.save(update_fields=["parameters"])


def _mean_ratings(earlier: Study) -> dict[int, Decimal]:
    """The mean of the counted ratings of each item, in the earlier round's first phase."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return {}
    ratings = (
        counted_answers.counted_judgments(earlier, "people")
        .filter(
            kind=QuestionKind.RATING,
            question__block__purpose=Block.Purpose.MAIN,
            question__block__phase__number=1,
        )
        .order_by()
        .values_list("question__item")
        .annotate(mean=Avg("rating"))
    )
    return {
        item: Decimal(str(mean)).quantize(_THOUSANDTH, ROUND_HALF_EVEN) for item, mean in ratings
    }
