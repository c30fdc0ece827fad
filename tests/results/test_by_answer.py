"""Results by what people answered about themselves: who they are, and what agrees."""

from typing import Any

import numpy as np
import pytest
from django.utils import timezone

import scoring
from annotation.answering.services import withdrawal
from annotation.core.services import audit_log, jobs
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Annotator, Job, QuestionnaireReply, Study
from tests.support.api import Caller, problems
from tests.support.rating import join, make_rating_study, rate_phase
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

NATIVE = {
    "key": "native",
    "kind": "choice",
    "text": "Is English your <first> language?",
    "options": [{"code": "yes", "text": "Yes"}, {"code": "no", "text": "No"}],
}
SKILLS = {
    "key": "skills",
    "kind": "choices",
    "text": "Which of these can you do?",
    "options": [{"code": "read", "text": "Read"}, {"code": "yes", "text": "Write"}],
}


@pytest.fixture
def study() -> Study:
    """Six people rate twelve pairs: four native speakers alike, two others against them."""
    study = make_rating_study(pairs=12, ratings_per_item=6, items_per_booklet=12)
    study.questionnaires = {"before": {"questions": [NATIVE, SKILLS]}}
    # The questions of an open study are frozen; this one is filled in a moment later.
    Study.objects.filter(pk=study.pk).update(questionnaires=study.questionnaires)
    rng = np.random.default_rng(1)
    for person in range(6):
        assignment = join(study).assignment
        is_native = person < 4

        def rating(question: Any, is_native: bool = is_native) -> str:
            n = int(question.item.key.removeprefix("p"))
            latent = n / 2 if is_native else 6 - n / 2
            return str(int(np.clip(round(latent + rng.normal(0, 0.7)), 0, 6)))

        reply(assignment.annotator, native="yes" if is_native else "no", skills=["read"])
        rate_phase(assignment, ratings=rating)
    return study


def reply(annotator: Annotator, *, is_complete: bool = True, **values: Any) -> None:
    now = timezone.now()
    QuestionnaireReply.objects.update_or_create(
        annotator=annotator,
        moment="before",
        defaults={
            "values": values,
            "saved_at": now,
            "completed_at": now if is_complete else None,
        },
    )


def natives(study: Study) -> list[str]:
    replies = QuestionnaireReply.objects.filter(
        annotator__study=study, values__native="yes", completed_at__isnull=False
    )
    return sorted(replies.values_list("annotator__pseudonym", flat=True))


def test_people_are_shown_by_an_answer_and_compared_by_it(study: Study) -> None:
    client = signed_in(study.owner)

    shown = client.get(url(study, "people"), {"answer": "native=yes"})
    assert sorted(row.pseudonym for row in shown.context["rows"]) == natives(study)
    # An answer that nobody can give shows everybody.
    assert len(client.get(url(study, "people"), {"answer": "native=x"}).context["rows"]) == 6
    client.post(url(study, "compare"), {"group": "answer", "answer": "native=yes"})
    job = Job.objects.get(kind=Job.Kind.COMPARE)
    jobs.run(job.pk)
    job.refresh_from_db()

    page = client.get(url(study, "comparison", job.pk))
    assert page.context["answer"] == "Is English your <first> language? – Yes"
    assert b"your &lt;first&gt; language" in page.content
    (part,) = job.figures["parts"]
    (phase,) = read_ratings(study, "people").phases
    pks = list(read_ratings(study, "people").annotator_pks)
    theirs = set(
        Annotator.objects.filter(pseudonym__in=natives(study)).values_list("pk", flat=True)
    )
    is_native = np.array([pk in theirs for pk in pks])[phase.main.annotator]
    alone, others = phase.main.of_rows(is_native), phase.main.of_rows(~is_native)
    for side, batch in (("with", phase.main), ("without", others), ("alone", alone)):
        found = part["agreement"]["alpha"][side]["value"]
        assert found == pytest.approx(scoring.rating_alpha(batch, level="interval").value)
    assert part["agreement"]["alpha"]["alone"]["value"] > 0.5
    means = [scoring.unit_scores(batch).mean for batch in (alone, others)]
    assert part["apart"]["pearson"] == pytest.approx(float(scoring.pearson(*means)))
    assert part["apart"]["pearson"] < -0.5
    assert f"{part['apart']['pearson']:.3f}".replace("-", "\N{MINUS SIGN}") in text(page)


def test_the_api_has_all_of_it(study: Study) -> None:
    api = Caller(study)
    # A draft is nobody's answer yet.
    last = study.annotators.order_by("pk").last()
    assert last is not None
    reply(last, is_complete=False, native="yes")

    listed = api.get("annotators/?answer=native%3Dyes").json()["results"]
    assert sorted(one["pseudonym"] for one in listed) == natives(study)
    # The same code of another question is another answer.
    assert api.get("annotators/?answer=skills%3Dyes").json()["results"] == []
    assert set(problems(api.get("annotators/?answer=native%3Dx"))) == {"answer"}
    elsewhere = join(make_rating_study(pairs=1, items_per_booklet=1)).annotator
    reply(elsewhere, native="yes")
    replies = api.get("questionnaires/replies/").json()["results"]
    assert len(replies) == 5
    assert audit_log.has_downloaded(study=study, what="questionnaire replies", by=study.owner)
    assert [one["values"]["native"] for one in replies] == ["yes"] * 4 + ["no"]
    assert api.get("questionnaires/replies/?population=simulated").json()["results"] == []

    assert set(problems(api.post("comparisons/", answer="native=x"))) == {"answer"}
    assert set(problems(api.post("comparisons/"))) == {"without"}
    both = api.post("comparisons/", answer="native=yes", without=natives(study))
    assert set(problems(both)) == {"without"}
    job = Job.objects.get(pk=api.post("comparisons/", answer="native=yes").json()["id"])
    jobs.run(job.pk)
    whole = api.get(f"comparisons/{job.pk}/").json()
    assert (sorted(whole["without"]), whole["answer"]) == (natives(study), "native=yes")
    (part,) = whole["parts"]
    assert set(part["agreement"]["icc"]) == {"with", "without", "alone"}
    assert part["apart"]["n_both"] == 12

    gone = study.annotators.get(pseudonym=natives(study)[0])
    withdrawal.withdraw(annotator=gone)
    replies = api.get("questionnaires/replies/").json()["results"]
    assert gone.pseudonym not in {one["annotator"] for one in replies}
