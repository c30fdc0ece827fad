"""What people say of each item, and how far they are at odds: where an expert is worth most."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from annotation.answering.queries.screen_rows import booklet_questions
from annotation.basics.categories import SEPARATOR, Categories
from annotation.basics.scale import Scale
from annotation.core.queries import counted_answers
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabels
from annotation.kinds.queries import adjudications
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.kinds.shown_pairs import ShownText
from annotation.kinds.shown_questions import shown_turns
from annotation.models import Adjudication, Block, Design, Item, Judgment, Phase, Question, Study
from annotation.models.kinds import QuestionKind
from scoring.json_values import json_number

_CHUNK = 2000


@dataclass(frozen=True)
class Dispute:
    """The counted answers to one item in one phase, in figures."""

    item: int
    key: str
    number: int
    n: int
    # Of ratings; None where there are too few.
    mean: float | None = None
    median: float | None = None
    sd: float | None = None
    # What is said most often, or of several categories what more than half name; empty where
    # there is no such thing.
    majority: str = ""
    # Of several categories: how many of the answers name each category of the majority.
    shares: Sequence[tuple[str, float]] = ()
    # Of labels: the share of the most frequent answer.
    share: float | None = None
    adjudication: Adjudication | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether people answered, and nothing stands out."""
        return bool(self.n) and not self.majority

    @property
    def how_disputed(self) -> tuple[float, ...]:
        """To sort by: the most disputed first, what nobody answered last, else as imported."""
        if self.share is not None:
            return 0, -float(self.is_undecided), self.share, self.number
        if self.sd is not None:
            return 0, 0, -self.sd, self.number
        return 1, -self.n, 0, self.number


def disputes(design: Design, phase: Phase) -> list[Dispute]:
    """Every item that the main block of a phase asks for, in the order of the import."""
    standing = adjudications.of_phase(phase)
    if design.study.kind == QuestionKind.LABEL:
        return _of_labels(design, phase, standing)
    return _of_ratings(design, phase, standing)


def _of_ratings(design: Design, phase: Phase, standing: dict[int, Adjudication]) -> list[Dispute]:
    read = read_ratings(design, "people")
    figures = ItemFigures(read)
    place = next(n for n, one in enumerate(read.phases) if one.phase.pk == phase.pk)
    scores, majorities = figures.scores[place], figures.majorities[place]
    medians = figures.medians[place]
    return [
        Dispute(
            item=(pk := read.items.pks[n]),
            key=read.items.keys[n],
            number=n,
            n=int(scores.n[n]),
            mean=json_number(scores.mean[n]),
            median=json_number(medians[n]),
            sd=json_number(scores.sd[n]),
            majority=_point(read.scale, majorities[n]),
            adjudication=standing.get(pk),
        )
        for n in np.flatnonzero(read.phases[place].is_asked).tolist()
    ]


def _point(scale: Scale, value: float) -> str:
    return "" if np.isnan(value) else scale.text(Decimal(repr(float(value))))


def _of_labels(design: Design, phase: Phase, standing: dict[int, Adjudication]) -> list[Dispute]:
    read = read_labels(design, "people")
    place = next(n for n, one in enumerate(read.phases) if one.phase.pk == phase.pk)
    # Of people alone: what an expert says of an item does not make it less disputed.
    labels = ItemLabels(read, {})
    found = []
    for n in np.flatnonzero(read.phases[place].is_asked).tolist():
        of = labels.label(place, n)
        pk = read.items.pks[n]
        found.append(
            Dispute(
                item=pk,
                key=read.items.keys[n],
                number=n,
                n=of.n,
                majority=f" {SEPARATOR} ".join(of.final),
                share=of.share,
                shares=[
                    (name, count / of.n)
                    for name, count in zip(read.categories.names, of.counts, strict=True)
                    if read.categories.is_several and name in of.final
                ],
                adjudication=standing.get(pk),
            )
        )
    return found


def _asked(phase: Phase) -> Any:
    return Question.objects.filter(block__phase=phase, block__purpose=Block.Purpose.MAIN)


def _chosen(judgment: Judgment) -> tuple[str, ...]:
    return tuple(sorted(choice.category for choice in judgment.choices.all()))


def _counted(design: Design, phase: Phase, **of: Any) -> list[Judgment]:
    """Of each person the first counted answer to each item in the main block of a phase."""
    rows = (
        counted_answers.counted_judgments(design, "people")
        .filter(
            question__block__phase=phase,
            question__block__purpose=Block.Purpose.MAIN,
            **of,
        )
        .select_related("question", "assignment__annotator")
        .prefetch_related("choices")
        .order_by("assignment", "question__screen", "question__position")
    )
    first: dict[tuple[int, int | None], Judgment] = {}
    for judgment in rows.iterator(chunk_size=_CHUNK):
        key = judgment.assignment.annotator_id, judgment.question.item_id
        first.setdefault(key, judgment)
    return list(first.values())


# -- One item -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """One person's counted answer."""

    who: str
    value: str
    # The words at that point of the scale.
    label: str
    comment: str


def said_of(design: Design, phase: Phase, item: Item) -> list[Said]:
    """Every counted answer to an item, by value."""
    study = design.study
    found = _counted(design, phase, question__item=item)
    if study.kind == QuestionKind.LABEL:
        categories = Categories.of(study.categories)
        named = [(categories.in_order(_chosen(one)), one) for one in found]
        places = {name: n for n, name in enumerate(categories.names)}
        named.sort(key=lambda pair: [places[name] for name in pair[0]])
        return [_said(one, f" {SEPARATOR} ".join(names)) for names, one in named]
    scale = Scale.of(study.scale)
    rated = [(one.rating, one) for one in found if one.rating is not None]
    rated.sort(key=lambda pair: pair[0])
    return [_said(one, scale.text(value), scale.label(value)) for value, one in rated]


def _said(judgment: Judgment, value: str, label: str = "") -> Said:
    return Said(judgment.assignment.annotator.pseudonym, value, label, judgment.comment)


@dataclass(frozen=True)
class ShownPair:
    """The texts of an item as a phase shows them to people."""

    above: str
    texts: Sequence[ShownText]


def shown_pair(phase: Phase, item: Item) -> ShownPair | None:
    """None if the phase does not ask for the item."""
    question = _asked(phase).filter(item=item, booklet__isnull=False).order_by("pk").first()
    if question is None:
        return None
    on_screen = booklet_questions(question.booklet_id, phase.pk, question.screen)
    rows = next(rows for rows in on_screen if rows.question.pk == question.pk)
    return ShownPair(
        rows.above,
        [
            # Of one sentence there is no context to show.
            ShownText(n, of.text, shown_turns(of.turns, of.turn) if len(of.turns) > 1 else [])
            for n, of in enumerate(rows.texts, start=1)
        ],
    )


def phases_of(study: Study) -> list[Phase]:
    """Those whose items can be adjudicated."""
    return list(study.design.phases.order_by("number"))
