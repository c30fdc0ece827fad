"""What is stored about somebody is shown to them alone; every page lets them withdraw."""

import json
import re
from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver

from annotation.answering.pages.stored import DOWNLOADS_PER_HOUR
from annotation.answering.services import (
    instructions,
    phases,
    reminders,
    rosters,
    visits,
    withdrawal,
)
from annotation.crowds.services import publishing
from annotation.models import Judgment, Study, Visit
from annotation.people.services import exclusions
from annotation.studies.services import studies
from tests.crowds.test_visits import answer, enter, fresh, on_a_platform
from tests.support import labelling, rating, selecting
from tests.support.annotating import Participant, watched, writes
from tests.support.answering import answer_all, answer_one, draft_one
from tests.support.clock import Clock
from tests.support.crowds import make_listing, use_framed
from tests.support.factories import join, make_open_study, make_user

pytestmark = pytest.mark.django_db

ONE_EACH = {"annotations_per_tuple": 2, "questions_per_screen": 1}


def text(response: HttpResponse) -> str:
    return response.content.decode()


def fetched(key: str, file: str) -> HttpResponse:
    return Client().post(f"/a/{key}/data/download/", {"file": file})


def whole(response: HttpResponse) -> str:
    return b"".join(response.streaming_content).decode()


def test_the_turn_that_others_were_compared_with_stands_apart() -> None:
    joined = join(make_open_study(dialogues=1, parameters=ONE_EACH))
    answer_one(joined.assignment, joined.assignment.booklet.questions.order_by("screen")[0])

    page = Client().get(f"/a/{joined.key}/data/")

    (answer,) = page.context["answers"]
    judgment = Judgment.objects.get()
    assert answer.targets == [judgment.best.target]
    assert judgment.best.candidate in answer.others
    assert [*answer.targets, *answer.others] == answer.shown
    assert text(page).count("data-target") == 1


def test_somebody_reads_and_keeps_what_is_stored_and_nobody_elses() -> None:
    study = make_open_study(dialogues=1, parameters=ONE_EACH)
    [mine] = rosters.add_roster(
        study=study, entries=[rosters.RosterEntry("s-0815", "Ada Lovelace", "ada@mail.example")]
    )
    Client().post(f"/a/{mine.key}/", {"agree": "1", "consent": "1"})
    instructions.begin(annotator=mine.annotator)
    assignment = mine.annotator.assignments.get()
    asked = list(assignment.booklet.questions.order_by("screen"))
    answer_one(assignment, asked[0], comment="That was hard.", active_ms=1500)
    Judgment.objects.update(n_away=2, n_pasted=0)
    answer_one(assignment, asked[0], best=1, worst=2, comment="On second thoughts.")
    answer_one(assignment, asked[1])
    draft_one(assignment, asked[2], comment="Half a thought.")
    exclusions.exclude(annotator=mine.annotator, reason="Too fast by far.", by=make_user("eve"))
    other = join(study).assignment
    answer_one(other, other.booklet.questions.first(), comment="Of somebody else.")

    with watched() as queries:
        shown = Client().get(f"/a/{mine.key}/data/")
        Client().head(f"/a/{mine.key}/data/")
    assert not writes(queries)
    assert shown["Cache-Control"] == "no-store"
    assert shown.cookies == {}
    page = text(shown)
    for said in (
        mine.annotator.pseudonym,
        "Ada Lovelace",
        "s-0815",
        "ada@mail.example",
        "Version 1 of the text",
        "That was hard.",
        "On second thoughts.",
        "replaced by a later answer",
        "Turn 3 of dialogue 1.",
        study.most_question,
        "Too fast by far.",
        "1 answer is incomplete",
    ):
        assert said in page, said
    assert "Of somebody else." not in page
    assert other.annotator.pseudonym not in page
    assert "eve" not in page.split("<h1>")[1].split("Left out")[1].split("</section>")[0]

    told = json.loads(whole(fetched(mine.key, "json")))
    assert told["person"]["email"] == "ada@mail.example"
    assert told["consents"][0]["text"] == study.consent_texts.get().text
    assert told["left_out_of_scores"][0]["reason"] == "Too fast by far."
    assert [one["comment"] for one in told["answers"]] == [
        "That was hard.",
        "On second thoughts.",
        "",
    ]
    assert told["answers"][0]["replaced_at"]
    counts = ("active_seconds", "times_focus_lost", "times_pasted")
    assert [told["answers"][0][name] for name in counts] == [1.5, 2, 0]
    assert told["begun_answers"][0]["answer"]["comment"] == "Half a thought."
    table = fetched(mine.key, "tsv")
    assert table["Content-Disposition"] == 'attachment; filename="my-answers.tsv"'
    assert table["Cache-Control"] == "no-store"
    lines = whole(table)
    assert lines.startswith("phase\tscreen\tkind\ttexts\tquestion\tanswer\tcomment")
    assert lines.count("best_worst") == 6

    # What a withdrawal leaves: that there was an answer, and when.
    withdrawal.withdraw(annotator=mine.annotator)
    page = text(Client().get(f"/a/{mine.key}/data/"))
    assert "You have withdrawn, and your answers are deleted." in page
    assert "Withdraw from this study" not in page
    for gone in ("Ada Lovelace", "s-0815", "That was hard.", "Candidate"):
        assert gone not in page
    told = json.loads(whole(fetched(mine.key, "json")))
    assert told["withdrawn_at"]
    assert told["consents"]
    assert {one["emptied_at"] is not None for one in told["answers"]} == {True}
    assert [one["answers"] for one in told["answers"]] == [[]] * 3


