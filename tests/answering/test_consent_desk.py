"""The researcher publishes a consent text, says who reads it, and sees who did."""

import csv
import io
import json
import zipfile
from types import SimpleNamespace

import pytest
from django.test import Client

from annotation.answering.services import withdrawal
from annotation.basics.errors import StateError
from annotation.models import Study
from annotation.releases.exports import archive
from annotation.releases.exports.documents.questions import QUESTIONS
from annotation.releases.queries.collected import AgreedText
from annotation.studies.services import studies
from tests.answering.test_consent_anew import NEW, agree, publish
from tests.support.annotating import Participant
from tests.support.api import address, by_token
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db

SAME = "The consent text has not changed"


@pytest.fixture
def study() -> Study:
    return make_open_study(dialogues=2, title="Replies")


def typed(study: Study, **changes: str) -> dict[str, str]:
    return {
        "title": study.title,
        "thanks": study.thanks,
        "consent": studies.current_consent(study).text,
        "consent_asks": "new_people",
        "consent_changes": "",
        **changes,
    }


def words(page: str) -> str:
    return " ".join(page.split())


def test_publishing_says_who_reads_it_and_how_many_are_asked(study: Study) -> None:
    first, _second = Participant(study), Participant(study)
    client = signed_in(study.owner)
    page = text(client.get(url(study, "describe")))
    assert (
        "Only new people. People who agreed to an earlier text continue under that text." in page
    )
    assert 'value="new_people" id="id_consent_asks_0" checked' in words(page).replace(
        'checked id="id_consent_asks_0"', 'id="id_consent_asks_0" checked'
    )

    form = typed(study, consent=NEW, consent_asks="everybody", consent_changes="The time.")
    answer = client.post(url(study, "describe"), form, follow=True)

    assert (
        "2 people who have started will be asked to agree to version 2 of the consent text."
        in said(answer)
    )
    assert first.get()["Location"] == first.url("consent/")
    history = text(client.get(url(study, "history")))
    assert "asked to agree to version 2 of the consent text" in history
    # Sent once more, as by a double click, it is the same version.
    client.post(url(study, "describe"), form)
    assert study.consent_texts.count() == 2
    text_2 = study.consent_texts.get(version=2)
    assert (text_2.changes, text_2.asked_at is not None) == ("The time.", True)
    # The next form proposes the harmless choice again.
    later = typed(Study.objects.get(), consent="Three.")
    later.pop("consent_asks")
    client.post(url(study, "describe"), later)
    assert Study.objects.get().consent_asked == 2
    assert study.consent_texts.get(version=3).asked_at is None


def test_what_changed_is_said_of_a_changed_text_alone(study: Study) -> None:
    client = signed_in(study.owner)

    for wrong in ({"consent_changes": "Something."}, {"consent_asks": "everybody"}):
        refused = client.post(url(study, "describe"), typed(study, **wrong))
        assert refused.status_code in {400, 409}, wrong
        assert SAME in text(refused)
    assert (
        client.post(url(study, "describe"), typed(study, consent_asks="nobody")).status_code == 400
    )
    assert study.consent_texts.count() == 1
    with pytest.raises(StateError, match=SAME):
        studies.edit(study=study, changes={"consent_changes": "Something."})


@pytest.mark.parametrize("emptied", ["", " \n"])
def test_the_consent_text_of_an_opened_study_is_not_removed(study: Study, emptied: str) -> None:
    client, api = signed_in(study.owner), by_token(study.owner)

    for closed in (False, True):
        if closed:
            studies.close(study=study)
        page = client.post(url(study, "describe"), typed(study, consent=emptied))
        answer = api.patch(address(study), {"consent": emptied}, content_type="application/json")
        assert (page.status_code, answer.status_code) == (409, 409)
        assert answer.json()["code"] == StateError.code
    assert studies.current_consent(study).text.strip()
    assert study.consent_texts.count() == 1


def test_nobody_is_there_to_be_asked_in_a_draft() -> None:
    draft = make_study()

    page = text(signed_in(draft.owner).get(url(draft, "describe")))

    assert 'name="consent"' in page
    assert "consent_asks" not in page
    assert "consent_changes" not in page


