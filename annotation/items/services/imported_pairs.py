"""Ratings and labels that were finished before: a file of answers becomes an imported study."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from uuid import uuid4

from django.conf import settings

from annotation.basics import clock
from annotation.basics.categories import Categories
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import imported_totals, jobs
from annotation.core.services.many_rows import RowWriter, large_cache, reserve_keys
from annotation.items.imports.foreign.parsed_answers import Answer, Pair, ParsedAnswers
from annotation.items.services.answer_rows import (
    ImportedJudgments,
    analyse,
    assignment_writer,
    filling_with_answers,
    make_annotators,
    run_writer,
)
from annotation.kinds.design_parameters import RatingParameters
from annotation.models import (
    Assignment,
    Block,
    Booklet,
    Choice,
    Design,
    Item,
    Judgment,
    Phase,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.items import ONE_POOL
from annotation.models.kinds import Source
from annotation.studies.services import imported_studies
from annotation.studies.services.filling import Filling

# The items that a study has, by primary key.
KnownPairs = list[tuple[int, Pair]]


def known_pairs(study: Study) -> KnownPairs:
    items = study.items.without_checks().order_by("number")
    rows = items.values_list(
        *("pk", "key", "target_text", "target_turn__text"),
        *("candidate_text", "candidate_turn__text"),
    )
    return [
        (
            pk,
            Pair(
                key,
                # An item without a target has neither.
                (target_turn or "") if target is None else target,
                candidate_turn if candidate is None else candidate,
            ),
        )
        for pk, key, target, target_turn, candidate, candidate_turn in rows.iterator()
    ]


def store(
    *,
    study: Study,
    known: KnownPairs,
    parsed: ParsedAnswers,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    run: jobs.Run | None = None,
    left_out: Mapping[str, int] | None = None,
) -> ImportedJudgments:
    """Fill a draft with finished answers: it is imported then, to be scored and not answered.

    Each person has a booklet with what they answered, in the order of the file. Items are made
    from the file if the study has none, categories if nobody described them. All or nothing; a
    job, with its `run`, stores them in short transactions.
    """
    known_pks = [pk for pk, _pair in known]
    with (
        large_cache(),
        filling_with_answers(study, run, parsed, known_pks, progress) as draft,
    ):
        design = draft.study.design
        draft.delete_design()
        pks = known_pks or _make_items(draft, parsed)
        _make_rows(draft, design, parsed, pks)
        totals = imported_totals.of(design)
        totals.left_out = dict(left_out or {})
        with draft.finish() as closed:
            if parsed.categories and not closed.categories:
                closed.categories = Categories(parsed.categories, parsed.is_several).as_json
                closed.save(update_fields=["categories"])
            _close(closed, closed.design, parsed)
            totals.save()
            draft.note(imported={})
    analyse()
    progress(1.0, _("%(n)s answers imported") % {"n": len(parsed)})
    return ImportedJudgments(
        n_judgments=len(parsed),
        n_annotators=len(parsed.annotators),
        n_tuples=0,
        n_items=len(pks),
    )


def _make_items(draft: Filling, parsed: ParsedAnswers) -> Sequence[int]:
    study = draft.study
    # One without items may be left of earlier ones.
    pool = study.pools.filter(key=ONE_POOL).first()
    if pool is None:
        (pool,) = draft.insert(Pool, [Pool(study=study, key=ONE_POOL, number=1)])
    pks = draft.reserve_keys(Item, len(parsed.items))
    writer = RowWriter(
        Item,
        ("id", "number", "key", "target_text", "candidate_text"),
        study_id=study.pk,
        pool_id=pool.pk,
    )
    draft.write(
        writer,
        (
            (pk, number, pair.key, pair.target or None, pair.candidate)
            for number, (pk, pair) in enumerate(zip(pks, parsed.items, strict=True), start=1)
        ),
    )
    return pks


def _make_rows(draft: Filling, design: Design, parsed: ParsedAnswers, pks: Sequence[int]) -> None:
    """A booklet, a place, an assignment and a run for each person, then the answers in batches."""
    study = draft.study
    now = clock.now()
    condition = Phase.Condition.FREE
    (phase,) = draft.insert(Phase, [Phase(design=design, number=1, condition=condition)])
    (block,) = draft.insert(Block, [Block(phase=phase, number=1, purpose=Block.Purpose.MAIN)])
    n_people = len(parsed.annotators)
    annotators: list[int] = []
    draft.in_batches(
        range(n_people),
        lambda fresh: annotators.extend(
            pk for _n, pk in make_annotators(study, parsed.annotators, fresh)
        ),
    )
    booklets = draft.reserve_keys(Booklet, n_people)
    draft.write(
        RowWriter(Booklet, ("id", "number", "n_screens"), design_id=design.pk),
        (
            (pk, number, n_answers)
            for number, (pk, n_answers) in enumerate(
                zip(booklets, parsed.answers_per_annotator(), strict=True), start=1
            )
        ),
    )
    places = draft.reserve_keys(Place, n_people)
    draft.write(
        RowWriter(Place, ("id", "booklet_id"), number=1, source=Source.IMPORTED),
        zip(places, booklets, strict=True),
    )
    assignments = draft.reserve_keys(Assignment, n_people)
    draft.write(
        assignment_writer(now), zip(assignments, annotators, booklets, places, strict=True)
    )
    draft.write(run_writer(phase, now), zip(assignments, places, strict=True))
    numbered = (
        (screen, answer)
        for _annotator, answers in groupby(parsed, key=attrgetter("annotator"))
        for screen, answer in enumerate(answers, start=1)
    )
    questions = RowWriter(
        Question,
        ("id", "booklet_id", "screen", "item_id"),
        block_id=block.pk,
        position=1,
        kind=study.kind,
    )
    judgments = RowWriter(
        Judgment,
        (
            *("id", "assignment_id", "question_id", "rating", "comment", "active_ms"),
            *("answered_at", "idempotency_key"),
        ),
        kind=study.kind,
    )
    choices = RowWriter(Choice, ("judgment_id", "category"))

    def write(batch: list[tuple[int, Answer]]) -> None:
        question_pks = reserve_keys(Question, len(batch))
        questions.write(
            (question, booklets[answer.annotator], screen, pks[answer.item])
            for question, (screen, answer) in zip(question_pks, batch, strict=True)
        )
        answers = [answer for _screen, answer in batch]
        judgment_pks = reserve_keys(Judgment, len(batch))
        judgments.write(
            (
                judgment,
                assignments[answer.annotator],
                question,
                None if isinstance(answer.value, tuple) else answer.value,
                answer.comment,
                answer.active_ms,
                answer.answered_at,
                uuid4(),
            )
            for judgment, question, answer in zip(judgment_pks, question_pks, answers, strict=True)
        )
        choices.write(
            (judgment, name)
            for judgment, answer in zip(judgment_pks, answers, strict=True)
            if isinstance(answer.value, tuple)
            for name in answer.value
        )

    draft.in_batches(numbered, write)


def _close(study: Study, design: Design, parsed: ParsedAnswers) -> None:
    now = clock.now()
    design.parameters = {
        "imported": True,
        **asdict(
            RatingParameters(
                ratings_per_item=max(Counter(parsed.numbers_of_items()).values()),
                items_per_booklet=max(parsed.answers_per_annotator()),
            )
        ),
    }
    # Nothing was drawn, so there is nothing to certify.
    design.certificate = None
    design.made_at = design.frozen_at = now
    design.code_version = settings.VERSION
    design.save(
        update_fields=["parameters", "certificate", "made_at", "frozen_at", "code_version"]
    )
    imported_studies.note(study)
