"""Creating, describing, sharing and deleting a study on the researcher's pages."""

import pytest
from django.urls import reverse

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.basics.sentences import read
from annotation.models import AuditEvent, Person, Study
from annotation.studies.pages import describing
from annotation.studies.queries import overview
from annotation.studies.services import studies
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db


def described(study: Study, **changes: str) -> dict[str, str]:
    """The form of the describe page as a browser sends it back, with some fields changed."""
    response = signed_in(study.owner).get(url(study, "describe"))
    form = response.context["form"]
    sent = {
        field.name: str("" if field.value() is None else field.value()).replace("\n", "\r\n")
        for field in form
        if not field.field.disabled
    }
    return {**sent, **changes}


# -- Creating -----------------------------------------------------------------------------------


def test_a_study_is_made_from_a_preset_with_the_texts_of_its_language() -> None:
    user = make_user()

    response = signed_in(user).post(
        reverse("admin:annotation_study_add"),
        {"title": "Ähnlich?", "preset": "giccs", "language": "de"},
    )

    study = Study.objects.get()
    assert response["Location"] == url(study, "change")
    assert (study.title, study.owner, study.preset) == ("Ähnlich?", user, "giccs")
    assert "ähnlich" in study.instructions
    assert study.design.parameters["tuple_size"] == 3
    assert read(AuditEvent.objects.get().said) == "Created the study."


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_language_of_a_new_study_is_at_first_that_of_the_page(language: str) -> None:
    response = signed_in().get(
        reverse("admin:annotation_study_add"), headers={"Accept-Language": language}
    )

    assert f'name="language" value="{language}"' in text(response)


def test_any_language_code_is_accepted() -> None:
    signed_in().post(
        reverse("admin:annotation_study_add"),
        {"title": "Tere", "preset": "best-worst", "language": "et"},
    )

    assert Study.objects.get().language == "et"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"title": ""}, "This field is required."),
        ({"language": "English!"}, "Use a language code, such as en, de, cs, fr or pt-BR."),
        ({"preset": "none"}, "none is not one of the available choices."),
    ],
)
def test_a_wrong_form_makes_no_study(wrong: dict[str, str], sentence: str) -> None:
    form = {"title": "Title", "preset": "giccs", "language": "en", **wrong}

    response = signed_in().post(reverse("admin:annotation_study_add"), form)

    assert response.status_code == 400
    assert sentence in text(response)
    assert not Study.objects.exists()


# -- Describing ---------------------------------------------------------------------------------


def test_saving_an_untouched_form_changes_nothing() -> None:
    study = make_study()
    before = Study.objects.filter(pk=study.pk).values().get()

    response = signed_in(study.owner).post(url(study, "describe"), described(study))

    assert response.status_code == 302
    assert Study.objects.filter(pk=study.pk).values().get() == before
    assert study.consent_texts.count() == 1
    assert not AuditEvent.objects.exists()


def test_what_a_new_consent_text_changes_is_said_once_somebody_can_have_agreed() -> None:
    pages = {
        study.state: text(signed_in(study.owner).get(url(study, "describe")))
        for study in (make_study(), make_open_study())
    }

    assert "data-new-version" not in pages["draft"]
    assert "data-new-version" in pages["open"]


def test_texts_are_stored_as_typed_and_a_new_consent_is_a_new_version() -> None:
    study = make_study()
    form = described(study, instructions="**Read**\r\n\r\n  then = choose", consent="I agree.")

    signed_in(study.owner).post(url(study, "describe"), form)

    study.refresh_from_db()
    assert study.instructions == "**Read**\n\n  then = choose"
    assert studies.current_consent(study).version == 2


def test_worked_example_and_comprehension_are_read_from_plain_lines() -> None:
    study = make_study()
    form = described(
        study,
        example_dialogue="Ada: Is it late?\r\n: 10:30, I think",
        example_candidates="one\r\ntwo\r\n\r\nthree",
        example_best="1",
        example_worst="3",
        example_explanation="Because.",
        check_prompt="Which?",
        check_options="a\r\nb",
        check_right="2",
        check_feedback="No.",
    )

    signed_in(study.owner).post(url(study, "describe"), form)

    study.refresh_from_db()
    assert study.worked_example == {
        "turns": [
            {"speaker": "Ada", "text": "Is it late?"},
            {"speaker": "", "text": "10:30, I think"},
        ],
        "candidates": ["one", "two", "three"],
        "best": 1,
        "worst": 3,
        "explanation": "Because.",
    }
    assert study.comprehension == {
        "prompt": "Which?",
        "options": ["a", "b"],
        "right": 2,
        "feedback": "No.",
    }
    # What was stored comes back as the same lines.
    assert described(study)["example_dialogue"] == "Ada: Is it late?\r\n: 10:30, I think"


