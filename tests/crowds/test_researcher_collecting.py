"""Links, rosters, progress and people on the researcher's pages."""

import csv
import io
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.basics.sentences import read
from annotation.core.queries import progress
from annotation.core.services import audit_log
from annotation.models import Annotator, AuditEvent, Exclusion, Judgment, Person, Phase, Study
from annotation.studies.services import studies
from tests.support.answering import answer_all, answer_one
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import (
    finish_booklet,
    in_one_line,
    said,
    signed_in,
    simulate,
    text,
    url,
)

pytestmark = pytest.mark.django_db


# -- Open link ----------------------------------------------------------------------------------


def test_the_open_link_is_shown_with_its_warning_and_switched_off_and_on() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    page = text(client.get(url(study, "collect")))
    client.post(url(study, "switch_link"), {"link_open": "off"})
    off = text(client.get(url(study, "collect")))
    client.post(url(study, "switch_link"), {"link_open": "on"})

    assert f"http://testserver{reverse('annotator:join', args=[study.join_token])}" in page
    assert "Through an open link, the same person can join more than once." in page
    assert study.join_token not in off
    study.refresh_from_db()
    assert study.link_open


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (studies.pause, "The study is paused. New people cannot join by"),
        (studies.close, "The study is closed. New people cannot join by"),
        (studies.finish, "The study is finished. Nobody can join or answer any more."),
    ],
)
def test_no_places_are_promised_that_nobody_can_take(
    step: Callable[..., Study], sentence: str
) -> None:
    study = make_open_study()
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry("Ada")])
    step(study=study)
    client = signed_in(study.owner)

    page = in_one_line(text(client.get(url(study, "collect"))))
    client.post(url(study, "reissue", made.annotator.pk))

    made.annotator.refresh_from_db()
    is_finished = study.__class__.objects.get().state == "finished"
    assert sentence in page
    assert "Anyone with this link can join while places are free" not in page
    assert (study.join_token not in page) == is_finished
    assert (" free</p>" not in page) == is_finished
    assert (made.annotator.key_hash == keys.key_hash(made.key)) == is_finished


# -- Roster -------------------------------------------------------------------------------------


def test_personal_links_are_shown_once_and_lead_to_their_people() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    shown = client.post(url(study, "roster"), {"entries": "Ada\r\nBen, the second\r\n"})
    links = re.findall(r"http://testserver(/a/[^<]+)", text(shown))
    again = text(client.get(url(study, "roster")))

    assert len(links) == 2
    assert "This links" not in text(shown)
    assert "These links are shown only once." in text(shown)
    found = [
        Annotator.objects.get(key_hash=keys.key_hash(link.split("/")[2])).person for link in links
    ]
    assert [person.platform_id for person in found] == ["Ada", "Ben, the second"]
    assert not any(link in again for link in links)
    assert "Ada" in again


def test_the_links_are_downloaded_from_the_page_that_showed_them() -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    roster = SimpleUploadedFile("r.csv", b"id,name,email\n1,=Ada,ada@example.org\n2,Ben,\n")
    shown = client.post(url(study, "roster"), {"file": roster})
    signed = re.search(r'name="links" value="([^"]+)"', text(shown)).group(1)

    response = client.post(url(study, "roster_links"), {"links": signed})
    forged = client.post(url(study, "roster_links"), {"links": signed[:-2] + "xx"}, follow=True)
    other = make_open_study(owner=study.owner)
    elsewhere = client.post(url(other, "roster_links"), {"links": signed}, follow=True)

    rows = list(csv.reader(io.StringIO(text(response))))
    assert response["Content-Type"].startswith("text/csv")
    assert "attachment" in response["Content-Disposition"]
    assert rows[0] == ["id", "name", "email", "link"]
    assert [row[:3] for row in rows[1:]] == [["1", "'=Ada", "ada@example.org"], ["2", "Ben", ""]]
    assert rows[1][3].startswith("http://testserver/a/")
    for refused in (forged, elsewhere):
        assert said(refused) == [
            "These links can no longer be shown. Issue new links to the people who need them."
        ]


