"""Linked rounds: a rating study whose items were rated, or selected, in an earlier study."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Avg

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers, snapshots
from annotation.core.services import jobs, repeated_jobs
from annotation.core.services.bounded_writes import Insert
from annotation.core.services.locks import lock_study
from annotation.designs.services import drawn_groups
from annotation.designs.services.drawn_groups import Part
from annotation.items.services.imports import drop_items
from annotation.kinds.answer_kinds import ROLES
from annotation.kinds.design_parameters import RatingParameters, SelectionParameters
from annotation.kinds.services import copied_material
from annotation.kinds.services.design_rows import insert
from annotation.models import (
    Block,
    Item,
    Job,
    Judgment,
    Pool,
    Study,
    Turn,
)
from annotation.models.kinds import QuestionKind
from annotation.studies.services.copies import ITEMS_ARE_THERE
from annotation.studies.services.filling import filling, take_up_again

RATING = QuestionKind.RATING.value
EVERYTHING = Part()
_THOUSANDTH = Decimal("0.001")
# What is stored of such a study does not grow any more.
# Of an incident's name in that of its pairs: as long as the column is, with room for the rest.
_LONGEST_NAME = 120
_CHUNK = 2000


@dataclass(frozen=True)
class Continued:
    """What was copied, and how many of the items have a rating from the earlier round."""

    n_items: int
    n_rated: int


# -- In the background --------------------------------------------------------------------------


def refuse(
    *,
    earlier: Study,
    part: Part = EVERYTHING,
    study: Study | None = None,
    kind: str = RATING,
) -> None:
    """Raise what would be refused, before anything is made: all else is done by a job.

    `study`: the draft, where there is one already; else its `kind`.
    """
    _check_earlier(earlier, kind=study.kind if study else kind)
    part.check()
    n = drawn_groups.count(earlier)
    # What calibrates or checks is in no group, and taken as it is.
    if not n and not earlier.items.exists():
        raise _nothing_in(earlier)
    drawn_groups.refuse_more(n, part.n_groups)


def request(*, study: Study, earlier: Study, part: Part = EVERYTHING, by: User) -> Job:
    """Queue the copying of an earlier study's items into a draft, in the place of those it has."""
    _check(study, earlier)
    part.check()
    return jobs.start(
        study=study,
        kind=Job.Kind.CONTINUE,
        parameters={"earlier": earlier.pk, **asdict(part)},
        by=by,
    )


@repeated_jobs.repeats(Job.Kind.CONTINUE)
def repeat(job: Job, by: User) -> Job:
    """Queue the last copying once more that failed or was cancelled."""
    study = job.study
    last = study.jobs.filter(kind=Job.Kind.CONTINUE).order_by("-pk").first()
    if last is None or study.earlier_round is None or study.has_material:
        raise StateError(ITEMS_ARE_THERE)
    if last.state not in Job.UNFINISHED:
        if not Study.objects.seen_by(by).filter(pk=study.earlier_round.pk).exists():
            raise StateError(_("The study to go on with is gone."))
        last = request(
            study=study,
            earlier=study.earlier_round,
            part=Part.of(last.parameters),
            by=by,
        )
    return last


@jobs.does(Job.Kind.CONTINUE)
def continue_job(run: jobs.Run) -> None:
    """Copy the items of an earlier study in short transactions; all of them, or none stays."""
    job = run.job
    earlier = jobs.seen_by_requester(job).filter(pk=job.parameters["earlier"]).first()
    if earlier is None:
        raise StateError(_("The study to go on with is gone."))
    take_up_again(run)
    run.progress(0.0, _("reading the earlier round"))
    n_done, n_all = 0, 1

    def begin(study: Study) -> None:
        _check(study, earlier)
        study.earlier_round = earlier
        study.save(update_fields=["earlier_round"])

    def on_rows(n: int) -> None:
        nonlocal n_done
        n_done += n
        run.progress(0.05 + 0.9 * min(n_done / n_all, 1.0), _("copying the items"))

    with filling(job.study, run, begin=begin, keeps_material=False, on_rows=on_rows) as draft:
        run.progress(0.02, _("deleting what was there"))
        draft.delete_material()
        study = draft.study
        # All that people said is of one moment; contexts and items are frozen.
        with snapshots.snapshot():
            material = _read(study, earlier, Part.of(job.parameters))
            n_all = material.n_rows
        _copy(study, earlier, material, draft.insert)
        with draft.finish() as study:
            material.finish(study)


# -- What is copied -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ratings:
    """Items of a rating study, and the means of what people said."""

    earlier: Study
    items: list[Item]
    means: dict[int, Decimal]
    n_rows: int

    def finish(self, study: Study) -> None:
        _name_calibration(study, self.earlier, {item.key for item in self.items})


@dataclass(frozen=True)
class _Picks:
    """Answers of a selection study, each three pairs, and a name for each."""

    chosen: list[Judgment]
    names: list[str]
    n_rows: int

    def finish(self, study: Study) -> None:
        """Nothing calibrates."""


