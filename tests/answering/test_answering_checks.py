"""Somebody answers questions with a known answer, through the pages."""

from uuid import uuid4

import pytest
from django.http import HttpResponse

from annotation.models import Check, Judgment, Study, Telling
from tests.support.annotating import Participant
from tests.support.checking import (
    compared_texts,
    make_checked_comparisons,
    make_checked_ratings,
    rated_pairs,
)
from tests.support.researcher_pages import in_one_line

pytestmark = pytest.mark.django_db

READ_AGAIN = "This question has a known answer, and yours is different."


def rate(
    person: Participant, screen: int, rating: str, *, form: dict[str, str] | None = None
) -> HttpResponse:
    """Send a screen with a rating, as a browser does with what the page holds."""
    (question,) = person.questions(screen)
    form = person.form(screen) if form is None else form
    return person.post(f"s/{screen}/", {**form, f"q{question.pk}-rating": rating, "go": "next"})


def pick(person: Participant, screen: int, best: str, worst: str) -> HttpResponse:
    """The same of two items by their ids."""
    (question,) = person.questions(screen)
    keys = {member.item.key: member.item_id for member in question.tuple.members.all()}
    return person.post(
        f"s/{screen}/",
        {
            **person.form(screen),
            f"q{question.pk}-best": keys[best],
            f"q{question.pk}-worst": keys[worst],
            "go": "next",
        },
    )


class _Rater(Participant):
    def rate(self, screen: int, rating: str, *, form: dict[str, str] | None = None):
        return rate(self, screen, rating, form=form)

    def is_told(self, screen: int) -> bool:
        return 'class="told' in self.get(f"s/{screen}/").content.decode()


def _screen_of(study: Study, style: str) -> int:
    check = Check.objects.get(study=study, style=style)
    questions = study.design.booklets.get().questions
    if check.item_id:
        return questions.get(item=check.item_id).screen
    return questions.get(tuple__pool=check.pool_id).screen


def _leads_to(response, screen: int) -> bool:
    return response.status_code == 303 and response["Location"].endswith(f"/s/{screen}/")


def test_a_tutorial_says_whether_the_answer_is_right_and_why_then_next_goes_on() -> None:
    rater = _Rater(make_checked_ratings())
    assert not rater.is_told(1)

    first = rater.rate(1, "2")

    assert _leads_to(first, 1)
    page = in_one_line(rater.get("s/1/").content.decode())
    assert "That is not quite right." in page
    assert "<dd>6 (anything from 5 to 6 is right)</dd>" in page
    assert "Both say the same." in page
    assert _leads_to(rater.rate(1, "2"), 2)
    telling = Telling.objects.get()
    assert telling.judgment.rating == 2


def test_a_right_answer_to_a_tutorial_is_explained_too() -> None:
    rater = _Rater(make_checked_ratings())

    rater.rate(1, "5")

    page = rater.get("s/1/").content.decode()
    assert "That is right." in page
    assert "Both say the same." in page


def test_a_tutorial_whose_answer_becomes_right_is_not_told_twice() -> None:
    rater = _Rater(make_checked_ratings())
    rater.rate(1, "0")

    assert _leads_to(rater.rate(1, "6"), 2)
    assert Telling.objects.count() == 1


def test_a_loud_check_asks_again_and_lets_those_go_on_who_keep_their_answer() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")

    asked_again = rater.rate(screen, "0")

    assert _leads_to(asked_again, screen)
    page = rater.get(f"s/{screen}/").content.decode()
    assert READ_AGAIN in page
    # What is right is for them to find.
    assert "Both say the same." not in page
    assert "is right" not in page
    assert _leads_to(rater.rate(screen, "0"), screen + 1)
    assert Telling.objects.count() == 1


def test_whoever_answers_a_loud_check_rightly_hears_nothing_of_it() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")

    assert _leads_to(rater.rate(screen, "5"), screen + 1)
    assert not Telling.objects.exists()


def test_nobody_is_told_more_than_three_times() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")

    asked = [_leads_to(rater.rate(screen, rating), screen) for rating in "0123"]

    assert asked == [True, True, True, False]
    assert Telling.objects.count() == 3