def test_a_roster_may_have_semicolons() -> None:
    study = make_open_study()
    roster = SimpleUploadedFile("r.csv", b"\xef\xbb\xbfid;name;email\r\n1;Ada;ada@example.org\r\n")

    signed_in(study.owner).post(url(study, "roster"), {"file": roster})

    person = Person.objects.get()
    assert (person.platform_id, person.name, person.email) == ("1", "Ada", "ada@example.org")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the list is empty; write one id or name per line"),
        (b"a\nb\na\n", "line 3: id &#x27;a&#x27; is already in line 1"),
        (b"a\n\xff\xfe\n", "line 2: not UTF-8"),
        (b"a\nb\x00c\n", "line 2: id contains a NUL character"),
        (
            b"id,name,email\n1,Ada,nonsense\n",
            "line 2: &#x27;nonsense&#x27; is not a valid e-mail address",
        ),
        (b"id,name\n1\n", "line 2: 1 column, but the header has 2"),
        (b"1,Ada,ada@example.org\n", "has several columns, but there is no header"),
        (b"1;Ada;ada@example.org\n", "has several columns, but there is no header"),
        (b"id,name\n1," + b"x" * 201, "line 2: name is 201 characters long"),
    ],
)
def test_a_wrong_roster_adds_nobody(content: bytes, sentence: str) -> None:
    study = make_open_study()
    file = SimpleUploadedFile("r.csv", content) if content else None

    response = signed_in(study.owner).post(
        url(study, "roster"), {"file": file} if file else {"entries": " "}
    )

    assert response.status_code == 400
    assert sentence in text(response)
    assert not Person.objects.exists()


def test_whoever_is_on_the_roster_keeps_their_link() -> None:
    study = make_open_study()
    (first,) = rosters.add_roster(study=study, entries=[RosterEntry("Ada")])

    response = signed_in(study.owner).post(url(study, "roster"), {"entries": "Ada\nBen"})

    first.annotator.refresh_from_db()
    assert "1 person is already on the roster" in text(response)
    signed_in(study.owner).post(url(study, "roster"), {"entries": "Ada"})
    assert [read(entry.said) for entry in AuditEvent.objects.all()] == [
        "Added 1 person to the roster."
    ]
    assert first.annotator.key_hash == keys.key_hash(first.key)
    assert study.annotators.count() == 2


def test_a_link_is_reissued_after_asking_and_the_old_one_stops() -> None:
    study = make_open_study()
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry("Ada")])
    client = signed_in(study.owner)

    client.get(url(study, "reissue", made.annotator.pk))
    made.annotator.refresh_from_db()
    assert made.annotator.key_hash == keys.key_hash(made.key)
    response = client.post(url(study, "reissue", made.annotator.pk))

    made.annotator.refresh_from_db()
    (link,) = re.findall(r"http://testserver/a/([^/<]+)/", text(response))
    assert made.annotator.key_hash == keys.key_hash(link) != keys.key_hash(made.key)


def test_whoever_has_not_started_is_removed_after_asking() -> None:
    study = make_open_study()
    made, other = rosters.add_roster(
        study=study, entries=[RosterEntry("1", "Ada"), RosterEntry("2", "Ben")]
    )
    client = signed_in(study.owner)

    page = text(client.get(url(study, "remove", made.annotator.pk)))
    assert study.annotators.count() == 2
    client.post(url(study, "remove", made.annotator.pk))

    assert "For: Ada." in page
    assert study.annotators.get() == other.annotator
    assert Person.objects.get().name == "Ben"
    gone = client.get(reverse("annotator:own", args=[made.key]))
    assert gone.status_code == 404


def test_who_is_removed_takes_nobody_else_out_of_the_history() -> None:
    """Anybody who may edit the study can add and remove an entry of any name."""
    study = make_open_study()
    audit_log.write(study=study, message="Shared with Bob as an editor.", by=study.owner)
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry("1", "Bob")])
    audit_log.write(study=study, message="Wrote to Bob.", by=study.owner)

    signed_in(study.owner).post(url(study, "remove", made.annotator.pk))

    history = list(audit_log.of_study(study).values_list("said", flat=True))
    assert "Shared with Bob as an editor." in history
    assert "Wrote to Bob." not in history


def test_whoever_has_started_is_not_removed() -> None:
    study = make_open_study()
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry("1", "Ada")])
    assignments.start(annotator=made.annotator, consent=studies.current_consent(study))
    client = signed_in(study.owner)

    page = text(client.get(url(study, "remove", made.annotator.pk)))
    roster = text(client.get(url(study, "roster")))
    response = client.post(url(study, "remove", made.annotator.pk), follow=True)

    refusal = "This person has started and can no longer be removed. Collected data are kept."
    assert refusal in page
    assert url(study, "remove", made.annotator.pk) not in roster
    assert said(response) == [refusal]
    assert study.annotators.exists()


def test_whom_a_platform_brought_gets_no_link_from_a_researcher() -> None:
    study = make_open_study()
    (made,) = rosters.add_roster(study=study, entries=[RosterEntry("Ada")])
    Person.objects.update(platform="prolific")

    answer = signed_in(study.owner).post(url(study, "reissue", made.annotator.pk))

    assert answer.status_code == 404
    made.annotator.refresh_from_db()
    assert made.annotator.key_hash == keys.key_hash(made.key)


def test_a_person_of_another_study_is_not_found() -> None:
    mine, theirs = make_open_study(), make_open_study()
    stranger = finish_booklet(theirs)
    client = signed_in(mine.owner)

    for name in ("exclude", "include", "reissue", "remove"):
        assert client.post(url(mine, name, stranger.pk)).status_code == 404


