"""What becomes of answers to checks: their credit, their file, and no other."""

import csv
import io
import json
import zipfile
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client

from annotation.answering.services import assignments, withdrawal
from annotation.core.queries import counted_answers, progress
from annotation.core.services import jobs
from annotation.designs.services import rounds
from annotation.items.services import imports
from annotation.kinds.best_worst.queries import answers
from annotation.kinds.exports import checks
from annotation.kinds.queries import check_answers
from annotation.kinds.registry import kind_of
from annotation.models import Check, Job, Judgment, Study, Telling
from annotation.models.kinds import QuestionKind
from annotation.people.queries.people import person_rows
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from annotation.simulation import over_http, through_services
from annotation.studies.services import studies
from tests.answering.test_answering_checks import pick, rate
from tests.support.annotating import Participant
from tests.support.checking import (
    compared_texts,
    make_checked_comparisons,
    make_checked_ratings,
    rated_pairs,
)
from tests.support.rating import TWICE
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def _files(study: Study, population: counted_answers.Population = "people") -> dict[str, str]:
    made = io.BytesIO()
    archive.write_archive(study, population, made)
    with zipfile.ZipFile(made) as whole:
        return {name: whole.read(name).decode() for name in whole.namelist()}


def _rows(file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file), delimiter="\t"))


def _answer_all(person: Participant, says) -> None:
    """Go through a booklet and send it; `says(key)` is the rating, or best and worst."""
    questions = person.assignment.booklet.questions.select_related("item", "tuple__pool")
    for question in questions.order_by("screen"):
        if question.item:
            rate(person, question.screen, says(question.item.key))
        else:
            keys = [str(m.item) for m in question.tuple.members.order_by("item__number")]
            pick(person, question.screen, *says(keys))
    assignments.submit(assignment=person.assignment)


def _rated(table: str = "") -> tuple[Study, Participant]:
    study = make_checked_ratings(table)
    person = Participant(study)
    # c1 is a tutorial, c2 loud, c3 silent; all expect 6, and 5 is right.
    _answer_all(person, lambda key: {"c1": "0", "c2": "2", "c3": "5"}.get(key, "3"))
    return study, person


@pytest.mark.slow
def test_checks_have_a_file_of_their_own_with_credit_and_tellings() -> None:
    study, person = _rated()

    rows = {row["check"]: row for row in _rows(_files(study)["checks.tsv"])}

    assert [rows[key]["style"] for key in ("c1", "c2", "c3")] == ["tutorial", "loud", "silent"]
    assert {row["annotator"] for row in rows.values()} == {person.annotator.pseudonym}
    assert {row["status"] for row in rows.values()} == {"counted"}
    assert rows["c2"]["expected"] == "6"
    assert rows["c2"]["first_answer"] == rows["c2"]["last_answer"] == "2"
    # From a credit of 1 at 5 down to 0 at 0.
    assert [float(rows[key]["credit"]) for key in ("c1", "c2", "c3")] == [0, 0.4, 1]
    assert [rows[key]["n_tellings"] for key in ("c1", "c2", "c3")] == ["1", "1", "0"]
    assert len(json.loads(rows["c2"]["told_at"])) == 1
    assert rows["c3"]["told_at"] == ""


def test_what_counts_is_the_first_answer_that_somebody_was_told_of() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    person = Participant(study)
    screen = person.assignment.booklet.questions.get(item__key="c1").screen
    rate(person, screen, "0")
    rate(person, screen, "6")

    (row,) = _rows(_files(study)["checks.tsv"])

    assert (row["first_answer"], row["last_answer"], float(row["credit"])) == ("0", "6", 0.0)
    assert row["status"] == "unfinished"


@pytest.mark.slow
def test_ratings_of_checks_are_in_no_other_table_and_in_no_score() -> None:
    study, _person = _rated()
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})

    files = _files(study)

    assert {row["item"] for row in _rows(files["judgments.tsv"])} == {"p1", "p2", "p3", "p4"}
    assert {row["unit"] for row in _rows(files["ratings_1.tsv"])} == {"p1", "p2", "p3", "p4"}
    assert {row["id"] for row in _rows(files["test_free.tsv"])} == {"p1", "p2", "p3", "p4"}
    items = {row["id"]: row for row in _rows(files["items.tsv"])}
    assert (items["c2"]["check"], items["c2"]["block"], items["c2"]["n_1"]) == ("loud", "", "0")
    assert items["p1"]["check"] == ""
    facts = json.loads(files["study.json"])
    assert facts["counts"]["judgments"]["by_status"]["counted"] == 4
    assert counted_answers.basis(study, "people").n_judgments == 4
    result = study.results.get()
    assert set(result.item_scores.values_list("item__key", flat=True)) <= {"p1", "p2", "p3", "p4"}


