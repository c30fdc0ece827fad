"""The rows of a person's page: what was asked in its own words, the answer, what others chose."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.kinds.people_answers import AskedText, Others, OthersChoice, Own, SaidText
from annotation.kinds.registry import kind_of
from annotation.models import Item, Member, Study, Turn

# By what the answers can be sorted.
ORDERS = ("asked", "disagreement")


@dataclass(frozen=True)
class AnswerRow:
    """One answer as the page shows it, beside those of the others."""

    booklet: int
    phase: int
    screen: int
    # What the texts are compared with; None if each has a target of its own, or none.
    target: AskedText | None
    asked: Sequence[AskedText]
    said: Sequence[SaidText]
    others: OthersChoice | None
    seconds: float | None
    usual: float | None
    is_repeat: bool


def in_order(study: Study, own: Sequence[Own], others: Others, order: str) -> list[Own]:
    """As asked; or those first that differ most from the others, and last what nobody else has."""
    if order != "disagreement":
        return list(own)
    part = kind_of(study).people
    choices = {answer.pk: part.others_choice(answer, others) for answer in own}

    def place(answer: Own) -> tuple[bool, float]:
        choice = choices[answer.pk]
        return choice is None, 0.0 if choice is None else -choice.disagreement

    return sorted(own, key=place)


def answer_rows(study: Study, own: Sequence[Own], others: Others) -> list[AnswerRow]:
    """One page of answers, in words; in as many queries for many as for few."""
    shown = _shown(own)
    items = _items(own, shown)
    turns = _turns(own)
    part = kind_of(study).people
    return [
        _row(
            answer,
            [items[pk] for pk in shown[answer.pk]],
            turns,
            answer_texts=part.said(answer, items, turns),
            others=part.others_choice(answer, others),
            usual=others.usual_seconds(answer.asked),
        )
        for answer in own
    ]


def _row(
    own_answer: Own,
    shown: Sequence[Item],
    turns: Mapping[int, AskedText],
    *,
    answer_texts: Sequence[SaidText],
    others: OthersChoice | None,
    usual: float | None,
) -> AnswerRow:
    target, question_texts = _asked(shown)
    if (sentence := turns.get(own_answer.asked[3] or 0)) is not None:
        question_texts = [sentence]
    return AnswerRow(
        booklet=own_answer.booklet,
        phase=own_answer.phase,
        screen=own_answer.place[0],
        target=target,
        asked=question_texts,
        said=answer_texts,
        others=others,
        seconds=own_answer.seconds,
        usual=usual,
        is_repeat=own_answer.is_repeat,
    )


def _asked(shown: Sequence[Item]) -> tuple[AskedText | None, list[AskedText]]:
    """The target that all have in common, and the texts that were compared with it."""
    targets = {item.target for item in shown} - {""}
    if len(targets) == 1:
        return (
            AskedText("", targets.pop()),
            [AskedText(item.key, item.candidate) for item in shown],
        )
    return None, [AskedText(item.key, _both(item)) for item in shown]


def _both(item: Item) -> str:
    return f"{item.target} – {item.candidate}" if item.target else item.candidate


def _shown(own: Iterable[Own]) -> dict[int, list[int]]:
    """By answer: the items on the screen, in their order; nobody knows that of imported ones."""
    without_order = {answer.asked[1] for answer in own if not answer.shown_order} - {None}
    members: dict[int, list[int]] = {}
    if without_order:
        rows = Member.objects.filter(tuple__in=without_order).order_by("tuple", "position")
        for tuple_pk, item in rows.values_list("tuple_id", "item_id"):
            members.setdefault(tuple_pk, []).append(item)
    return {answer.pk: _shown_for(answer, members) for answer in own}


def _shown_for(own_answer: Own, members: Mapping[int, list[int]]) -> list[int]:
    if own_answer.asked[3] is not None:
        return []  # a selection shows sentences, which are no items
    if own_answer.asked[2] is not None:
        return [own_answer.asked[2]]
    return list(own_answer.shown_order) or members.get(own_answer.asked[1] or 0, [])


def _items(own: Iterable[Own], shown: Mapping[int, Sequence[int]]) -> dict[int, Item]:
    picked = {pk for answer in own for pk in answer.answer.items}
    rows = Item.objects.select_related("target_turn", "candidate_turn")
    return rows.in_bulk(picked.union(*shown.values()))


def _turns(own: Iterable[Own]) -> dict[int, AskedText]:
    pks = {
        pk
        for answer in own
        for pk in (answer.asked[3], *answer.answer.sentences)
        if pk is not None
    }
    if not pks:
        return {}
    rows = Turn.objects.filter(pk__in=pks).order_by("pk")
    return {
        pk: AskedText(f"{key}:{position}", text)
        for pk, key, position, text in rows.values_list("pk", "context__key", "position", "text")
    }