def test_the_credit_list_says_who_finished() -> None:
    study = make_open_study()
    made = rosters.add_roster(
        study=study, entries=[RosterEntry("2", "Ben"), RosterEntry("1", "Ada")]
    )
    ben = assignments.start(annotator=made[0].annotator, consent=studies.current_consent(study))
    answer_all(ben)
    assignments.submit(assignment=ben)

    response = signed_in(study.owner).get(url(study, "credit"))

    rows = list(csv.reader(io.StringIO(text(response))))
    assert rows[0] == ["id", "name", "finished", "finished at"]
    assert rows[1] == ["1", "Ada", "no", ""]
    assert rows[2][:3] == ["2", "Ben", "yes"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", rows[2][3])


# -- Progress and people ------------------------------------------------------------------------


def test_progress_counts_places_people_and_times_by_hand() -> None:
    study = make_open_study(dialogues=2, parameters={"screens_per_booklet": 5})
    n_booklets = study.design.booklets.count()
    finish_booklet(study)
    at_work = join(study)
    question = at_work.assignment.booklet.questions.first()
    answer_one(at_work.assignment, question)
    idle = join(study).assignment
    type(idle).objects.filter(pk=idle.pk).update(
        last_active_at=timezone.now() - timedelta(minutes=study.idle_minutes + 1)
    )
    gone = finish_booklet(study)
    withdrawal.withdraw(annotator=gone)
    for judgment, ms in zip(study_judgments(study), (1000, 2000, 6000), strict=False):
        judgment.active_ms = ms
        judgment.save()

    (of,) = progress.progress(study)

    assert n_booklets == 2
    assert (of.places.total, of.places.done, of.places.in_work) == (10, 1, 1)
    assert of.places.free == 8
    assert (of.people.joined, of.people.active, of.people.lapsed) == (4, 1, 1)
    assert (of.people.submitted, of.people.withdrawn) == (1, 1)
    assert of.times.seconds_per_question == 2
    assert of.times.minutes_per_booklet == pytest.approx(9 / 60)


def test_times_are_explained_only_if_there_are_any() -> None:
    study = make_open_study(dialogues=1)
    finish_booklet(study)
    Judgment.objects.update(active_ms=None)
    client = signed_in(study.owner)

    without = text(client.get(url(study, "collect")))
    Judgment.objects.update(active_ms=2000)
    with_times = text(client.get(url(study, "collect")))

    assert "No working times have been reported." in without
    assert "The median per booklet covers" not in without
    assert "The median per booklet covers 1 submitted booklet" in with_times


def test_a_place_is_done_only_after_the_last_phase() -> None:
    study = make_open_study()
    Phase.objects.create(design=study.design, number=2, condition=Phase.Condition.DEPENDENT)
    assignment = finish_booklet(study).assignments.get()
    type(assignment).objects.filter(pk=assignment.pk).update(state="waiting")

    (of,) = progress.progress(study)

    assert (of.places.done, of.places.waiting) == (0, 1)


def study_judgments(study: Study):
    return list(
        Judgment.objects.current().filter(assignment__annotator__study=study).order_by("pk")
    )


def test_the_people_table_shows_pseudonyms_and_keeps_simulated_people_apart() -> None:
    study = make_open_study()
    person, robot = finish_booklet(study), simulate(study)
    client = signed_in(study.owner)

    real = text(client.get(url(study, "people")))
    simulated = text(client.get(url(study, "people"), {"population": "simulated"}))

    assert person.pseudonym in real
    assert robot.pseudonym not in real
    assert robot.pseudonym in simulated
    assert "SIMULATED" in simulated


def test_excluding_needs_a_reason_and_is_lifted_again() -> None:
    study = make_open_study()
    person = finish_booklet(study)
    client = signed_in(study.owner)

    without = client.post(url(study, "exclude", person.pk), {"reason": "  "})
    client.post(url(study, "exclude", person.pk), {"reason": "clicked at random"})
    page = text(client.get(url(study, "people")))

    assert without.status_code == 400
    assert "Give a reason. It is stored with the exclusion." in text(without)
    assert Exclusion.objects.in_force().get().reason == "clicked at random"
    assert "clicked at random" in page

    client.post(url(study, "include", person.pk), {"reason": "they were not"})
    assert not Exclusion.objects.in_force().exists()
    assert Exclusion.objects.get().lifted_reason == "they were not"


def test_booklets_show_their_places() -> None:
    study = make_open_study()
    finish_booklet(study)

    response = signed_in(study.owner).get(url(study, "booklets"))

    (row, *_rest) = [row for row in response.context["rows"] if row.places.done]
    assert (row.places.total, row.places.done, row.places.free) == (5, 1, 4)