def begin(*, study: Study, earlier: Study, part: Part = EVERYTHING) -> Continued:
    """Give a draft the items that an earlier study has for it, or a part of them.

    In one transaction: of a large study a job does it, see `request`.
    """
    part.check()
    if earlier.kind == QuestionKind.SELECTION:
        return items_from_picks(study=study, earlier=earlier, part=part)
    return _continue(study, earlier, _keys_of_part(study, earlier, part))


def continue_from(*, study: Study, earlier: Study, keys: Iterable[str] | None = None) -> Continued:
    """Copy the items of an earlier rating study into a draft, in the place of those it had.

    Contexts, groups, known answers and checks come along. What people rated there is the earlier
    rating here: the mean of the counted ratings. `keys` chooses some of the items. What calibrated
    there calibrates here, too, unless the draft names other items.

    Raises StateError unless the study is a draft and the earlier one is closed or finished.
    """
    wanted = None if keys is None else {*keys}
    if wanted is not None:
        every = earlier.items.order_by("number").values_list("key", flat=True)
        in_order = [key for key in every if key in wanted]
        return _continue(study, earlier, [*in_order, *sorted(wanted - {*in_order})])
    return _continue(study, earlier, None)


@transaction.atomic
def _continue(study: Study, earlier: Study, keys: Sequence[str] | None) -> Continued:
    study = lock_study(study.pk)
    earlier = Study.objects.get(pk=earlier.pk)
    _check(study, earlier)
    if earlier.kind != QuestionKind.RATING:
        raise StateError(_("%(study)s has no ratings to go on with.") % {"study": earlier.title})
    material = _read_ratings(earlier, keys)
    _make_room(study, earlier)
    _copy(study, earlier, material, insert)
    material.finish(study)
    return Continued(len(material.items), sum(i.pk in material.means for i in material.items))


@transaction.atomic
def items_from_picks(*, study: Study, earlier: Study, part: Part = EVERYTHING) -> Continued:
    """Make pairs of what was chosen in a selection study, in the place of a draft's items.

    Each counted answer gives a group of three pairs: the summary's sentence with the sentence of
    a report that was chosen for each role. The role is the intended class and the rating given
    with it the earlier one; the groups stand as they were made, person after person. Contexts are
    copied, so that the new study needs nothing of the earlier one. `part` chooses some of them.

    Raises StateError unless the study is a draft and the earlier one is closed or finished.
    """
    study = lock_study(study.pk)
    _check(study, earlier)
    if earlier.kind != QuestionKind.SELECTION:
        raise StateError(_("In %(study)s no sentences are selected.") % {"study": earlier.title})
    material = _read_picks(study, earlier, part)
    _make_room(study, earlier)
    _copy(study, earlier, material, insert)
    n_pairs = len(ROLES) * len(material.chosen)
    return Continued(n_pairs, n_pairs)


def _read(study: Study, earlier: Study, part: Part) -> _Ratings | _Picks:
    if earlier.kind == QuestionKind.SELECTION:
        return _read_picks(study, earlier, part)
    return _read_ratings(earlier, _keys_of_part(study, earlier, part))


def _keys_of_part(study: Study, earlier: Study, part: Part) -> list[str] | None:
    """The items of an earlier rating study in their new order; None: all as they are."""
    if part == EVERYTHING:
        return None
    return drawn_groups.keys_of_part(earlier, part, study=study)


def _copy(study: Study, earlier: Study, material: _Ratings | _Picks, insert: Insert) -> None:
    if isinstance(material, _Picks):
        _copy_picks(study, earlier, material, insert)
    else:
        _copy_ratings(study, earlier, material, insert)


def _read_ratings(earlier: Study, keys: Sequence[str] | None) -> _Ratings:
    every = {item.key: item for item in earlier.items.select_related("pool").order_by("number")}
    if keys is not None and (unknown := {*keys} - every.keys()):
        raise StateError(
            _("%(study)s has no item %(key)s. Choose from its items.")
            % {"study": earlier.title, "key": sorted(unknown)[0]}
        )
    items = list(every.values()) if keys is None else [every[key] for key in keys]
    if not items:
        raise _nothing_in(earlier)
    n_pools = len({item.pool_id for item in items})
    n_rows = _n_context_rows(earlier) + n_pools + len(items)
    return _Ratings(earlier, items, _mean_ratings(earlier), n_rows)


def _copy_ratings(study: Study, earlier: Study, material: _Ratings, insert: Insert) -> None:
    items, means = material.items, material.means
    contexts = copied_material.contexts(study, earlier, insert=insert)
    turns = copied_material.turns(earlier, contexts, insert=insert)
    pools = copied_material.pools(study, items, contexts, insert=insert)
    copies = copied_material.items(
        study,
        items,
        turns=turns,
        pools=pools,
        columns=lambda item: {
            "earlier_rating": means.get(item.pk, item.earlier_rating),
            "derived_from": item,
        },
        insert=insert,
    )
    copied_material.checks(study, earlier, items=copies, insert=insert)


