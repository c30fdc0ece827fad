"""Whatever is refused is a page of the site: it says why, what helps, and leads back."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.forms import Form
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics.errors import ImportProblemsError
from annotation.core.pages import frame as pages
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import Annotator, Job, Study
from annotation.studies.services import studies
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import finish_booklet, said, signed_in, text, url

pytestmark = pytest.mark.django_db

HOST = "http://testserver"


def empty() -> Study:
    return make_study(dialogues=0)


def made() -> Study:
    study = make_study()
    designs.make(design=study.design)
    return study


def opened() -> Study:
    study = make_open_study()
    finish_booklet(study)
    return study


def paused() -> Study:
    return studies.pause(study=opened())


def closed() -> Study:
    return studies.close(study=opened())


def finished() -> Study:
    return studies.finish(study=opened())


STATES: list[Callable[[], Study]] = [empty, made, opened, paused, closed, finished]

# What every button of a study sends, wrong or right for its state.
ACTIONS: dict[str, tuple[tuple[object, ...], dict[str, str]]] = {
    "describe": ((), {"title": "New", "instructions": "Other."}),
    "upload": ((), {}),
    "import_columns": (("1-1-0",), {"filename": "a.tsv"}),
    "import_start": (("1-1-0",), {"filename": "a.tsv"}),
    "design": ((), {"tuple_size": "9", "make": "1"}),
    "make_design": ((), {}),
    "try": ((), {}),
    "try_instructions": ((), {}),
    "try_walked": ((), {}),
    "open": ((), {}),
    "pause": ((), {}),
    "resume": ((), {}),
    "close": ((), {}),
    "finish": ((), {}),
    "switch_link": ((), {"link_open": "off"}),
    "roster": ((), {"entries": ""}),
    "roster_links": ((), {"links": "forged"}),
    "exclude": (("annotator",), {"reason": ""}),
    "include": (("annotator",), {}),
    "reissue": (("annotator",), {}),
    "remove": (("annotator",), {}),
    "score": ((), {"population": "simulated"}),
    "prepare": ((), {"population": "nobody"}),
    "share": ((), {"username": "nobody at all"}),
    "unshare": ((), {"user": "1"}),
    "delete": ((), {}),
}


def somebody(study: Study) -> Annotator:
    return rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])[0].annotator


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_every_button_in_every_state_leads_to_a_page_of_the_site(
    state: Callable[[], Study],
) -> None:
    study = state()
    client = signed_in(study.owner)
    annotator = somebody(study)

    for name, (arguments, fields) in ACTIONS.items():
        filled = [annotator.pk if one == "annotator" else one for one in arguments]
        # Each button meets the same study.
        with transaction.atomic():
            response = client.post(url(study, name, *filled), fields, follow=True)
            transaction.set_rollback(True)

        assert response.status_code in {200, 400, 403, 404, 409}, (name, response.status_code)
        assert f'href="{url(study, "change")}"' in text(response) or name == "delete", name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "name", "why"),
    [
        (empty, "open", "There are no items yet. Import them first."),
        (empty, "make_design", "There are no items yet. Import them first."),
        (empty, "try_walked", "There is no design yet. Make one, then walk through it."),
        (empty, "score", "There is no design yet, so there is nothing to score."),
        (
            made,
            "score",
            "No answers count yet. Answers count once somebody has completed a booklet.",
        ),
        (made, "pause", "You cannot do this now: the study is draft."),
        (opened, "make_design", "The design has been frozen since the study was opened."),
        (
            opened,
            "upload",
            "The items have been frozen since the study was opened. To use other items, create a"
            " new study.",
        ),
        (finished, "resume", "You cannot do this now: the study is finished."),
        (opened, "prepare", "Choose people's answers or simulated answers."),
        (opened, "unshare", "The study is no longer shared with that person."),
    ],
)
def test_a_refusal_says_why(state: Callable[[], Study], name: str, why: str) -> None:
    study = state()
    fields = {"population": "nobody"} if name == "prepare" else {"population": "people"}
    if name == "upload":
        fields = {"file": SimpleUploadedFile("a.txt", b"a\nb\nc\n")}  # type: ignore[dict-item]

    response = signed_in(study.owner).post(url(study, name), fields, follow=True)

    assert why in said(response)


# -- Signed out, out of date --------------------------------------------------------------------


def test_a_refusal_that_quotes_a_line_break_is_one_message(monkeypatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(pages.messages, "error", lambda request, text: told.append(text))
    reasons = ["“night\u2028shift” is too small.", "Line 3 has no text."]

    with pages.refusals(RequestFactory().post("/")):
        raise ImportProblemsError(reasons)

    assert told == reasons


def test_what_was_typed_outlives_the_sign_in() -> None:
    study = make_study()

    response = Client().post(
        url(study, "describe"),
        {"title": "Kept", "instructions": "Read all of it, please, and then some more of it."},
    )

    page = text(response)
    assert response.status_code == 403
    assert "You are no longer signed in" in page
    assert "Read all of it, please, and then some more of it.</textarea>" in page
    assert re.search(r'<label for="typed-\d+">Instructions</label>', page)
    assert 'name="title" value="Kept"' in page
    study.refresh_from_db()
    assert study.title != "Kept"
    assert "no-store" in response["Cache-Control"]


def test_a_form_older_than_the_sign_in_is_sent_again_with_one_button() -> None:
    study = make_study()
    client = signed_in(study.owner, enforce_csrf_checks=True)
    fields = {
        "csrfmiddlewaretoken": "x" * 64,
        "username": make_user("ada").username,
        "role": "reader",
    }

    old = client.post(url(study, "share"), fields, headers={"origin": HOST})
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text(old))
    assert token
    again = {**fields, "csrfmiddlewaretoken": token[1]}
    client.post(url(study, "share"), again, headers={"origin": HOST})

    assert old.status_code == 403
    assert "Send it again" in text(old)
    assert "no-store" in old["Cache-Control"]
    assert study.shared_with.get().username == "ada"


def test_a_form_of_another_site_is_not_offered_to_be_sent_again() -> None:
    study = make_study()
    client = signed_in(study.owner, enforce_csrf_checks=True)

    response = client.post(
        url(study, "share"), {"username": "ada"}, headers={"origin": "https://elsewhere.example"}
    )

    assert response.status_code == 403
    assert "Nothing was saved." in text(response)
    assert "Send it again" not in text(response)


def test_a_password_is_never_shown_again() -> None:
    client = Client(enforce_csrf_checks=True)

    response = client.post(
        reverse("admin:login"),
        {"username": "ada", "password": "secret-7381"},
        headers={"origin": HOST},
    )

    assert response.status_code == 403
    assert "secret-7381" not in text(response)
    assert reverse("admin:login") in text(response)


# -- Not found, not a page ----------------------------------------------------------------------


def test_what_is_sent_to_a_page_that_takes_nothing_leads_back() -> None:
    study = make_study()

    response = signed_in(study.owner).post(url(study, "items"))

    assert response.status_code == 405
    assert response["Allow"] == "GET"
    assert f'href="{url(study, "change")}"' in text(response)


def test_somebody_elses_study_is_not_found_and_its_title_is_not_told() -> None:
    study = make_study(title="Very private")

    response = signed_in().get(url(study, "change"))

    assert response.status_code == 404
    assert "Very private" not in text(response)
    assert "not shared with you" in text(response)
    assert f'href="{reverse("admin:index")}"' in text(response)


def test_a_job_of_another_study_is_not_found_and_leads_back_to_the_study() -> None:
    mine = make_study()
    theirs = jobs.start(study=make_study(), kind=Job.Kind.MAKE_DESIGN)

    response = signed_in(mine.owner).get(url(mine, "job", theirs.pk))

    assert response.status_code == 404
    assert f'href="{url(mine, "change")}"' in text(response)


def test_a_form_that_is_too_large_says_how_large_it_may_be() -> None:
    study = make_study()

    response = signed_in(study.owner).post(
        url(study, "describe"), {"instructions": "x" * 1_100_000}
    )

    assert response.status_code == 400
    assert "A form can hold 1 MiB. Nothing was saved." in text(response)


def test_other_addresses_keep_the_plain_page(client: Client) -> None:
    response = client.get("/nowhere/")

    assert response.status_code == 404
    assert "Please check that the link is complete." in text(response)


# -- Two researchers ----------------------------------------------------------------------------


@pytest.fixture
def shared() -> tuple[Study, User]:
    study, colleague = make_study(title="Ours"), make_user("ada")
    study.shared_with.add(colleague)
    return study, colleague


def texts(client: Client, study: Study) -> dict[str, str]:
    page = client.get(url(study, "describe"))
    return {"basis": page.context["basis"], **as_typed(page.context["form"])}


def as_typed(form: Form) -> dict[str, str]:
    return {field.html_name: "" if (v := field.value()) is None else str(v) for field in form}


def test_texts_that_somebody_else_saved_meanwhile_are_not_overwritten(
    shared: tuple[Study, User],
) -> None:
    study, colleague = shared
    mine, theirs = signed_in(study.owner), signed_in(colleague)
    typed = texts(mine, study)
    theirs.post(url(study, "describe"), {**texts(theirs, study), "title": "Hers"})

    refused = mine.post(url(study, "describe"), {**typed, "thanks": "Danke."})

    study.refresh_from_db()
    page = text(refused)
    assert refused.status_code == 409
    assert "ada saved changes" in page
    assert "Title" in page
    assert study.title == "Hers"
    assert 'value="Ours"' in page  # what was typed is kept
    kept = {"basis": refused.context["basis"], **as_typed(refused.context["form"])}
    assert mine.post(url(study, "describe"), kept).status_code == 302
    study.refresh_from_db()
    assert (study.title, study.thanks) == ("Ours", "Danke.")


def test_texts_that_nobody_else_touched_are_saved(shared: tuple[Study, User]) -> None:
    study, _colleague = shared
    client = signed_in(study.owner)

    assert client.post(url(study, "describe"), {**texts(client, study), "title": "New"}).url

    study.refresh_from_db()
    assert study.title == "New"
