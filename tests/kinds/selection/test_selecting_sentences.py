"""A selection: three sentences, three roles, three ratings, stored together or not at all."""

from decimal import Decimal
from uuid import uuid4

import pytest

from annotation.answering.queries import screen_contents, screens
from annotation.answering.queries.shown_questions import shown_questions
from annotation.answering.services import phases, withdrawal
from annotation.answering.services.judgments import AnsweredElsewhereError
from annotation.basics.errors import InvalidAnswerError
from annotation.kinds.selection.answer import ROLES, SelectionAnswer
from annotation.models import Draft, Judgment, Pick
from tests.support import selecting

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment():
    return selecting.join(selecting.make_selection_study()).assignment


@pytest.fixture
def question(assignment):
    return assignment.booklet.questions.order_by("screen").first()


def said(judgment: Judgment) -> dict[str, tuple[int, Decimal]]:
    return {pick.role: (pick.turn_id, pick.rating) for pick in judgment.picks.all()}


def test_a_complete_answer_is_a_judgment_with_a_pick_for_each_role(assignment, question) -> None:
    turns = selecting.choices(question)

    judgment = selecting.select(assignment, question, places=(3, 0, 5), ratings=("5", "3", "0"))

    assert said(judgment) == {
        "similar": (turns[3], 5),
        "middle": (turns[0], 3),
        "dissimilar": (turns[5], 0),
    }
    assert judgment.shown_order == turns
    assert judgment.rating is None


def test_only_the_sentences_of_the_reports_are_offered(assignment, question) -> None:
    turns = selecting.choices(question)

    assert len(turns) == sum(selecting.REPORTS)
    assert question.turn_id not in turns


@pytest.mark.parametrize("left_out", SelectionAnswer.PARTS)
def test_without_one_of_its_parts_an_answer_is_a_draft(assignment, question, left_out) -> None:
    whole = selecting.answer_to(question)
    parts = {name: getattr(whole, name) for name in SelectionAnswer.PARTS if name != left_out}

    saved = selecting.save(assignment, question, SelectionAnswer(**parts))

    assert isinstance(saved.row, Draft)
    assert saved.standing.answer.missing == (left_out,)
    assert saved.standing.answer.says_the_same(SelectionAnswer(**parts))
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("places", "ratings", "message"),
    [
        ((1, 1, 2), ("6", "3", "0"), "three different sentences"),
        ((0, 1, 2), ("6", "3.5", "0"), "a value of the scale"),
        ((0, 1, 2), ("7", "3", "0"), "a value of the scale"),
    ],
)
def test_what_does_not_fit_is_refused(assignment, question, places, ratings, message) -> None:
    with pytest.raises(InvalidAnswerError, match=message):
        selecting.select(assignment, question, places=places, ratings=ratings)

    assert not Pick.objects.exists()


def test_a_sentence_of_the_summary_cannot_be_chosen(assignment, question) -> None:
    answer = selecting.answer_to(question)
    answer = SelectionAnswer(
        question.turn_id, answer.middle, answer.dissimilar, *map(Decimal, ("6", "3", "0"))
    )

    with pytest.raises(InvalidAnswerError, match="sentences of these reports"):
        selecting.save(assignment, question, answer)


def test_a_change_of_mind_is_a_revision_and_both_keep_their_picks(assignment, question) -> None:
    first = selecting.select(assignment, question)
    second = selecting.select(assignment, question, places=(2, 1, 0))

    first.refresh_from_db()
    assert first.superseded_at is not None
    assert len(said(first)) == len(said(second)) == 3
    assert said(first)["similar"][0] == said(second)["dissimilar"][0]


def test_saying_the_same_again_makes_no_revision(assignment, question) -> None:
    first = selecting.select(assignment, question)
    again = selecting.select(assignment, question)

    assert again == first
    assert Pick.objects.count() == 3


def test_a_resend_is_answered_with_what_was_stored(assignment, question) -> None:
    key = uuid4()
    answer = selecting.answer_to(question)
    first = selecting.save(assignment, question, answer, key=key)

    again = selecting.save(assignment, question, answer, key=key)

    assert again.row == first.row
    assert again.standing.answer.says_the_same(answer)


def test_an_answer_given_elsewhere_is_not_written_over(assignment, question) -> None:
    stands = selecting.select(assignment, question)

    with pytest.raises(AnsweredElsewhereError) as refused:
        selecting.save(
            assignment, question, selecting.answer_to(question, (2, 3, 4)), base=["none"]
        )

    answer = refused.value.details["answer"]
    assert answer["similar"] == said(stands)["similar"][0]
    assert answer["similar_rating"] == "6"


def test_withdrawing_leaves_no_pick_behind(assignment, question) -> None:
    selecting.select(assignment, question)
    selecting.select(assignment, question, places=(2, 1, 0))

    withdrawal.withdraw(annotator=assignment.annotator)

    assert Judgment.objects.count() == 2
    assert not Pick.objects.exists()


def test_a_screen_shows_what_is_stored_in_as_many_queries_for_any_number_of_sentences(
    django_assert_num_queries,
) -> None:
    def shown(study):
        run = phases.latest(selecting.join(study).assignment)
        question = run.questions.order_by("screen").first()
        selecting.select(run.assignment, question)
        assert run.assignment.booklet.n_screens > 0  # read before, as the page does
        with django_assert_num_queries(6):
            [screen] = screens.with_answers(
                shown_questions(
                    screen_contents.of_screen(run, 1),
                    study=study,
                    seed=1,
                    pseudonym="p",
                ),
                run.assignment,
            )
        return screen

    for reports in ((4, 2), (9, 1, 7)):
        screen = shown(selecting.make_selection_study(reports=reports))
        assert [role.name for role in screen.roles] == list(ROLES)
        assert [role.rating for role in screen.roles] == ["6", "3", "0"]
        assert screen.order[:3] == [role.turn for role in screen.roles]
        assert screen.current.number == 1
