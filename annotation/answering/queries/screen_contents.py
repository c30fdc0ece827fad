"""What the questions of a screen show: a frozen design's texts never change, and are kept.

Three statements, each with as few joins as will do; two more for items and their incidents.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from cachetools import LRUCache

from annotation.basics.reviewed import Reviewed
from annotation.core.queries.statements import Statement
from annotation.core.shown_items import question_of
from annotation.kinds.question_rows import (
    AskedQuestion,
    ContextTurn,
    Document,
    Incident,
    Option,
    QuestionRows,
    RatedText,
)
from annotation.models import Phase, PhaseRun

# Of the texts that each process keeps, those shown last; a longer screen is not kept.
KEPT_CHARACTERS = 4_000_000
_MAX_OF_SCREEN = 100_000

_QUESTIONS = """
    SELECT question.id, question.kind, block.purpose, question.item_id, question.turn_id,
        tuple.pool_id, tuple.id, tuple.number, pool.context_id, phase.condition
    FROM annotation_question AS question
    JOIN annotation_block AS block ON block.id = question.block_id
    JOIN annotation_phase AS phase ON phase.id = block.phase_id
    LEFT JOIN annotation_itemtuple AS tuple ON tuple.id = question.tuple_id
    LEFT JOIN annotation_pool AS pool ON pool.id = tuple.pool_id
    WHERE {whose} = %s AND block.phase_id = %s AND question.screen = %s
    ORDER BY question.position, block.number
