"""What a researcher sees of one annotator, and how the table of people sorts and filters."""

import re
from statistics import median
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.answering.services import assignments, withdrawal
from annotation.basics.errors import StateError
from annotation.basics.numbers import percent
from annotation.core.services import jobs
from annotation.models import AuditEvent, Job, Judgment, Study
from annotation.people.queries import people_order
from annotation.people.queries.people import person_rows
from annotation.people.queries.person import figures
from annotation.people.queries.person_answers import others_of, own_answers
from annotation.people.services import exclusions
from scoring.flags.runs import expected_largest_share
from tests.people.test_flags_of_people import crowd
from tests.support.answering import answer_all, answer_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.labelled import label_all, make_label_study, said_of
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_person_is_seen_beside_the_others(clock: Clock) -> None:
    study, who = crowd(clock)
    one = Judgment.objects.filter(assignment__annotator=who["first"]).latest("pk")
    one.comment = "The <third> was odd."
    one.save()
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "person", who["first"].pk)))

    own = own_answers(who["first"])
    others = others_of(who["first"], own)
    seen = {one.name: one for one in figures(who["first"], own, others, _row(study, who["first"]))}
    assert (seen["Longest run of one position, best pick"].value) == "40"
    assert seen["Most frequent position of the best pick"].value == "100.0\u00a0%"
    assert seen["Most frequent position of the best pick"].by_chance == (
        percent(expected_largest_share(n=40, k=3))
    )
    # Everybody else took 12 to 21 seconds, but the one in a hurry.
    usual = median(others.usual_seconds(answer.question_key) or 0 for answer in own)
    assert seen["Median seconds per question"].value == "18.0"
    assert seen["Median seconds per question"].usual == f"{usual:.1f}"
    assert "Chose the same position on the screen 40 times in a row" in page
    assert "The &lt;third&gt; was odd." in page
    assert len(re.findall(r"same worst", page)) == 40
    # Eight others answered each question, whoever is excluded does not count among them.
    assert "8 other people answered this. " in page
    exclusions.exclude(annotator=who["a"], reason="of the test", by=study.owner)
    page = text(client.get(url(study, "person", who["first"].pk)))
    assert "7 other people answered this. " in page
    table = client.get(url(study, "person_plot", who["first"].pk, "times", "tsv"))
    assert (
        text(table).splitlines()[1]
        == f"1\t18.0\t{others_of(who['first'], own).usual_seconds(own[0].question_key)}"
    )

    withdrawal.withdraw(annotator=who["first"])
    page = text(client.get(url(study, "person", who["first"].pk)))
    assert "There are none." in page
    assert "odd" not in page


def _row(study, person):
    return person_rows(study, [person])[0]


@pytest.mark.slow
def test_the_table_sorts_filters_and_keeps_both_while_paging(clock: Clock) -> None:
    study, who = crowd(clock)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    exclusions.exclude(annotator=who["c"], reason="of the test", by=study.owner)
    client = signed_in(study.owner)

    def order(query: str) -> list[str]:
        page = text(client.get(f"{url(study, 'people')}?{query}"))
        table = page[page.index("<tbody") :]
        at = {name: table.find(f">{one.pseudonym}</a>") for name, one in who.items()}
        return sorted((name for name in at if at[name] >= 0), key=at.__getitem__)

    assert order("sort=seconds")[0] == "hasty"
    assert order("sort=-seconds")[-1] == "hasty"
    assert order("sort=agreement")[0] == "first"
    assert order("sort=pseudonym") == sorted(who, key=lambda name: who[name].pseudonym)
    # Whoever agrees least comes first, unless something else is asked for.
    assert order("sort=nonsense") == order("") == order("sort=agreement")
    assert order("sort=arrival") == list(who)
    assert order("show=flagged&sort=seconds")[0] == "hasty"
    assert {*order("show=flagged")} == {"hasty", "copier", "first"}
    assert order("show=excluded") == ["c"]
    assert {*order("show=counted")} == {*who} - {"c"}
    page = text(client.get(url(study, "people") + "?show=counted&sort=-seconds"))
    assert 'aria-sort="descending"' in page
    assert "show=counted&amp;sort=pseudonym" in page
    assert set(people_order.SORTS) <= {
        *re.findall(r"sort=-?(\w+)", page),
        "arrival",
    }
    empty = text(client.get(url(study, "people") + "?show=flagged&population=simulated"))
    assert "Nobody in this group." in empty


