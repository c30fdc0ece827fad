"""One small scored study of each kind, with texts that are hard to read back, as releases."""

import io
import zipfile
from datetime import UTC, datetime
from statistics import mean
from typing import Any

from django.apps import apps
from django.db.models import JSONField, QuerySet

from annotation.answering.services import assignments
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.exports.release_facts import Author, Change, ReleaseFacts
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import Item, Job, Judgment, Pick, Study, Turn
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from annotation.studies.services import studies
from scoring.baselines import Specification
from tests.support import labelled, rating, selecting
from tests.support.answering import answer_one
from tests.support.baseline_studies import compute
from tests.support.factories import join, make_study

# Readers of tables take some of these for numbers, for nothing, or for the end of a line.
TEXTS = [
    "NA",
    "null",
    "nan",
    "007",
    "1.50",
    'She said "no"\tand left\nat once.',
    "old mac\rlines",
    "two\r\nlines",
    "true",
    "قال: لا",
]
MADE_AT = datetime(2026, 11, 20, 12, 30, tzinfo=UTC)


def facts(**more: Any) -> ReleaseFacts:
    usual = {
        "number": 2,
        "made_at": MADE_AT,
        "title": "Similar answers",
        "summary": "Pairs of texts and how alike people find them.",
        "authors": (
            Author("Ada van der Berg", "Somewhere", "0000-0002-1825-0097"),
            Author("Novák, Jiří"),
        ),
        "licence": "CC-BY-4.0",
        "url": "https://example.org/data",
        "doi": "10.1234/abc",
        "keywords": ("similarity", "a: b"),
        "changes": (
            Change(2, MADE_AT, ("One person withdrew.",)),
            Change(1, datetime(2026, 10, 1, tzinfo=UTC), ("First release.",)),
        ),
        "datasheet": {"purpose": "To measure:\n# not a heading\n```python\nraise SystemExit\n```"},
    }
    return ReleaseFacts(**{**usual, **more})


def write(study: Study, release: ReleaseFacts) -> bytes:
    file = io.BytesIO()
    archive.write_archive(study, "people", file, release=release)
    return file.getvalue()


def files_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        return {name: members.read(name) for name in members.namelist()}


def _score(study: Study) -> None:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    assert job.state == Job.State.DONE, job.problems


def best_worst() -> Study:
    """Two dialogues in 20 tuples with two answers each; a third person is excluded; measures."""
    study = make_study(max_booklets=0)
    for item, said in zip(study.items.order_by("number"), TEXTS, strict=True):
        item.candidate_text = said
        item.save(update_fields=["candidate_text"])
    design = study.design
    design.parameters = {**design.parameters, "annotations_per_tuple": 3}
    design.save()
    designs.make(design=design)
    study = studies.open_study(study=study)
    for person in range(3):
        joined = join(study)
        for place, question in enumerate(joined.assignment.booklet.questions.all()):
            # The second changes their mind of every third tuple.
            worst = 2 if person == 1 and place % 3 == 0 else 1
            answer_one(joined.assignment, question, best=0, worst=worst)
        assignments.submit(assignment=joined.assignment)
    exclusions.exclude(annotator=joined.annotator, reason="Too fast.", by=study.owner)
    study = studies.close(study=study)
    _score(study)
    job = compute(study, Specification("squad_f1"), options=ReportOptions(n_resamples=10))
    assert job.state == "done", job.error
    return study


def ratings() -> Study:
    """Six pairs, rated by two people without context and, after a pause, in context."""
    study = rating.make_rating_study(phases=rating.TWICE, ratings_per_item=2, pairs=6)
    _nasty_turns(study)
    for person in range(2):
        assignment = rating.join(study).assignment
        for phase in range(2):
            if phase:
                labelled.open_next_phase(assignment)
            rating.rate_phase(
                assignment,
                ratings=lambda question, n=person + phase: str((question.item.number + n) % 7),
            )
    _score(study)
    return study


def labels() -> Study:
    study = labelled.make_label_study(domains=("news", "sport"), phases=rating.TWICE)
    _nasty_turns(study)
    keys = [f"p{n}" for n in range(1, 7)]
    labelled.label_all(
        study,
        *(
            [labelled.said_of(keys, codes), labelled.said_of(keys, "srrsoo")]
            for codes in ("ssrsoo", "ssrroo", "ssooor")
        ),
    )
    _score(study)
    return study


def selections() -> Study:
    study = selecting.make_selection_study()
    _nasty_turns(study)
    assignment = selecting.join(study).assignment
    selecting.select_all(assignment)
    return study


def _nasty_turns(study: Study) -> None:
    turns = list(Turn.objects.filter(context__study=study).order_by("context", "position"))
    for turn, said in zip(turns, TEXTS * len(turns), strict=False):
        turn.text = said
        turn.save(update_fields=["text"])


def reorder_json() -> None:
    """Let each object that is stored have its keys from behind; PostgreSQL sorts them itself."""
    for model in apps.get_app_config("annotation").get_models():
        names = [f.attname for f in model._meta.concrete_fields if isinstance(f, JSONField)]
        for row in model._default_manager.values("pk", *names) if names else ():
            found = {name: _reordered(row[name]) for name in names}
            if any(found.values()):
                model._default_manager.filter(pk=row["pk"]).update(**found)


def _reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reordered(value[name]) for name in reversed(value)}
    return [_reordered(one) for one in value] if isinstance(value, list) else value


def truth(study: Study) -> dict[str, list[Any]]:
    """Columns of the data set itself, row by row, from the database alone."""
    if study.kind == "selection":
        picks = list(
            Pick.objects.filter(judgment__assignment__annotator__study=study).order_by(
                "judgment", "pk"
            )
        )
        return {
            "text1": [pick.judgment.question.turn.text for pick in picks],
            "text2": [pick.turn.text for pick in picks],
            "rating": [float(pick.rating) for pick in picks],
            "incident": ["i1"] * len(picks),
        }
    items = list(study.items.order_by("number"))
    if study.kind == "label":
        # A row for each of the two phases.
        items = [item for item in items for _phase in range(2)]
    found: dict[str, list[Any]] = {"id": [item.key for item in items]}
    if study.kind == "best_worst":
        result = study.results.get()
        scores = [result.item_scores.get(item=item) for item in items]
        return {
            **found,
            "candidate": [item.candidate for item in items],
            "target": [item.target for item in items],
            "score": [one.score for one in scores],
            "utility": [one.utility for one in scores],
            "appearances": [one.appearances for one in scores],
        }
    found["text_1"] = [item.target for item in items]
    found["text_2"] = [item.candidate for item in items]
    if study.kind == "rating":
        found["mean"] = [
            float(mean(judgment.rating for judgment in _of(study, item, phase=1)))
            for item in items
        ]
    else:
        found["n"] = [
            _of(study, item, phase=1 + place % 2).count() for place, item in enumerate(items)
        ]
    return found


def _of(study: Study, item: Item, *, phase: int) -> QuerySet[Judgment]:
    return Judgment.objects.filter(
        question__item=item, question__block__phase__number=phase, superseded_at=None
    )