def _read_picks(study: Study, earlier: Study, part: Part) -> _Picks:
    counted = _counted_selections(earlier)
    if not counted:
        raise _nothing_in(earlier)
    if part.n_first is not None:
        keys = drawn_groups.first_of_each(counted, part.n_first)
    else:
        keys = drawn_groups.draw([key for _person, key in counted], part.n_groups, study=study)
    chosen = _selections(keys)
    n_rows = _n_context_rows(earlier) + (1 + len(ROLES)) * len(chosen)
    return _Picks(chosen, _names_of_selections(earlier, chosen), n_rows)


def _copy_picks(study: Study, earlier: Study, material: _Picks, insert: Insert) -> None:
    # Of incidents of which nothing was chosen nobody sees anything.
    incidents = {
        judgment.question.turn.context.group_id
        for judgment in material.chosen
        if judgment.question.turn is not None
    }
    of_incident = earlier.contexts.order_by("pk").values_list("pk", "group")
    shown = {pk for pk, incident in of_incident if incident in incidents}
    contexts = copied_material.contexts(study, earlier, only=shown, insert=insert)
    turns = copied_material.turns(earlier, contexts, insert=insert)
    pools = insert(
        Pool,
        (Pool(study=study, key=name, number=n) for n, name in enumerate(material.names, start=1)),
    )
    pairs = [
        (pool, judgment, picks[role])
        for pool, judgment in zip(pools, material.chosen, strict=True)
        for picks in [{pick.role: pick for pick in judgment.picks.all()}]
        for role in ROLES
    ]
    insert(
        Item,
        (
            Item(
                study=study,
                pool=pool,
                number=number,
                key=f"{pool.key}/{pick.role}",
                target_turn=turns[judgment.question.turn_id],
                candidate_turn=turns[pick.turn_id],
                earlier_rating=pick.rating,
                intended_class=pick.role,
                metadata={"annotator": judgment.assignment.annotator.pseudonym},
            )
            for number, (pool, judgment, pick) in enumerate(pairs, start=1)
            if judgment.question.turn_id is not None
        ),
    )


def _n_context_rows(earlier: Study) -> int:
    n_turns = Turn.objects.filter(context__study=earlier).count()
    return earlier.context_groups.count() + earlier.contexts.count() + n_turns


def _nothing_in(earlier: Study) -> StateError:
    if earlier.kind == QuestionKind.SELECTION:
        return StateError(
            _("%(study)s has no completed booklets, so no pairs.") % {"study": earlier.title}
        )
    return StateError(_("%(study)s has no items to go on with.") % {"study": earlier.title})


def _counted_selections(earlier: Study) -> list[tuple[int, int]]:
    """Whose each answer is that counts, and its key, person after person in their order."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return []
    return list(
        drawn_groups.counted_selections(earlier)
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
        .values_list("assignment__annotator", "pk")
    )


def _selections(keys: Sequence[int]) -> list[Judgment]:
    """The answers with these keys, in this order, with what their pairs are made of."""
    rows = Judgment.objects.select_related(
        "question__turn__context__group", "assignment__annotator"
    ).prefetch_related("picks")
    found: dict[int, Judgment] = {}
    for start in range(0, len(keys), _CHUNK):
        found |= rows.in_bulk(keys[start : start + _CHUNK])
    return [found[key] for key in keys]


def _names_of_selections(earlier: Study, chosen: list[Judgment]) -> list[str]:
    """A name for each answer: its incident and sentence, and of several people also whose."""
    has_several = SelectionParameters.of(earlier.design).people_per_incident > 1
    names = []
    for judgment in chosen:
        turn = judgment.question.turn
        assert turn is not None  # constraint question_selection_has_turn
        assert turn.context.group is not None  # an incident is a group
        incident = turn.context.group.key
        if len(incident) > _LONGEST_NAME:
            incident = f"{incident[:_LONGEST_NAME]}…{turn.context.group_id}"
        whose = f"/{judgment.assignment.annotator.pseudonym}" if has_several else ""
        names.append(f"{incident}/{turn.position}{whose}")
    return names


def _make_room(study: Study, earlier: Study) -> None:
    drop_items(study)
    study.context_groups.all().delete()
    study.earlier_round = earlier
    study.save(update_fields=["earlier_round"])


def _check(study: Study, earlier: Study) -> None:
    if not study.is_draft:
        raise StateError(
            _("The items are frozen since the study was opened. Make a new study to continue.")
        )
    if study.pk == earlier.pk:
        raise StateError(_("A study cannot continue itself."))
    _check_earlier(earlier, kind=study.kind)


def _check_earlier(earlier: Study, *, kind: str) -> None:
    if kind != QuestionKind.RATING or not earlier.is_continued:
        raise StateError(
            _("Only a rating study continues an earlier study, one with ratings or a selection.")
        )
    if earlier.state not in Study.OVER:
        raise StateError(
            _("%(study)s still takes people. Close it first; then its answers are complete.")
            % {"study": earlier.title}
        )


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
