"""Questionnaires for the tests, of all kinds of questions."""

from typing import Any

from annotation.models import Study
from tests.support.factories import make_open_study

BEFORE: dict[str, Any] = {
    "title": "About you",
    "questions": [
        {
            "key": "age",
            "kind": "number",
            "text": "How old are you?",
            "lowest": 10,
            "highest": 120,
            "required": True,
            "screens_out": ["< 18"],
        },
        {
            "key": "first_language",
            "kind": "choice",
            "text": "What is your first language?",
            "options": [{"code": "en", "text": "English"}, {"code": "other", "text": "Another"}],
            "required": True,
            "may_decline": True,
            "published": True,
        },
        {
            "key": "which",
            "kind": "text",
            "text": "Which one?",
            "required": True,
            "shown_if": {"question": "first_language", "answers": ["other"]},
        },
    ],
}
AFTER: dict[str, Any] = {
    "questions": [
        {
            "key": "devices",
            "kind": "choices",
            "text": "What did you use?",
            "options": [{"code": "m", "text": "a mouse"}, {"code": "t", "text": "touch"}],
        },
        {
            "key": "effort",
            "kind": "scale",
            "text": "How hard was it?",
            "lowest": 1,
            "highest": 5,
            "options": [{"code": "low", "text": "easy"}, {"code": "high", "text": "hard"}],
            "required": True,
        },
        {
            "key": "agree",
            "kind": "matrix",
            "text": "Do you agree?",
            "rows": [
                {"code": "clear", "text": "It was clear"},
                {"code": "fun", "text": "It was fun"},
            ],
            "options": [{"code": "yes", "text": "yes"}, {"code": "no", "text": "no"}],
            "required": True,
        },
        {"key": "began_learning", "kind": "date", "text": "When did you begin to learn English?"},
        {"key": "feedback", "kind": "long_text", "text": "What else?"},
    ],
}


def make_asking_study(**moments: Any) -> Study:
    """An open study with two dialogues that asks people something about themselves."""
    return make_open_study(dialogues=2, questionnaires=moments)