def test_a_silent_check_is_a_question_like_any_other() -> None:
    study = make_checked_ratings(rated_pairs(["silent"]))
    rater, screen = _Rater(study), _screen_of(study, "silent")

    assert _leads_to(rater.rate(screen, "0"), screen + 1)
    assert not Telling.objects.exists()


def test_before_it_is_answered_no_page_shows_that_a_question_is_a_check() -> None:
    study = make_checked_ratings(rated_pairs(["loud", "silent"]))
    rater = _Rater(study)
    n_screens = study.design.booklets.get().n_screens

    pages = [rater.get(f"s/{n}/").content.decode() for n in range(1, n_screens + 1)]

    assert n_screens == 6
    said = ("known answer", "tutorial", "loud", "silent", "told", "expected", "explain")
    assert not [word for word in said for page in pages if word in page.lower()]
    assert all("data-posts" in page for page in pages)


def test_without_a_check_that_tells_screens_go_on_as_ever() -> None:
    study = make_checked_ratings(rated_pairs(["silent"]))

    assert b"data-posts" not in _Rater(study).get("s/1/").content


def test_the_same_form_from_two_tabs_tells_both_of_the_same_answer() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    form = rater.form(screen)

    answers = [rater.rate(screen, "0", form=form) for _tab in range(2)]

    assert all(_leads_to(answer, screen) for answer in answers)
    assert Judgment.objects.count() == Telling.objects.count() == 1


def test_what_was_told_is_forgotten_by_the_page_once_the_answer_is_another() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    rater.rate(screen, "0")
    assert rater.is_told(screen)

    rater.rate(screen, "6")

    assert not rater.is_told(screen)


def test_looking_at_a_check_writes_nothing() -> None:
    rater = _Rater(make_checked_ratings())
    rater.rate(1, "0")

    for _time in range(2):
        rater.get("s/1/")

    assert Telling.objects.count() == 1


def test_somebody_who_goes_back_is_not_held_up() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    (question,) = rater.questions(screen)

    response = rater.post(
        f"s/{screen}/",
        {**rater.form(screen), f"q{question.pk}-rating": "0", "go": "back"},
    )

    assert _leads_to(response, screen - 1)
    assert not Telling.objects.exists()


def test_a_pool_is_a_check_of_the_best_and_the_worst() -> None:
    study = make_checked_comparisons()
    person = Participant(study)

    assert _leads_to(pick(person, 1, "g1-best", "g1-middle"), 1)

    page = person.get("s/1/").content.decode()
    assert "That is not quite right." in page
    assert ">The best of 1.</dd>" in page
    assert ">The worst of 1.</dd>" in page
    assert "The first says it all." in page
    assert _leads_to(pick(person, 1, "g1-best", "g1-worst"), 2)


def test_half_of_a_loud_pool_is_not_enough() -> None:
    study = make_checked_comparisons(compared_texts(["loud"]))
    person, screen = Participant(study), _screen_of(study, "loud")

    assert _leads_to(pick(person, screen, "g1-middle", "g1-worst"), screen)
    assert READ_AGAIN in person.get(f"s/{screen}/").content.decode()
    assert _leads_to(pick(person, screen, "g1-best", "g1-worst"), screen + 1)


def test_who_walks_through_a_study_sees_what_is_known() -> None:
    from tests.support.researcher_pages import signed_in, url

    study = make_checked_ratings()

    page = signed_in(study.owner).get(url(study, "try_screen", 1, 1)).content.decode()

    assert "tutorial: explains the answer" in page
    assert "Both say the same." in page


def test_of_several_that_are_told_of_the_first_has_the_focus() -> None:
    study = make_checked_ratings(rated_pairs(["loud", "loud"]), questions_per_screen=6)
    rater = Participant(study)
    ratings = {f"q{question.pk}-rating": "0" for question in rater.questions(1)}

    assert _leads_to(rater.post("s/1/", {**rater.form(1), **ratings, "go": "next"}), 1)

    page = rater.get("s/1/").content.decode()
    assert page.count(READ_AGAIN) == 2
    assert page.count("autofocus") == 1