"""
_OF_BOOKLET = Statement(_QUESTIONS, whose="question.booklet_id")
# Those drawn for one person.
_OF_ASSIGNMENT = Statement(_QUESTIONS, whose="question.assignment_id")
_ITEMS = Statement(
    """
    SELECT item.id, item.metadata, item.derived_from_id,
        item.target_text, target.text, target.id, target.context_id,
        item.candidate_text, candidate.text, candidate.id, candidate.context_id
    FROM annotation_item AS item
    LEFT JOIN annotation_turn AS target ON target.id = item.target_turn_id
    LEFT JOIN annotation_turn AS candidate ON candidate.id = item.candidate_turn_id
    WHERE item.id IN (%s)
    """
)
_OPTIONS = Statement(
    """
    SELECT member.tuple_id, item.id, item.key, item.candidate_text, candidate.text,
        item.target_text, target.text, target.id
    FROM annotation_member AS member
    JOIN annotation_item AS item ON item.id = member.item_id
    LEFT JOIN annotation_turn AS target ON target.id = item.target_turn_id
    LEFT JOIN annotation_turn AS candidate ON candidate.id = item.candidate_turn_id
    WHERE member.tuple_id IN (%s)
    ORDER BY member.tuple_id, member.position
    """
)
_TURNS = Statement(
    """
    SELECT context_id, id, speaker, text FROM annotation_turn
    WHERE context_id IN (%s)
    ORDER BY context_id, position
    """
)
# Of selection questions: the turn that is asked about, and every turn of its incident.
_ASKED_TURNS = Statement(
    """
    SELECT turn.id, turn.context_id, context.group_id
    FROM annotation_turn AS turn
    JOIN annotation_context AS context ON context.id = turn.context_id
    WHERE turn.id IN (%s)
    ORDER BY turn.id
    """
)
_INCIDENTS = Statement(
    """
    SELECT context.group_id, context.id, context.key, turn.id, turn.text
    FROM annotation_turn AS turn
    JOIN annotation_context AS context ON context.id = turn.context_id
    WHERE context.group_id IN (%s)
    ORDER BY context.id, turn.position
    """
)


def of_screen(run: PhaseRun, number: int) -> Sequence[QuestionRows]:
    """The questions of one screen of a phase, with everything they show."""
    assignment = run.assignment
    booklet = assignment.booklet
    if number > booklet.n_screens:
        return _with_contents(_OF_ASSIGNMENT.rows(assignment.pk, run.phase_id, number))
    if not booklet.design.is_frozen:
        return of_booklet(booklet.pk, run.phase_id, number)
    # Whoever makes a design anew makes its rows anew; its edition tells apart those of a database
    # that was set back to an earlier state.
    key = (booklet.design.edition, booklet.pk, run.phase_id, number)
    with _alone:
        screen = _kept.get(key)
    if screen is None:
        screen = of_booklet(booklet.pk, run.phase_id, number)
        if _may_be_kept(screen):
            with _alone:
                _kept[key] = screen
    return screen


def of_booklet(booklet: int, phase: int, number: int) -> Sequence[QuestionRows]:
    """The same of a booklet that nobody has."""
    return _with_contents(_OF_BOOKLET.rows(booklet, phase, number))


def _may_be_kept(screen: Sequence[QuestionRows]) -> bool:
    # A score that stands beside an item goes when the last person withdraws who gave it.
    return _n_characters(screen) <= _MAX_OF_SCREEN and not any(rows.beside for rows in screen)


def _n_characters(screen: Sequence[QuestionRows]) -> int:
    return sum(len(text) for rows in screen for text in _texts_of(rows))


def _texts_of(rows: QuestionRows) -> Iterator[str]:
    yield rows.above
    for option in rows.options:
        yield from (option.text, option.target)
    for turn in (*rows.turns, *(turn for text in rows.texts for turn in text.turns)):
        yield turn.text
    for text in rows.texts:
        yield text.text
    if rows.incident:
        for document in (rows.incident.summary, *rows.incident.reports):
            yield from (text for _turn, text in document.turns)


_kept: LRUCache[tuple[str, int, int, int], Sequence[QuestionRows]] = LRUCache(
    KEPT_CHARACTERS, getsizeof=_n_characters
)
_alone = Lock()


def forget() -> None:
    """Keep none: of a database that was emptied, keys may come again."""
    with _alone:
        _kept.clear()


def _with_contents(rows: Sequence[Sequence[Any]]) -> Sequence[QuestionRows]:
    options = _options([row[6] for row in rows if row[6]])
    items = {row[0]: row[1:] for row in _ITEMS.rows([row[3] for row in rows if row[3]])}
    # Context-free questions show no context, so none is read for them.
    contexts: set[int | None] = set()
    for *_question, item, _turn, _pool, _tuple, _number, context, condition in rows:
        if condition == Phase.Condition.FREE:
            continue
        contexts |= {items[item][5], items[item][9]} if item else {context}
    turns: dict[int | None, list[ContextTurn]] = defaultdict(list)
    for context, *turn in _TURNS.rows(sorted(pk for pk in contexts if pk)):
        turns[context].append(ContextTurn(*turn))
    incidents = _incidents([row[4] for row in rows if row[4]])
    shown = []
    for pk, kind, purpose, item, turn, pool, tuple_, number, context, _condition in rows:
        question = AskedQuestion(pk, kind, purpose, item, turn, pool)
        if tuple_:
            of_pool = turns[context] if context in contexts else []
            shown.append(QuestionRows(question, number, options[tuple_], of_pool))
        elif item:
            stored, derived_from, *texts = items[item]
            metadata = _as_dict(stored)
            shown.append(
                QuestionRows(
                    question,
                    texts=_texts(texts, turns),
                    above=question_of(metadata),
                    # A file may have the same name for something of its own.
                    beside=_beside(metadata) if derived_from else None,
                )
            )
        else:
            shown.append(QuestionRows(question, incident=incidents[turn]))
    return shown


def _incidents(turns: list[int]) -> dict[int, Incident]:
    """The incident of each of these turns of summaries."""
    turn_rows = _ASKED_TURNS.rows(turns)
    documents: dict[int, dict[int, Document]] = defaultdict(dict)
    for group, context, key, turn, text in _INCIDENTS.rows(sorted({row[2] for row in turn_rows})):
        documents[group].setdefault(context, Document(key)).turns.append((turn, text))
    return {
        turn: Incident(
            documents[group][summary],
            [report for context, report in documents[group].items() if context != summary],
        )
        for turn, summary, group in turn_rows
    }


def _as_dict(metadata: str | dict[str, Any]) -> dict[str, Any]:
    # A statement gives JSON as it is stored.
    known = json.loads(metadata) if isinstance(metadata, str) else metadata
    return known if isinstance(known, dict) else {}


def _beside(metadata: dict[str, Any]) -> Reviewed | None:
    """What is known of a reviewed item, if it is to be seen: as a rule nobody sees a score."""
    reviewed = Reviewed.of(metadata)
    return reviewed if reviewed and reviewed.is_shown and reviewed.value is not None else None


def _texts(row: Sequence[Any], turns: dict[int | None, list[ContextTurn]]) -> list[RatedText]:
    texts = []
    for text, turn_text, turn, context in (row[:4], row[4:]):
        if text is None and turn_text is None:
            continue  # a study of single texts has no target
        shown = turns.get(context, [])
        texts.append(RatedText(turn_text if text is None else text, turn, shown))
    return texts


def _options(tuples: list[int]) -> dict[int, list[Option]]:
    by_tuple = defaultdict(list)
    for pk, item, key, text, turn_text, target, target_turn_text, target_turn in _OPTIONS.rows(
        tuples
    ):
        by_tuple[pk].append(
            Option(
                pk=item,
                key=key,
                text=turn_text if text is None else text,
                target=(target_turn_text or "") if target is None else target,
                target_turn=target_turn,
            )
        )
    return by_tuple
