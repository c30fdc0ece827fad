"""What an order says: places of items, complete or not, once each."""

import pytest
from django.utils import timezone

from annotation.basics.errors import InvalidAnswerError
from annotation.kinds.ranking.answer import RankingAnswer, placed
from annotation.kinds.ranking.answering import OrderField
from annotation.kinds.shown import Shown
from tests.support.ranking import ordered

SHOWN = Shown(order=[4, 7, 9], at=timezone.now(), page="page")


def test_an_order_is_complete_once_every_item_has_a_place() -> None:
    assert RankingAnswer().missing == ("order",)
    assert RankingAnswer(((4, 1), (7, None), (9, 2))).missing == ("order",)
    assert ordered([9, 4, 7]).missing == ()


def test_an_order_without_places_says_nothing() -> None:
    assert RankingAnswer(((4, None), (7, None), (9, None))).is_empty
    assert not RankingAnswer(((4, None), (7, 1), (9, None))).is_empty
    assert not RankingAnswer(comment="why").is_empty


def test_the_same_places_are_the_same_answer_in_whatever_order_they_are_sent() -> None:
    one = RankingAnswer(((4, 1), (7, 2), (9, 3)))

    assert one.says_the_same(RankingAnswer(((9, 3), (4, 1), (7, 2))))
    assert not one.says_the_same(RankingAnswer(((9, 1), (4, 3), (7, 2))))


@pytest.mark.parametrize(
    "order",
    [
        ((4, 1), (7, 2), (8, 3)),  # another item
        ((4, 1), (7, 2)),  # one is left out
        ((4, 1), (4, 2), (9, 3)),  # one twice
        ((4, 1), (7, 1), (9, 2)),  # a place twice
        ((4, 0), (7, 1), (9, 2)),  # no place
        ((4, 1), (7, 2), (9, 4)),  # beyond the last
    ],
)
def test_what_is_no_order_of_the_shown_items_is_refused(order: tuple) -> None:
    with pytest.raises(InvalidAnswerError):
        RankingAnswer(order).check(SHOWN)


def test_a_part_of_an_order_fits() -> None:
    RankingAnswer(((4, 3), (7, None), (9, None))).check(SHOWN)
    RankingAnswer().check(SHOWN)


def test_a_draft_and_a_form_say_the_same() -> None:
    answer = RankingAnswer(((4, 2), (7, None), (9, 1)), comment="why")

    assert RankingAnswer.of_payload(answer.payload).says_the_same(answer)
    assert [value for _name, value in answer.as_fields] == ["9:1", "4:2", "7:"]
    sent = OrderField(required=False).clean([value for _name, value in answer.as_fields])
    assert RankingAnswer(sent, comment="why").says_the_same(answer)


@pytest.mark.parametrize("written", ["", "4", "4:x", "x:1", "4:1:2", "9" * 5000 + ":1"])
def test_what_is_no_item_with_a_place_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"item|literal"):
        placed(written)