def test_who_has_not_finished_a_booklet_is_not_in_the_scores() -> None:
    study = make_open_study()
    finished, midway, _only_came = (join(study).assignment for _ in range(3))
    answer_all(finished)
    assignments.submit(assignment=finished)
    answer_one(midway, midway.booklet.questions.first())

    shown = people_order.shown(study, simulated=False, show="counted")

    assert [*shown] == [finished.annotator]
    assert not people_order.shown(study, simulated=True, show="counted").exists()


def test_a_labeller_is_seen_beside_the_others() -> None:
    keys = [f"p{n}" for n in range(1, 7)]
    study = make_label_study()
    held = label_all(study, *([said_of(keys, codes)] for codes in ("ssrsoo", "ssrroo", "ssssss")))
    third = held[2].annotator

    page = text(signed_in(study.owner).get(url(study, "person", third.pk)))

    own = own_answers(third)
    seen = {
        one.name: one for one in figures(third, own, others_of(third, own), _row(study, third))
    }
    assert seen["Longest run of one answer"].value == "6"
    # Five of the others' twelve answers are the same category.
    assert seen["Share of the most frequent answer"].usual == "41.7\u00a0%"
    assert seen["Same answer as the previous one"].value == "100.0\u00a0%"
    assert "100.0\u00a0% of 2: " in page


def test_one_comment_is_blanked_and_the_answer_stays(clock: Clock) -> None:
    study = make_open_study(dialogues=1)
    joined = join(study)
    first, second = joined.assignment.booklet.questions.order_by("pk")[:2]
    answer_one(joined.assignment, first, best=0, comment="My name is Ada Lovel")
    answer_one(joined.assignment, first, best=2, comment="My name is Ada Lovelace.")
    kept = answer_one(joined.assignment, second, comment="Both are odd.")
    who, client = joined.annotator, signed_in(study.owner)
    of_first = Judgment.objects.filter(question=first)
    current = of_first.get(superseded_at=None)
    address = url(study, "blank_comment", who.pk)
    assert f"{address}?answer={current.pk}" in text(client.get(url(study, "person", who.pk)))
    other = join(study).annotator
    client.post(url(study, "blank_comment", other.pk), {"answer": current.pk})
    page = client.get(address, {"answer": current.pk})
    assert "Ada Lovelace" in text(page)
    # Looking, and pressing the button for somebody else's answer, changes nothing.
    with pytest.raises(StateError):
        withdrawal.blank_comment(annotator=other, judgment=current.pk)
    assert of_first.filter(comment="…").count() == 0

    client.post(address, {"answer": current.pk})

    assert set(of_first.values_list("comment", flat=True)) == {"…"}
    current.refresh_from_db()
    assert (current.best_id, current.withdrawn_at) == (
        of_first.order_by("-pk").first().best_id,
        None,
    )
    kept.refresh_from_db()
    assert kept.comment == "Both are odd."
    assert "Ada" not in text(client.get(url(study, "person", who.pk)))
    assert "Ada" not in text(client.get(url(study, "history")))
    # A second click says that there is nothing left.
    assert client.post(address, {"answer": current.pk}).status_code == 302


def test_a_program_blanks_a_comment_for_good() -> None:
    study = make_open_study(dialogues=1)
    joined = join(study)
    question = joined.assignment.booklet.questions.order_by("pk")[0]
    answer_one(joined.assignment, question, best=0, comment="My name is Ada Lovelace.")
    answer_one(joined.assignment, question, best=2, comment="My name is Ada Lovelace.")
    current = Judgment.objects.current().get()
    elsewhere = make_open_study(owner=study.owner)
    client = APIClient()
    client.force_authenticate(study.owner)

    def blank(of: Study, judgment: int) -> Any:
        return client.post(f"/api/v1/studies/{of.slug}/judgments/{judgment}/blank-comment/")

    # Below another study, even of the same owner, the answer is not there.
    assert blank(elsewhere, current.pk).status_code == 404
    assert not Judgment.objects.filter(comment="…").exists()

    answer = blank(study, current.pk)

    assert (answer.status_code, answer.json()) == (200, {"id": current.pk, "comment": "…"})
    assert set(Judgment.objects.values_list("comment", flat=True)) == {"…"}
    assert "Ada" not in text(signed_in(study.owner).get(url(study, "history")))
    assert AuditEvent.objects.filter(study=study).count() == 1
    # There is nothing left to blank.
    assert blank(study, current.pk).status_code == 409
