"""What is stored about one person, as files for them: JSON of everything, TSV of answers."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from annotation.answering.queries import own_data
from annotation.answering.queries.own_data import StoredAboutPerson, StoredAnswer
from annotation.basics.cells import iso
from annotation.core.exports.columns import Column, lines
from annotation.models import Annotator, Visit


class _QuestionRecord(NamedTuple):
    """One thing that was asked, and what was answered."""

    answer: StoredAnswer
    question: str
    answered: str


def _columns() -> list[Column]:
    return [
        Column("phase", "number of the phase", lambda row: row.answer.phase),
        Column("screen", "number of the screen, from 1", lambda row: row.answer.screen),
        Column("kind", "what was asked", lambda row: row.answer.kind),
        Column("texts", "the texts that were shown", lambda row: "\n".join(row.answer.shown)),
        Column("question", "what was asked about them", lambda row: row.question),
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
        _QuestionRecord(answer, *pair)
        for answer in own_data.in_chunks(annotator, visit)
        for pair in answer.answers or [("", "")]
    )
    for line in lines(_columns(), records):
        yield line.encode()


def as_json(annotator: Annotator, visit: Visit | None) -> Iterator[bytes]:
    """One object; its answers are written as they are read."""
    summary = _about(own_data.stored(annotator, visit))
    head = json.dumps(summary, ensure_ascii=False, indent=1)
    yield head.removesuffix("\n}").encode() + b',\n "answers": ['
    for n, stored_answer in enumerate(own_data.in_chunks(annotator, visit)):
        yield (b",\n  " if n else b"\n  ") + json.dumps(
            _answer(stored_answer), ensure_ascii=False
        ).encode()
    yield b"\n ]\n}\n"


def _about(stored: StoredAboutPerson) -> dict[str, object]:
    return {
        "study": stored.study.title,
        "pseudonym": stored.pseudonym or None,
        "joined_at": iso(stored.joined_at),
        "withdrawn_at": iso(stored.withdrawn_at),
        "person": {
            "platform": stored.platform or None,
            "platform_id": stored.platform_id or None,
            "name": stored.name or None,
            "email": stored.email or None,
            "reminder_emails": stored.reminders,
        },
        "consents": [
            {
                "version": consent.text.version,
                "agreed_at": iso(consent.given_at),
                "text": consent.text.text,
            }
            for consent in stored.consents
        ],
        "consents_declined": [
            {
                "version": refusal.text.version,
                "declined_at": iso(refusal.at),
                "text": refusal.text.text,
            }
            for refusal in stored.refusals
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
            for run in stored.runs
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
            for visit in stored.visits
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
            for intent in stored.payments
        ],
        "left_out_of_scores": [
            {
                "reason": exclusion.reason,
                "at": iso(exclusion.at),
                "lifted_at": iso(exclusion.lifted_at),
            }
            for exclusion in stored.exclusions
        ],
        "about_you": [answer._asdict() for answer in stored.about_you],
        "begun_answers": [
            {
                "screen": draft.question.screen,
                "saved_at": iso(draft.saved_at),
                "answer": draft.payload,
            }
            for draft in stored.drafts
        ],
    }


def _answer(stored_answer: StoredAnswer) -> dict[str, object]:
    return {
        "phase": stored_answer.phase,
        "screen": stored_answer.screen,
        "kind": stored_answer.kind,
        "texts": stored_answer.shown,
        "answers": [
            {"question": question, "answer": answer} for question, answer in stored_answer.answers
        ],
        "comment": stored_answer.comment,
        "shown_at": iso(stored_answer.shown_at),
        "answered_at": iso(stored_answer.answered_at),
        "active_seconds": _seconds(stored_answer),
        "times_focus_lost": stored_answer.n_away,
        "times_pasted": stored_answer.n_pasted,
        "replaced_at": iso(stored_answer.replaced_at),
        "emptied_at": iso(stored_answer.emptied_at),
    }


def _seconds(stored_answer: StoredAnswer) -> float | None:
    return None if stored_answer.active_ms is None else stored_answer.active_ms / 1000