@pytest.mark.slow
def test_who_agreed_to_which_who_was_asked_and_who_stopped(study: Study, clock: Clock) -> None:
    agreed, waits, stopped = (Participant(study) for _ in range(3))
    began = clock.time
    clock.move(hours=2)
    publish(study, changes="The *time* is new.")
    agree(agreed)
    clock.move(hours=1)
    stopped.post("stop/")
    client = signed_in(study.owner)

    page = words(text(client.get(url(study, "privacy"))))
    assert "1 person must agree to version" in page
    assert "1 person did not agree and stopped" in page
    assert waits.annotator.pseudonym in page
    assert agreed.annotator.pseudonym not in page
    assert "1 agreed · 1 did not" in page
    assert "3 agreed" in page
    assert "<em>time</em>" in page
    table = in_one_line(text(client.get(url(study, "people"))))
    by_row = {row.split("</a>")[0].split(">")[-1]: row for row in table.split("<tr")[2:]}
    assert "consent version&nbsp;2)" in by_row[agreed.annotator.pseudonym]
    assert "consent version&nbsp;1; asked again)" in by_row[waits.annotator.pseudonym]
    assert "consent version&nbsp;1; did not agree)" in by_row[stopped.annotator.pseudonym]

    file = io.BytesIO()
    archive.write_archive(Study.objects.get(), "people", file)
    with zipfile.ZipFile(file) as files:
        assert "`declined_at`" in files.read("README.md").decode()
        table = files.read("consents.tsv").decode()
    rows = {
        (row["annotator"], row["version"]): (row["agreed_at"], row["declined_at"])
        for row in csv.DictReader(io.StringIO(table), delimiter="\t")
    }
    iso = began.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert rows[waits.annotator.pseudonym, "1"] == (iso, "")
    assert len(rows) == 5
    at, declined = rows[stopped.annotator.pseudonym, "2"]
    assert (at, declined > iso) == ("", True)

    own = text(stopped.get("data/"))
    assert "Version 1 of the text" in own
    assert "You did not agree to version 2" in own
    kept = stopped.post("data/download/", {"file": "json"})
    told = json.loads(b"".join(kept.streaming_content))
    assert [one["version"] for one in told["consents"]] == [1]
    assert [one["version"] for one in told["consents_declined"]] == [2]
    assert told["consents_declined"][0]["text"] == NEW
    own = json.loads(b"".join(agreed.post("data/download/", {"file": "json"}).streaming_content))
    assert [one["version"] for one in own["consents"]] == [1, 2]

    # Of whoever withdrew nothing is exported.
    withdrawal.withdraw(annotator=stopped.annotator)
    file = io.BytesIO()
    archive.write_archive(Study.objects.get(), "people", file)
    with zipfile.ZipFile(file) as files:
        assert stopped.annotator.pseudonym not in files.read("consents.tsv").decode()
    assert "1 person did not agree and" not in text(client.get(url(study, "privacy")))


def test_a_datasheet_says_that_people_are_counted_with_each_version() -> None:
    texts = [AgreedText(1, "Before.", 3), AgreedText(2, "After.", 2)]
    [question] = [one for one in QUESTIONS if one.key == "consent"]
    several, one = (
        question.known(SimpleNamespace(collected=SimpleNamespace(consents=found)))
        for found in (texts, texts[:1])
    )

    assert "3 annotators agreed to version 1" in several
    assert "2 annotators agreed to version 2" in several
    assert several.endswith("People who agreed to several versions are counted with each of them.")
    assert "several versions" not in one


def test_the_api_publishes_a_text_and_shows_its_version(study: Study) -> None:
    somebody = Participant(study)
    client: Client = by_token(study.owner)
    nobody_asked = client.get(address(study)).json()["consent"]
    assert nobody_asked.pop("published_at")
    assert nobody_asked == {
        "version": 1,
        "asks_since": None,
        "n_agreed": 1,
        "n_unanswered": 0,
        "n_stopped": 0,
    }

    body = {"consent": NEW, "consent_asks": "everybody", "consent_changes": "The time."}
    answer = client.patch(address(study), body, content_type="application/json")

    assert answer.status_code == 200, answer.content
    told = answer.json()["consent"]
    assert (told["version"], told["asks_since"], told["n_unanswered"]) == (2, 2, 1)
    assert somebody.get()["Location"] == somebody.url("consent/")
    history = text(signed_in(study.owner).get(url(study, "history")))
    assert (
        "1 person who has started will be asked to agree to version 2 of the consent text."
        in history
    )
    refused = client.patch(
        address(study), {"consent_changes": "Again."}, content_type="application/json"
    )
    assert refused.status_code in {400, 409}
    assert SAME in refused.content.decode()
