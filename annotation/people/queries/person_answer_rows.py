"""The rows of a person's page: what was asked in its own words, the answer, what others chose."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.basics.numbers import decimal, percent
from annotation.kinds.selection.answer import ROLES
from annotation.models import Item, Member, Turn
from annotation.people.queries.person_answers import Others, Own

# By what the answers can be sorted.
ORDERS = ("asked", "disagreement")
# More of a text than this is shown on request only.
MAX_SHOWN_CHARS = 120


@dataclass(frozen=True)
class AskedText:
    """One text that was on the screen, with the id of its item or its sentence."""

    key: str
    text: str

    @property
    def beginning(self) -> str:
        return Truncator(self.text).chars(MAX_SHOWN_CHARS)

    @property
    def is_long(self) -> bool:
        return len(self.text) > MAX_SHOWN_CHARS


@dataclass(frozen=True)
class SaidText:
    """One part of an answer: its name, the text that was picked, or what was said instead."""

    name: str
    text: AskedText | None
    value: str = ""


@dataclass(frozen=True)
class OthersChoice:
    """What the others answered to one question, beside the answer of this person.

    A figure that does not belong to the kind of question is None.
    """

    n: int
    same_best: int | None = None
    same_worst: int | None = None
    same_both: int | None = None
    mean_rating: float | None = None
    majority: tuple[str, ...] | None = None
    majority_share: float | None = None
    same_label: int | None = None
    # By role: how many picked the same sentence for it.
    same_picks: Mapping[str, int] | None = None
    # From 0, as everybody else; on ratings in points of the scale, else a share of at most 1.
    disagreement: float = 0.0

    @property
    def said(self) -> str:
        if self.same_both is not None:
            said = _(
                "%(best)s of %(n)s the same best, %(worst)s the same worst, %(both)s the same both"
            )
            return said % {
                "best": self.same_best,
                "n": self.n,
                "worst": self.same_worst,
                "both": self.same_both,
            }
        if self.mean_rating is not None:
            said = _("mean %(mean)s, ratings: %(n)s")
            return said % {"mean": decimal(self.mean_rating, 2), "n": self.n}
        if self.majority is not None:
            said = _("%(share)s of %(n)s: %(what)s")
            return said % {
                "share": percent(self.majority_share),
                "n": self.n,
                "what": ", ".join(self.majority),
            }
        same = self.same_picks or {}
        said = _("of %(n)s the same: %(what)s")
        counts = "; ".join(f"{_role(role)} {same[role]}" for role in ROLES if role in same)
        return said % {"n": self.n, "what": counts}


@dataclass(frozen=True)
class AnswerRow:
    """One answer as the page shows it, beside those of the others."""

    booklet: int
    phase: int
    screen: int
    # What the texts are compared with; None where each has a target of its own, or none.
    target: AskedText | None
    asked: Sequence[AskedText]
    said: Sequence[SaidText]
    others: OthersChoice | None
    seconds: float | None
    usual: float | None
    is_repeat: bool


def in_order(own: Sequence[Own], others: Others, order: str) -> list[Own]:
    """As asked; or those first that differ most from the others, and last what nobody else has."""
    if order != "disagreement":
        return list(own)
    choices = {one.pk: others_choice(one, others) for one in own}

    def place(one: Own) -> tuple[bool, float]:
        choice = choices[one.pk]
        return choice is None, 0.0 if choice is None else -choice.disagreement

    return sorted(own, key=place)


def others_choice(one: Own, others: Others) -> OthersChoice | None:
    """None where nobody else, who counts, answered the same question."""
    if picks := others.picks.get(one.asked):
        same_best = sum(best == one.best for best, _worst in picks)
        same_worst = sum(worst == one.worst for _best, worst in picks)
        return OthersChoice(
            len(picks),
            same_best=same_best,
            same_worst=same_worst,
            same_both=picks.count((one.best or 0, one.worst or 0)),
            disagreement=1 - (same_best + same_worst) / (2 * len(picks)),
        )
    if one.rating is not None and (ratings := others.ratings.get(one.asked)):
        centre = mean(ratings)
        return OthersChoice(
            len(ratings), mean_rating=centre, disagreement=abs(one.rating - centre)
        )
    if labels := others.chosen.get(one.asked):
        (majority, n_majority), *_rest = Counter(labels).most_common()
        same = labels.count(one.chosen)
        return OthersChoice(
            len(labels),
            majority=majority,
            majority_share=n_majority / len(labels),
            same_label=same,
            disagreement=1 - same / len(labels),
        )
    if selections := others.selections.get(one.asked):
        same_picks = {
            role: sum(picked.get(role) == turn for picked in selections)
            for role, (turn, _rating) in one.selection.items()
        }
        n_same = sum(same_picks.values())
        return OthersChoice(
            len(selections),
            same_picks=same_picks,
            disagreement=1 - n_same / (len(selections) * len(same_picks)) if same_picks else 0.0,
        )
    return None


def answer_rows(own: Sequence[Own], others: Others) -> list[AnswerRow]:
    """One page of answers, in words; in as many queries for many as for few."""
    shown = _shown(own)
    items = _items(own, shown)
    turns = _turns(own)
    return [_row(one, others, [items[pk] for pk in shown[one.pk]], items, turns) for one in own]


def _row(
    one: Own,
    others: Others,
    shown: Sequence[Item],
    items: Mapping[int, Item],
    turns: Mapping[int, AskedText],
) -> AnswerRow:
    target, asked = _asked(shown)
    if (sentence := turns.get(one.asked[3] or 0)) is not None:
        asked = [sentence]
    return AnswerRow(
        booklet=one.booklet,
        phase=one.phase,
        screen=one.place[0],
        target=target,
        asked=asked,
        said=_said(one, items, turns),
        others=others_choice(one, others),
        seconds=one.seconds,
        usual=others.usual_seconds(one.asked),
        is_repeat=one.is_repeat,
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


def _said(one: Own, items: Mapping[int, Item], turns: Mapping[int, AskedText]) -> list[SaidText]:
    if one.best is not None and one.worst is not None:
        picks = ((pgettext("answer", "best"), one.best), (pgettext("answer", "worst"), one.worst))
        return [
            SaidText(name, AskedText(items[pk].key, items[pk].candidate)) for name, pk in picks
        ]
    if one.rating is not None:
        return [SaidText("", None, f"{one.rating:g}")]
    if one.selection:
        return [
            SaidText(
                _role(role),
                turns.get(one.selection[role][0]),
                "" if (rating := one.selection[role][1]) is None else f"{rating:g}",
            )
            for role in ROLES
            if role in one.selection
        ]
    return [SaidText("", None, ", ".join(one.chosen))]


def _role(role: str) -> str:
    return {
        "similar": pgettext("role", "similar"),
        "middle": pgettext("role", "middle"),
        "dissimilar": pgettext("role", "dissimilar"),
    }[role]


def _shown(own: Iterable[Own]) -> dict[int, list[int]]:
    """By answer: the items on the screen, in their order; nobody knows that of imported ones."""
    without_order = {one.asked[1] for one in own if not one.shown_order} - {None}
    members: dict[int, list[int]] = {}
    if without_order:
        rows = Member.objects.filter(tuple__in=without_order).order_by("tuple", "position")
        for tuple_pk, item in rows.values_list("tuple_id", "item_id"):
            members.setdefault(tuple_pk, []).append(item)
    return {one.pk: _shown_for(one, members) for one in own}


def _shown_for(one: Own, members: Mapping[int, list[int]]) -> list[int]:
    if one.asked[3] is not None:
        return []  # a selection shows sentences, which are no items
    if one.asked[2] is not None:
        return [one.asked[2]]
    return list(one.shown_order) or members.get(one.asked[1] or 0, [])


def _items(own: Iterable[Own], shown: Mapping[int, Sequence[int]]) -> dict[int, Item]:
    picked = {pk for one in own for pk in (one.best, one.worst) if pk is not None}
    rows = Item.objects.select_related("target_turn", "candidate_turn")
    return rows.in_bulk(picked.union(*shown.values()))


def _turns(own: Iterable[Own]) -> dict[int, AskedText]:
    pks = {
        pk
        for one in own
        for pk in (one.asked[3], *(turn for turn, _rating in one.selection.values()))
        if pk is not None
    }
    if not pks:
        return {}
    rows = Turn.objects.filter(pk__in=pks).order_by("pk")
    return {
        pk: AskedText(f"{key}:{position}", text)
        for pk, key, position, text in rows.values_list("pk", "context__key", "position", "text")
    }