def test_other_ways_of_asking_are_refused() -> None:
    mine = Participant(make_open_study(dialogues=1, parameters=ONE_EACH))

    assert mine.get("data/download/").status_code == 405
    assert mine.post("data/").status_code == 405
    assert mine.post("data/download/", {"file": "passwords"}).status_code == 404
    assert Client().get(f"/a/{mine.key}x/data/").status_code == 404
    assert mine.get("data/?page=99&page=x").status_code == 200
    for _n in range(DOWNLOADS_PER_HOUR):
        assert fetched(mine.key, "tsv").status_code == 200
    assert fetched(mine.key, "tsv").status_code == 429
    assert mine.get("data/").status_code == 200


def rated() -> str:
    study = rating.make_rating_study()
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)
    return joined.key


def labelled() -> str:
    joined = labelling_join(labelling.make_label_study())
    labelling.label_phase(joined.assignment)
    return joined.key


def selected() -> str:
    joined = selecting.join(selecting.make_selection_study())
    selecting.select_all(joined.assignment)
    return joined.key


def labelling_join(study: Study):
    return rating.join(study)


@pytest.mark.parametrize("done", [rated, labelled, selected])
def test_every_kind_of_answer_is_told(done: Callable[[], str]) -> None:
    key = done()

    told = json.loads(whole(fetched(key, "json")))

    assert told["answers"]
    for one in told["answers"]:
        assert one["texts"]
        assert all(said["answer"] for said in one["answers"])
    assert told["answers"][0]["answers"][0]["answer"] in text(Client().get(f"/a/{key}/data/"))


def test_a_sitting_shows_itself_and_no_other_of_the_person_it_names(monkeypatch) -> None:
    use_framed(monkeypatch)
    study = make_open_study(dialogues=2, parameters=ONE_EACH, max_booklets=0)
    listing = on_a_platform(study)
    first = enter(listing, "W1", "A1")
    answer(first)
    pseudonym = fresh(first).run.assignment.annotator.pseudonym
    alone = text(Client().get(f"/a/{first.key}/data/"))
    assert "A1" in alone
    assert pseudonym in alone
    assert "Candidate" in alone
    visits.submit(visit=fresh(first))

    # Somebody says that they are W1: nobody has vouched for it.
    second = enter(listing, "W1", "A2")
    exclusions.exclude(
        annotator=fresh(first).run.assignment.annotator, reason="Too fast.", by=make_user()
    )
    claimed = text(Client().get(f"/a/{second.key}/data/"))
    assert "A2" in claimed
    for hidden in ("A1", pseudonym, "Candidate", "Too fast."):
        assert hidden not in claimed.split("<main")[1]
    assert json.loads(whole(fetched(second.key, "json")))["answers"] == []

    Visit.objects.filter(pk=second.visit.pk).update(verified_at=second.visit.created_at)
    assert pseudonym in text(Client().get(f"/a/{second.key}/data/"))
    # What was closed is theirs, too, unless another sitting went on with it.
    visits.close(visit=fresh(second))
    assert Client().get(f"/a/{second.key}/data/").status_code == 200
    Visit.objects.filter(pk=second.visit.pk).update(run=fresh(first).run)
    assert Client().get(f"/a/{second.key}/data/").status_code == 409
    assert fetched(second.key, "json").status_code == 409