def test_without_checks_there_is_no_such_file() -> None:
    study = make_checked_ratings(rated_pairs([]))

    files = _files(study)

    assert "checks.tsv" not in files
    assert "## checks.tsv" not in files["README.md"]


def _compared() -> tuple[Study, list[Participant]]:
    study = make_checked_comparisons()

    def says(keys: list[str]) -> tuple[str, str]:
        # Of the loud check the best is found and the worst is not.
        return (keys[0], keys[1]) if keys[0] == "g2-best" else (keys[0], keys[-1])

    persons = [Participant(study) for _n in range(2)]
    for person in persons:
        _answer_all(person, says)
    return study, persons


@pytest.mark.slow
def test_comparisons_that_are_checks_are_in_no_other_table_and_in_no_score() -> None:
    study, persons = _compared()
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})

    files = _files(study)

    assert study.results.get().item_scores.count() == 6
    assert len(_rows(files["judgments.tsv"])) == 2 * 6
    assert len(_rows(files["tuples.tsv"])) == 6
    assert files["annotations_nrc.csv"].count("\n") == 1 + 2 * 6
    assert "g1" not in files["annotations_nrc.csv"]
    items = {row["id"]: row for row in _rows(files["items.tsv"])}
    assert {items[f"t{n}"]["appearances"] for n in range(1, 7)} == {"6"}
    of_check = items["g2-best"]
    assert (of_check["check"], of_check["group"], of_check["expected"]) == ("loud", "g2", "3")
    assert (of_check["appearances"], of_check["score"]) == ("", "")
    facts = json.loads(files["study.json"])
    assert facts["counts"]["items"] == facts["counts"]["tuples"] == 6
    assert facts["counts"]["judgments"]["by_status"]["counted"] == 12
    assert facts["result"]["is_current"]
    of_checks = _rows(files["checks.tsv"])
    assert len(of_checks) == 3 * 2
    loud = next(row for row in of_checks if row["check"] == "g2")
    assert json.loads(loud["expected"]) == {"best": "g2-best", "worst": "g2-worst"}
    assert json.loads(loud["last_answer"]) == {"best": "g2-best", "worst": "g2-middle"}
    assert (float(loud["credit"]), loud["n_tellings"]) == (0.5, "1")
    assert {row["annotator"] for row in of_checks} == {p.annotator.pseudonym for p in persons}
    (real, *_others) = progress.progress(study)
    assert real.n_judgments == 12


@pytest.mark.slow
def test_scores_are_the_same_as_without_checks() -> None:
    study, _persons = _compared()
    without = make_checked_comparisons(compared_texts([]))
    for person in [Participant(without) for _n in range(2)]:
        _answer_all(person, lambda keys: (keys[0], keys[-1]))

    of_both = [
        {name: answers.item_counts(one, "people").scores().tolist() for name in ("scores",)}
        for one in (study, without)
    ]

    assert of_both[0] == of_both[1]


@pytest.mark.parametrize("make", [make_checked_ratings, make_checked_comparisons])
def test_what_was_imported_comes_back_through_the_export(make, tmp_path: Path) -> None:
    study = make()
    again = studies.create(owner=study.owner, title="Again", seed=1)
    again.kind, again.scale = study.kind, study.scale
    again.save()
    content = _files(study)["items.tsv"]
    if study.kind == QuestionKind.BEST_WORST:
        # Single texts have the name of the column that pairs have.
        content = content.replace("\tcandidate\t", "\ttext\t", 1).replace(
            "\ttarget\t", "\told\t", 1
        )

    imports.import_items(study=again, path=io.BytesIO(content.encode()), filename="items.tsv")

    def said(one: Study) -> list[tuple[object, ...]]:
        return [
            (str(c.item or c.pool), c.style, c.explanation, c.tolerance)
            for c in one.checks.order_by("pk")
        ]

    assert said(again) == said(study)
    assert len(said(study)) == 3
    known = [dict(s.items.values_list("key", "expected")) for s in (study, again)]
    assert known[0] == known[1]


@pytest.mark.slow
def test_the_page_of_people_shows_how_each_did_on_checks() -> None:
    study, _person = _rated()

    page = text(signed_in(study.owner).get(url(study, "people")))

    # Tutorials apart: .4 and 1.
    assert "1 of 2 right · 0.70" in page
    assert "1 person has answered loud or silent checks. The mean credit is 0.70." in page
    assert "Nobody scored below half." in page


def test_the_page_of_results_says_how_many_are_below_half() -> None:
    study = make_checked_ratings(rated_pairs(["silent"]))
    _answer_all(Participant(study), lambda key: "0")

    page = text(signed_in(study.owner).get(url(study, "results")))

    assert "The mean credit is 0.00." in page
    assert "1 of them scored below half." in page
    assert not Judgment.objects.filter(assignment__annotator__exclusions__isnull=False).exists()