def test_emptying_the_worked_example_removes_it() -> None:
    study = make_study()
    empty = dict.fromkeys(
        [
            "example_dialogue",
            "example_candidates",
            "example_best",
            "example_worst",
            "example_explanation",
        ],
        "",
    )

    signed_in(study.owner).post(url(study, "describe"), described(study, **empty))

    study.refresh_from_db()
    assert study.worked_example == {}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"example_worst": "2", "example_best": "2"}, "must be two different candidates"),
        ({"example_best": "9"}, "Give a number from 1 to 4."),
        ({"example_dialogue": "Ada:"}, "Turn 1 has a speaker and no text."),
        ({"example_candidates": "only one"}, "Write at least two candidates, one per line."),
        ({"check_prompt": "Which?", "check_options": "a"}, "Write at least two answers"),
        (
            {"check_prompt": "Which?", "check_options": "a\nb", "check_right": "3"},
            "Give a number from 1 to 2.",
        ),
        ({"most_question": ""}, "This field is required."),
    ],
)
def test_a_wrong_description_is_refused_and_kept_in_the_form(
    wrong: dict[str, str], sentence: str
) -> None:
    study = make_study()
    before = Study.objects.filter(pk=study.pk).values().get()
    form = described(study, instructions="typed for an hour", **wrong)

    response = signed_in(study.owner).post(url(study, "describe"), form)

    assert response.status_code == 400
    assert sentence in text(response)
    assert "typed for an hour" in text(response)
    assert Study.objects.filter(pk=study.pk).values().get() == before


def test_a_preview_shows_the_text_harmlessly_and_stores_nothing() -> None:
    study = make_study()
    form = described(study, consent="**bold** <script>alert(1)</script>")

    response = signed_in(study.owner).post(url(study, "describe"), {**form, "preview": "1"})

    assert response.status_code == 200
    assert "<strong>bold</strong>" in text(response)
    assert "<script>alert(1)" not in text(response)
    assert study.consent_texts.count() == 1


def test_frozen_texts_are_shown_read_only_with_the_reason_and_others_stay_editable() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    page = text(client.get(url(study, "describe")))
    client.post(url(study, "describe"), described(study, thanks="Merci."))

    study.refresh_from_db()
    assert "are frozen, so that everybody answers the same question" in page
    assert study.thanks == "Merci."


def test_what_a_page_loaded_before_the_opening_sends_is_refused_and_kept() -> None:
    study = make_open_study(state=Study.State.DRAFT)
    before = study.instructions
    Study.objects.filter(pk=study.pk).update(state=Study.State.DRAFT)
    study.refresh_from_db()
    stale = described(study, instructions="Do something else.", thanks="Merci.")
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)

    response = signed_in(study.owner).post(url(study, "describe"), stale)

    study.refresh_from_db()
    assert response.status_code == 409
    assert "frozen, because the study has been opened" in text(response)
    assert "Do something else." in text(response)
    assert study.instructions == before
    assert study.thanks != "Merci."


# -- Sharing and deleting -----------------------------------------------------------------------


def test_the_owner_shares_and_takes_it_back() -> None:
    study, colleague = make_study(), make_user("colleague")
    client = signed_in(study.owner)

    client.post(url(study, "share"), {"username": " colleague ", "role": "reader"})
    assert signed_in(colleague).get(url(study, "change")).status_code == 200

    client.post(url(study, "unshare"), {"user": colleague.pk})
    assert signed_in(colleague).get(url(study, "change")).status_code == 404


def test_sharing_with_somebody_who_may_not_log_in_says_what_to_tick() -> None:
    study = make_study()
    make_user("student", is_staff=False)

    response = signed_in(study.owner).post(
        url(study, "share"), {"username": "student", "role": "reader"}
    )

    assert response.status_code == 400
    (problem,) = response.context["form"].errors["username"]
    assert "“student” has an account but cannot log in here." in problem
    assert not study.shared_with.exists()