# -- withdrawing from every page --------------------------------------------------------------


def addresses() -> list[str]:
    """All addresses below somebody's key, filled in."""
    found = [
        str(route).removeprefix("a/<slug:key>/")
        for route in patterns()
        if str(route).startswith("a/<slug:key>/")
    ]
    filled_in = {"<int:number>": "1", "<int:question_id>": "1", "<slug:moment>": "before"}
    return [re.sub(r"<[^>]+>", lambda match: filled_in[match[0]], one) for one in found]


def patterns() -> list[str]:
    namespace = get_resolver().namespace_dict["annotator"][1]
    return [str(one.pattern) for one in namespace.url_patterns]


def check_pages(key: str, *, may_withdraw: bool = True) -> set[str]:
    """Every page of a key, as it is reached, has the links; the headings that were seen."""
    seen, link = set(), f'href="/a/{key}/withdraw/"'
    for rest in addresses():
        for method in ("get", "post", "put"):
            if method == "post" and rest not in {"data/download/", "more/"}:
                continue
            response = getattr(Client(), method)(f"/a/{key}/{rest}")
            if response.status_code == 303 or "text/html" not in response["Content-Type"]:
                continue
            page = text(response)
            assert f'href="/a/{key}/data/"' in page, (method, rest)
            assert (link in page) is may_withdraw, (method, rest)
            seen.add(page.split("<h1")[1].split(">")[1].split("<")[0].strip())
    return seen


@pytest.mark.slow
def test_every_page_of_somebody_offers_to_withdraw(clock: Clock, settings, monkeypatch) -> None:
    settings.EMAIL_HOST = "mail.example"
    assert {"", "instructions/", "s/1/", "overview/", "data/", "withdraw/"} <= {*addresses()}
    seen: set[str] = set()

    # Before agreeing, in the instructions, at work, finished.
    study = make_open_study(dialogues=1, parameters=ONE_EACH)
    [invited] = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", "Ada")])
    seen |= check_pages(invited.key)
    new = join(study)
    seen |= check_pages(new.key)
    mine = Participant(study)
    seen |= check_pages(mine.key)
    answer_all(mine.assignment)
    seen |= check_pages(mine.key)
    studies.pause(study=study)
    seen |= check_pages(invited.key)
    studies.finish(study=study)
    seen |= check_pages(new.key)
    withdrawal.withdraw(annotator=mine.annotator)
    seen |= check_pages(mine.key, may_withdraw=False)

    # Waiting, too late.
    two = rating.make_rating_study(phases=rating.TWICE)
    waiting = rating.join(two)
    instructions.begin(annotator=waiting.annotator)
    rating.rate_phase(waiting.assignment)
    seen |= check_pages(waiting.key)
    run = waiting.assignment.runs.get(phase__number=2)
    reminders.remember(run=run, email="ada@mail.example", way_back="https://here.example/")
    assert "ada@mail.example" in text(Client().get(f"/a/{waiting.key}/data/"))
    clock.set(run.opens_at)
    clock.move(minutes=1)
    seen |= check_pages(waiting.key)
    run.refresh_from_db()
    clock.set(run.closes_at)
    clock.move(minutes=1)
    assert phases.is_over(run)
    seen |= check_pages(waiting.key)

    # On a platform: at work, ended, withdrawn, without consent, nothing left.
    listing = make_listing(make_open_study(dialogues=1, parameters=ONE_EACH))
    sitting = enter(listing)
    seen |= check_pages(sitting.key)
    answer(sitting)
    visits.submit(visit=fresh(sitting))
    seen |= check_pages(sitting.key)
    visits.withdraw(visit=fresh(sitting))
    seen |= check_pages(sitting.key, may_withdraw=False)
    later = enter(listing, "W2", "A2")
    publishing.close(listing=listing, by=listing.study.owner)
    studies.finish(study=listing.study)
    seen |= check_pages(later.key)

    assert {
        "Instructions",
        "Overview",
        "We have received your answers",
        "This study is finished",
        "You have withdrawn",
        "Withdraw from this study",
        "Please note",
        "What is stored about you",
        "The next part is open",
        "This part is over",
        "There are no questions for you at the moment",
    } <= seen
    assert Judgment.objects.exists()
