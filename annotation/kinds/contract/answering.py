"""What `answering/` asks of a kind: what a question shows, and how its answer is read.

What a screen shows of a question is in templates, `templates/kinds/<slug>/`: `question.html` has
what is asked with its choices, `chosen_here.html` the choices that somebody made in another place,
`keys.html` what the keys do, `sentences.html` what the script says.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from django import forms

from annotation.kinds.answer import Answer
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Study


class AnsweringPart(ABC):
    """See the module."""

    # What people say to a question, and how it is checked and stored.
    answer: type[Answer]
    # Whether designs can have several phases, so that answers have to be told apart by them.
    has_phases: bool = True
    # What a person's own data read beside each judgment: relations that are fetched beforehand.
    own_data_relations: Sequence[str] = ()

    @abstractmethod
    def fields(self) -> dict[str, forms.Field]:
        """How a form sends the parts of an answer; one that is missing is None."""

    @abstractmethod
    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        """A question as somebody sees it: it is the one of this number on its screen."""

    @abstractmethod
    def scripts(self, study: Study) -> Sequence[str]:
        """Static files: modules that register this kind of question, and what they import."""

    def stylesheets(self, study: Study) -> Sequence[str]:
        """Static files beside those of every screen."""
        return ()

    @abstractmethod
    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        """What somebody reads of their own answer: what was asked, and what they answered.

        `items` has the items that the answer names.
        """