def test_who_is_excluded_is_in_no_summary_and_checks_are_no_answers_to_questions() -> None:
    study, person = _rated()
    before = check_answers.summary(study, "people")
    exclusions.exclude(annotator=person.assignment.annotator, reason="Clicked.", by=study.owner)

    (row,) = person_rows(study, [person.assignment.annotator])

    assert before is not None
    assert before.n_people == 1
    assert check_answers.summary(study, "people") is None
    assert row.n_answered == 4
    assert row.checks is not None


def test_a_study_without_checks_says_nothing_of_them() -> None:
    study = make_checked_ratings(rated_pairs([]))
    _answer_all(Participant(study), lambda key: "0")

    assert check_answers.summary(study, "people") is None
    assert "hecks" not in text(signed_in(study.owner).get(url(study, "people")))


def test_who_withdraws_has_no_answers_to_checks_any_more() -> None:
    study, person = _rated()

    withdrawal.withdraw(annotator=person.annotator)

    assert _rows(_files(study)["checks.tsv"]) == []
    assert check_answers.summary(study, "people") is None


def test_the_api_counts_checks_apart() -> None:
    study = make_checked_comparisons()
    client = Client()
    client.force_login(study.owner)

    counts = client.get(f"/api/v1/studies/{study.slug}/").json()["counts"]

    assert (counts["n_items"], counts["n_tuples"], counts["n_checks"]) == (6, 6, 3)


@pytest.mark.parametrize("make", [make_checked_ratings, make_checked_comparisons])
def test_who_is_simulated_without_noise_knows_the_answers(make) -> None:
    study = make()
    taste = kind_of(study).simulation.taste(study, noise=0, seed=1)

    done = through_services.answer(study=study, taste=taste, n_annotators=2)

    summary = check_answers.summary(study, "simulated")
    assert summary
    assert (summary.n_people, summary.mean, summary.n_below_half) == (done.n_annotators, 1, 0)
    assert check_answers.summary(study, "people") is None


def test_latent_scores_need_not_name_checks() -> None:
    study = make_checked_comparisons()
    given = {f"t{n}": float(n) for n in range(1, 7)}

    through_services.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=0, seed=1, given=given),
        n_annotators=2,
    )

    scores = answers.item_counts(study, "simulated").scores().tolist()
    assert scores == sorted(scores)


def test_the_next_round_has_the_checks_too() -> None:
    earlier, _person = _rated()
    studies.close(study=earlier)
    study = make_checked_ratings(open_it=False)

    rounds.begin(study=study, earlier=earlier)

    copied = [(str(c.item), c.style, c.explanation, c.tolerance) for c in study.checks.all()]
    assert copied == [
        (key, style, "Both say the same.", Decimal(1))
        for key, style in (("c1", "tutorial"), ("c2", "loud"), ("c3", "silent"))
    ]
    assert {c.item.study_id for c in study.checks.all() if c.item} == {study.pk}


def test_both_phases_ask_checks_and_the_file_tells_them_apart() -> None:
    study = make_checked_ratings(rated_pairs(["silent"]), phases=TWICE)

    through_services.answer(
        study=study, taste=kind_of(study).simulation.taste(study, noise=0, seed=1), n_annotators=1
    )

    rows = _rows(_files(study, "simulated")["checks.tsv"])
    assert [(row["phase"], row["condition"]) for row in rows] == [
        ("1", "context_free"),
        ("2", "context_dependent"),
    ]
    assert {row["source"] for row in rows} == {"simulated"}


def test_labels_get_credit_for_the_categories_that_are_right() -> None:
    study = make_checked_ratings(rated_pairs(["silent"]))
    person = Participant(study)
    Check.objects.update(categories=["same", "alike"])
    question = person.assignment.booklet.questions.get(item__key="c1")
    question.kind = QuestionKind.LABEL
    question.save()
    judgment = Judgment.objects.create(
        assignment=person.assignment,
        question=question,
        kind=QuestionKind.LABEL,
        idempotency_key=uuid4(),
    )
    for name in ("same", "other"):
        judgment.choices.create(category=name)

    (record,) = check_answers.records(study.design, "people")

    said = {column.name: column.value(record) for column in checks.columns()}
    assert (said["expected"], said["first_answer"]) == ("same|alike", "other|same")
    assert said["credit"] == pytest.approx(1 / 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", [make_checked_ratings, make_checked_comparisons])
def test_who_is_simulated_over_http_is_told_and_counted_once(make, open_server) -> None:
    study = make()
    journal = over_http.Journal()

    done = over_http.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=0, seed=1),
        n_annotators=1,
        base=open_server.url,
        at_once=1,
        journal=journal,
    )

    n_questions = study.design.booklets.get().questions.count()
    assert done.n_answers == len(journal.answers) == Judgment.objects.count() == n_questions
    # The tutorial explains also what is right.
    assert Telling.objects.count() == 1