def test_a_comment_does_not_make_a_kept_answer_another_one() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    (question,) = rater.questions(screen)
    rater.rate(screen, "0")
    form = {**rater.form(screen), f"q{question.pk}-comment": "I am sure."}

    assert _leads_to(rater.rate(screen, "0", form=form), screen + 1)
    assert Judgment.objects.current().get().comment == "I am sure."
    assert Telling.objects.count() == 1
    # Nobody who comes back is held up by what was said of it.
    assert rater.is_told(screen)
    assert _leads_to(rater.rate(screen, "0"), screen + 1)


def test_somebody_who_returns_to_an_answer_that_was_told_of_is_not_told_anew() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    for rating in "010":
        assert _leads_to(rater.rate(screen, rating), screen)

    assert Telling.objects.count() == 2
    assert _leads_to(rater.rate(screen, "0"), screen + 1)


def test_a_form_that_says_nothing_of_what_was_told_shows_it_first() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    form = rater.form(screen)
    rater.rate(screen, "0", form=form)
    forged = {**form, f"q{rater.questions(screen)[0].pk}-told": "anything"}

    assert _leads_to(rater.rate(screen, "0", form=forged), screen)
    assert Telling.objects.count() == 1


def test_a_scale_that_was_changed_since_shuts_nobody_out() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]))
    rater, screen = _Rater(study), _screen_of(study, "loud")
    Study.objects.update(scale={"low": "0", "high": "4", "step": "1", "labels": {}})

    assert _leads_to(rater.rate(screen, "4"), screen)


def _save_in_background(person: Participant, screen: int, rating: str) -> None:
    """As the page's script does while somebody is still on the screen."""
    (question,) = person.questions(screen)
    form = person.form(screen)
    answer = {
        "rating": rating,
        "shown": form[f"q{question.pk}-shown"],
        "base": form[f"q{question.pk}-base"],
        "idempotency_key": str(uuid4()),
        "sequence": 1,
    }
    response = person.post(f"q/{question.pk}/", answer)
    assert response.status_code == 200, response.content


def test_whoever_comes_back_begins_with_the_tutorial_that_nobody_explained() -> None:
    person = Participant(make_checked_ratings())
    _save_in_background(person, 1, "2")

    assert person.get("").headers["Location"].endswith("/s/1/")
    assert not Telling.objects.exists()

    rate(person, 1, "2")
    assert "/s/2/#q" in person.get("").headers["Location"]


def test_nothing_is_sent_before_people_were_told_of_their_answers_to_checks() -> None:
    study = make_checked_ratings()
    person = Participant(study)
    loud = _screen_of(study, "loud")
    for screen in range(1, person.assignment.booklet.n_screens + 1):
        _save_in_background(person, screen, "0")

    assert _leads_to(person.post("submit/", {}), 1)
    assert "That is not right." in person.get("s/1/").content.decode()
    assert _leads_to(person.post("submit/", {}), loud)
    assert READ_AGAIN in person.get(f"s/{loud}/").content.decode()
    person.post("submit/", {})

    person.assignment.refresh_from_db()
    assert person.assignment.state == "submitted"
    assert Telling.objects.count() == 2


def test_of_several_questions_on_a_screen_only_the_wrong_check_is_asked_again() -> None:
    study = make_checked_ratings(rated_pairs(["loud"]), questions_per_screen=5)
    rater = Participant(study)
    check = study.checks.get().item_id
    questions = rater.questions(1)
    ratings = {
        f"q{question.pk}-rating": "0" if question.item_id == check else "4"
        for question in questions
    }

    asked_again = rater.post("s/1/", {**rater.form(1), **ratings, "go": "next"})

    assert len(questions) == 5
    assert _leads_to(asked_again, 1)
    assert Judgment.objects.current().filter(rating=4).count() == 4
    assert Telling.objects.get().judgment.question.item_id == check
    page = rater.get("s/1/").content.decode()
    assert page.count(READ_AGAIN) == 1
    kept = rater.post("s/1/", {**rater.form(1), **ratings, "go": "next"})
    assert kept["Location"].endswith("/overview/")
    assert Judgment.objects.count() == 5