@pytest.mark.parametrize("name", ["nobody", "gone"])
def test_sharing_with_somebody_who_is_no_researcher_is_refused(name: str) -> None:
    study = make_study()
    make_user("gone", is_active=False)

    response = signed_in(study.owner).post(
        url(study, "share"), {"username": name, "role": "reader"}
    )

    assert response.status_code == 400
    assert "There is no researcher" in text(response)
    assert not study.shared_with.exists()


def test_sharing_without_a_name_asks_for_one() -> None:
    study = make_study()

    response = signed_in(study.owner).post(
        url(study, "share"), {"username": " ", "role": "reader"}
    )

    assert response.status_code == 400
    assert "no researcher" not in text(response)
    assert "username" in response.context["form"].errors


def test_a_draft_with_design_and_roster_is_deleted_whole() -> None:
    study = make_open_study()
    rosters.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
    Study.objects.filter(pk=study.pk).update(state=Study.State.DRAFT)
    study.design.__class__.objects.update(frozen_at=None)
    client = signed_in(study.owner)

    page = client.get(url(study, "delete"))
    assert Study.objects.exists()
    response = client.post(url(study, "delete"), follow=True)

    assert "This cannot be undone." in text(page)
    assert said(response) == [f"Deleted: {study.title}."]
    assert not Study.objects.exists()
    assert not Person.objects.exists()


def test_collected_data_cannot_be_deleted() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    page = client.get(url(study, "delete"))
    response = client.post(url(study, "delete"), follow=True)

    assert "Only a draft can be deleted" in text(page)
    assert "<button" not in text(page).split('id="content"')[1]
    assert said(response) == ["Only a draft without answers can be deleted."]
    assert Study.objects.exists()


# -- Finding ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_studies_are_searched_by_title_owner_and_state(monkeypatch) -> None:
    monkeypatch.setattr(overview, "PER_PAGE", 2)
    user, colleague = make_user("grace"), make_user("alan")
    client, page = signed_in(user), reverse("admin:index")
    made = [make_study(owner=user, dialogues=0) for _n in range(2)]
    assert 'role="search"' not in text(client.get(page))
    theirs = make_open_study(owner=colleague)
    theirs.shared_with.add(user)
    strange = make_study(owner=colleague, dialogues=0)
    Study.objects.filter(pk=made[0].pk).update(title="Replies by Alan, spoken")
    Study.objects.filter(pk=made[1].pk).update(title="Replies, written")

    def found(**wanted: str) -> set[int]:
        return {card.study.pk for card in client.get(page, wanted).context["studies"]}

    assert 'role="search"' in text(client.get(page))
    assert found(words="replies") == {made[0].pk, made[1].pk}
    assert found(words="SPOKEN replies") == {made[0].pk}
    assert found(words="alan") == {made[0].pk, theirs.pk}
    assert found(state="open") == {theirs.pk}
    assert found(state="open", words="replies") == set()
    assert found(state="of no kind", words="\x00replies") == found(words="replies")
    # The next page is one of the same search.
    assert "words=&amp;state=draft&amp;page=" not in text(client.get(page, {"state": "draft"}))
    monkeypatch.setattr(overview, "PER_PAGE", 1)
    assert "words=&amp;state=draft&amp;page=2" in text(client.get(page, {"state": "draft"}))
    nothing = text(client.get(page, {"words": strange.title}))
    assert "None of your studies match" in nothing
    assert "No study yet" not in nothing


@pytest.mark.parametrize(
    "slow",
    ["a" + "\u0315" * 31, "![" * 501, "x" * 20_001],
    ids=["marks", "brackets", "long"],
)
@pytest.mark.parametrize("name", ["consent", "instructions", "thanks", "example_explanation"])
def test_texts_that_are_slow_to_show_are_refused(name: str, slow: str) -> None:
    study = make_study(n_items=0)
    changes = {name: slow}

    for more in ({}, {"preview": "1"}):
        response = signed_in(study.owner).post(
            url(study, "describe"), described(study, **changes) | more
        )

        assert response.status_code == 400
        assert list(response.context["form"].errors) == [name]
        assert response.context["preview"] is None


@pytest.mark.slow
def test_one_preview_is_made_at_a_time() -> None:
    study = make_study(n_items=0)
    sent = described(study, thanks="# Thanks") | {"preview": "1"}

    with describing._ONE_PREVIEW.taken():
        response = signed_in(study.owner).post(url(study, "describe"), sent)

    assert response.status_code == 429
    assert response.context["preview"] is None
    assert response.context["form"]["thanks"].value() == "# Thanks"
    assert signed_in(study.owner).post(url(study, "describe"), sent).context["preview"]
