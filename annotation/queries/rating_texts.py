"""The items of a rating study as rows of files: texts, contexts, and the test sets."""

from collections.abc import Iterator, Sequence

import numpy as np

from annotation.models import Item, Turn
from annotation.queries.exporting import Cell, as_json
from annotation.queries.rating_answers import PhaseRatings
from annotation.queries.rating_exporting import RatedStudy, json_list, known
from scoring.arrays import BoolArray

_CHUNK = 2000
OPEN, CLOSE = "<sent>", "</sent>"


def item_rows(of: RatedStudy) -> Iterator[Sequence[Cell]]:
    """Every item with its texts and contexts, what was known of it, and its figures."""
    figures, items = of.figures, of.read.items
    effects = []
    if of.read.conditions() is not None:
        pooled, paired = figures.effects("pooled"), figures.effects("paired")
        effects = [pooled["gain"]]
        effects += [one[name] for one in (pooled, paired) for name in ("p", "p_adjusted")]
    for n, item in enumerate(_items(of)):
        numbers: list[Cell] = []
        for scores, median, majority in zip(
            figures.scores, figures.medians, figures.majorities, strict=True
        ):
            numbers += [int(scores.n[n]), known(scores.mean[n]), known(scores.sd[n])]
            numbers += [known(median[n]), of.rating(majority[n])]
        yield (
            item.key,
            item.pool.key,
            _group(item),
            items.domains[n],
            items.sources[n],
            item.target,
            item.candidate,
            *_context(item.target_turn),
            *_context(item.candidate_turn),
            item.intended_class,
            of.rating(items.expected[n]),
            known(items.earlier[n]),
            "main" if figures.is_asked[n] else "",
            as_json(item.metadata) if item.metadata else "",
            *numbers,
            *(known(values[n]) for values in effects),
        )


def test_rows(
    of: RatedStudy, phase: PhaseRatings, *, is_kept: BoolArray, n_sentences: int
) -> Iterator[Sequence[Cell]]:
    """The items of a test set under one condition; of both conditions in the same order."""
    items, place = of.read.items, of.read.phases.index(phase)
    scores, main = of.figures.scores[place], phase.main
    in_order = np.lexsort((main.annotator, main.unit))
    values = main.value[in_order].tolist()
    ends = np.cumsum(scores.n)
    for n, item in enumerate(_items(of)):
        if not is_kept[n]:
            continue
        ratings = values[int(ends[n] - scores.n[n]) : int(ends[n])]
        yield (
            item.key,
            item.target,
            item.candidate,
            marked(item.target_turn, item.target, n_sentences),
            marked(item.candidate_turn, item.candidate, n_sentences),
            known(scores.mean[n]),
            known(scores.sd[n]),
            int(scores.n[n]),
            json_list([of.rating(value) for value in ratings]),
            known(items.earlier[n]),
            item.intended_class,
            items.domains[n],
            items.sources[n],
            _group(item),
        )


def _items(of: RatedStudy) -> Iterator[Item]:
    rows = (
        Item.objects.filter(study=of.study)
        .order_by("number")
        .select_related(
            "pool",
            "target_turn__context__group",
            "candidate_turn__context__group",
        )
        .prefetch_related("target_turn__context__turns", "candidate_turn__context__turns")
    )
    return rows.iterator(chunk_size=_CHUNK)


def _turns(turn: Turn) -> list[Turn]:
    # Sorted here: the rows were fetched for many items at once.
    return sorted(turn.context.turns.all(), key=lambda one: one.position)


def _context(turn: Turn | None) -> tuple[Cell, ...]:
    """A side's context: its id, its turns, the place of the rated one among them, from 1."""
    if turn is None:
        return "", "", None
    turns = _turns(turn)
    said = as_json([{"speaker": t.speaker, "text": t.text} for t in turns])
    place = next(n for n, one in enumerate(turns, start=1) if one.pk == turn.pk)
    return turn.context.key, said, place


def _group(item: Item) -> str:
    """What belongs together: an incident; or else the group that the file named."""
    for turn in (item.target_turn, item.candidate_turn):
        if turn is not None and turn.context.group is not None:
            return turn.context.group.key
    return "" if item.pool.key == "all" else item.pool.key


def marked(turn: Turn | None, text: str, n_sentences: int) -> str:
    """The rated sentence in its marks, with at most so many sentences before and after it."""
    if turn is None:
        return f"{OPEN}{text}{CLOSE}"
    turns = _turns(turn)
    place = next(n for n, one in enumerate(turns) if one.pk == turn.pk)
    shown = turns[max(place - n_sentences, 0) : place + n_sentences + 1]
    has_speakers = any(one.speaker for one in shown)
    parts = []
    for one in shown:
        said = f"{OPEN}{one.text}{CLOSE}" if one.pk == turn.pk else one.text
        parts.append(f"{one.speaker}: {said}" if one.speaker else said)
    # A conversation is read line by line, a document sentence after sentence.
    return ("\n" if has_speakers else " ").join(parts)
