"""A label: one of the study's categories or several of them, stored together or not at all."""

from uuid import uuid4

import pytest

from annotation.answering.queries import screen_contents, screens
from annotation.answering.services import phases, withdrawal
from annotation.answering.services.judgments import AnsweredElsewhereError
from annotation.basics.categories import Categories, CategoriesError
from annotation.basics.errors import InvalidAnswerError
from annotation.models import Choice, Draft, Judgment
from tests.support import labelling
from tests.support.labelling import label, said, save
from tests.support.rating import join

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment():
    return join(labelling.make_label_study()).assignment


@pytest.fixture
def several():
    return join(labelling.make_label_study(several=True)).assignment


def first_of(assignment):
    return assignment.booklet.questions.order_by("screen").first()


def test_one_category_is_an_answer(assignment) -> None:
    judgment = label(assignment, first_of(assignment), "related")

    assert said(judgment) == ["related"]
    assert judgment.kind == "label"
    assert judgment.rating is None
    assert judgment.shown_order is None


def test_several_categories_are_one_answer_where_they_may_be(several) -> None:
    judgment = label(several, first_of(several), "same meaning", "related")

    assert said(judgment) == ["same meaning", "related"]
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("similar",), "from the categories of this question"),
        (("related", "similar"), "from the categories of this question"),
        (("Related",), "from the categories of this question"),
        (("same meaning", "related"), "Choose one category only"),
    ],
)
def test_what_does_not_fit_is_refused(assignment, names, message) -> None:
    with pytest.raises(InvalidAnswerError, match=message):
        save(assignment, first_of(assignment), *names)

    assert not Judgment.objects.exists()
    assert not Draft.objects.exists()


def test_a_category_named_twice_is_refused(several) -> None:
    with pytest.raises(InvalidAnswerError, match="Choose each category once"):
        save(several, first_of(several), "related", "related")

    assert not Choice.objects.exists()


def test_without_a_category_a_comment_is_a_draft(assignment) -> None:
    question = first_of(assignment)

    saved = save(assignment, question, comment="Hard to say.")

    assert isinstance(saved.row, Draft)
    assert saved.standing.answer.missing == ("categories",)
    assert saved.standing.answer.comment == "Hard to say."


def test_an_answer_that_is_taken_back_stands_as_a_draft_before_it(several) -> None:
    question = first_of(several)
    label(several, question, "related")

    saved = save(several, question)

    assert isinstance(saved.row, Draft)
    assert saved.standing.answer.categories is None
    assert screens.progress(phases.latest(several)).n_answered == 0


def test_a_resend_is_answered_with_what_is_stored(assignment) -> None:
    question, key = first_of(assignment), uuid4()
    first = save(assignment, question, "related", key=key)

    again = save(assignment, question, "related", key=key)

    assert again.row == first.row
    assert Choice.objects.count() == 1


def test_a_change_of_mind_is_a_revision_with_choices_of_its_own(several) -> None:
    question = first_of(several)
    earlier = label(several, question, "related", "nothing in common")

    later = label(several, question, "related")

    earlier.refresh_from_db()
    assert earlier.superseded_at is not None
    assert said(earlier) == ["related", "nothing in common"]
    assert said(later) == ["related"]


def test_the_same_categories_in_another_order_are_no_revision(several) -> None:
    question = first_of(several)
    earlier = label(several, question, "related", "same meaning")

    assert label(several, question, "same meaning", "related") == earlier


def test_another_answer_given_elsewhere_is_not_written_over(assignment) -> None:
    question = first_of(assignment)
    label(assignment, question, "related")

    with pytest.raises(AnsweredElsewhereError) as refused:
        save(assignment, question, "same meaning", base=["none"])

    assert refused.value.details["answer"]["categories"] == ["related"]
    assert said(Judgment.objects.get()) == ["related"]


def test_withdrawing_empties_the_choices(several) -> None:
    label(several, first_of(several), "related", "same meaning")

    withdrawal.withdraw(annotator=several.annotator)

    assert not Choice.objects.exists()
    assert Judgment.objects.get().withdrawn_at is not None


def test_what_was_chosen_comes_back_with_the_screen(several) -> None:
    study = several.annotator.study
    question = first_of(several)
    label(several, question, "nothing in common", "same meaning")

    [shown] = screens.with_answers(
        screens.shown_questions(
            screen_contents.of_screen(phases.latest(several), question.screen),
            study=study,
            seed=1,
            pseudonym="someone",
        ),
        several,
    )

    assert [c.value for c in shown.choices if c.is_chosen] == ["same meaning", "nothing in common"]
    assert [c.key for c in shown.choices] == ["1", "2", "3"]
    assert [c.explanation for c in shown.choices] == ["", "One says more, or something else.", ""]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one"], "List 2 to 30 categories, not 1."),
        ([f"c{n}" for n in range(31)], "not 31."),
        (["same", "Same"], "The category Same is listed twice."),
        (["a|b", "c"], r"The category name a\|b contains a character"),
        (["a" * 101, "b"], "longer than 100 characters"),
        (["a", " b"], "without spaces"),
    ],
)
def test_categories_nobody_could_choose_from_are_refused(names, message) -> None:
    with pytest.raises(CategoriesError, match=message):
        Categories.of({"names": names})
