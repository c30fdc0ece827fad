"""What is stored about one person, as files for them: JSON of everything, TSV of answers."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from annotation.answering.queries import own_data
from annotation.answering.queries.own_data import Stored, StoredAnswer
from annotation.basics.cells import iso
from annotation.core.exports.columns import Column, lines
from annotation.models import Annotator, Visit


class _QuestionRecord(NamedTuple):
    """One thing that was asked, and what was answered."""

    answer: StoredAnswer
    asked: str
    answered: str


def _columns() -> list[Column]:
    return [
        Column("phase", "number of the phase", lambda row: row.answer.phase),
        Column("screen", "number of the screen, from 1", lambda row: row.answer.screen),
        Column("kind", "what was asked", lambda row: row.answer.kind),
        Column("texts", "the texts that were shown", lambda row: "\n".join(row.answer.shown)),
        Column("question", "what was asked about them", lambda row: row.asked),
        Column("answer", "what was answered", lambda row: row.answered),
        Column("comment", "what was written beside it", lambda row: row.answer.comment),
        Column("shown_at", "when it was shown", lambda row: iso(row.answer.shown_at)),
        Column("answered_at", "when it was stored", lambda row: iso(row.answer.answered_at)),
        Column("active_seconds", "active time", lambda row: _seconds(row.answer)),
        Column(
            "replaced_at",
            "when a later answer took its place",
            lambda row: iso(row.answer.replaced_at),
        ),
        Column("emptied_at", "when the answer was erased", lambda row: iso(row.answer.emptied_at)),
    ]


def tsv(annotator: Annotator, visit: Visit | None) -> Iterator[bytes]:
    """A row for each thing that was asked of a question; of an emptied answer, one row."""
    records = (
        _QuestionRecord(answer, *said)
        for answer in own_data.in_chunks(annotator, visit)
        for said in answer.said or [("", "")]
    )
    for line in lines(_columns(), records):
        yield line.encode()


def as_json(annotator: Annotator, visit: Visit | None) -> Iterator[bytes]:
    """One object; its answers are written as they are read."""
    told = _about(own_data.stored(annotator, visit))
    head = json.dumps(told, ensure_ascii=False, indent=1)
    yield head.removesuffix("\n}").encode() + b',\n "answers": ['
    for n, one in enumerate(own_data.in_chunks(annotator, visit)):
        yield (b",\n  " if n else b"\n  ") + json.dumps(_answer(one), ensure_ascii=False).encode()
    yield b"\n ]\n}\n"


def _about(of: Stored) -> dict[str, object]:
    return {
        "study": of.study.title,
        "pseudonym": of.pseudonym or None,
        "joined_at": iso(of.joined_at),
        "withdrawn_at": iso(of.withdrawn_at),
        "person": {
            "platform": of.platform or None,
            "platform_id": of.platform_id or None,
            "name": of.name or None,
            "email": of.email or None,
            "reminder_emails": of.reminders,
        },
        "consents": [
            {
                "version": one.text.version,
                "agreed_at": iso(one.given_at),
                "text": one.text.text,
            }
            for one in of.consents
        ],
        "consents_declined": [
            {
                "version": one.text.version,
                "declined_at": iso(one.at),
                "text": one.text.text,
            }
            for one in of.refusals
        ],
        "booklets": [
            {
                "booklet": run.assignment.booklet.number,
                "phase": run.phase.number,
                "state": run.assignment.state,
                "opens_at": iso(run.opens_at),
                "completed_at": iso(run.completed_at),
                "opened_early_because": run.reason or None,
            }
            for run in of.runs
        ],
        "visits": [
            {
                "platform": visit.platform,
                "submission_id": visit.submission_id or None,
                "began_at": iso(visit.created_at),
                "ended_at": iso(visit.ended_at),
                "outcome": visit.outcome or None,
                "platform_says": visit.remote_state or None,
                "handed_in": visit.handed_in or None,
            }
            for visit in of.visits
        ],
        "payments": [
            {
                "kind": intent.kind,
                "amount": str(intent.pays),
                "currency": intent.currency,
                "state": "offered" if intent.is_offered else intent.state,
                "planned_at": iso(intent.planned_at),
                "settled_at": iso(intent.settled_at),
            }
            for intent in of.payments
        ],
        "left_out_of_scores": [
            {"reason": one.reason, "at": iso(one.at), "lifted_at": iso(one.lifted_at)}
            for one in of.exclusions
        ],
        "begun_answers": [
            {
                "screen": draft.question.screen,
                "saved_at": iso(draft.saved_at),
                "answer": draft.payload,
            }
            for draft in of.drafts
        ],
    }


def _answer(one: StoredAnswer) -> dict[str, object]:
    return {
        "phase": one.phase,
        "screen": one.screen,
        "kind": one.kind,
        "texts": one.shown,
        "answers": [{"question": asked, "answer": said} for asked, said in one.said],
        "comment": one.comment,
        "shown_at": iso(one.shown_at),
        "answered_at": iso(one.answered_at),
        "active_seconds": _seconds(one),
        "replaced_at": iso(one.replaced_at),
        "emptied_at": iso(one.emptied_at),
    }


def _seconds(one: StoredAnswer) -> float | None:
    return None if one.active_ms is None else one.active_ms / 1000
