"""Broken rules of a study. Each message is one sentence for the person who reads it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _


class AnnotationError(Exception):
    """A rule of the study forbids this; `status` is what an annotator's page answers."""

    status = 400
    # For programs that use the API, which must not have to read the sentence.
    code = "refused"

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.said: list[Said] = [message]

    @property
    def message(self) -> str:
        """In the language of who reads it, which may be another than that of who raised it."""
        return "\n".join(map(str, self.said))

    @property
    def details(self) -> dict[str, Any]:
        """What a script is told beside the sentence."""
        return {}

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers of the response, on pages and in the API alike."""
        return {}


class InvalidAnswerError(AnnotationError):
    """The answer does not fit the question."""

    code = "invalid_answer"


class UnknownKeyError(AnnotationError):
    """No annotator holds this key, or the question is not theirs."""

    status = 404
    code = "unknown_key"


class AssignmentClosedError(AnnotationError):
    """Submitted, withdrawn, or the study is finished: nothing more is accepted."""

    status = 409
    code = "closed"

    @property
    def details(self) -> dict[str, Any]:
        return {"closed": True}


class FormUsedError(AnnotationError):
    """This consent form has let somebody in whose link was renewed since."""

    status = 409
    code = "form_used"

    def __init__(self) -> None:
        super().__init__(
            _(
                "Somebody has already begun with this form and was given a new link later."
                " To go on, open that link or enter the code that belongs to it."
            )
        )


class NotInstructedError(AnnotationError):
    """The instructions, or the question about them, come before any answer."""

    status = 409
    code = "not_instructed"

    def __init__(self) -> None:
        super().__init__(_("Please read the instructions first, and begin from there."))

    @property
    def details(self) -> dict[str, Any]:
        return {"closed": True}


class PhaseNotOpenError(AnnotationError):
    """The phase opens later, at a time that the page says in the reader's own time zone."""

    status = 403
    code = "not_open_yet"

    def __init__(self, opens_at: datetime) -> None:
        super().__init__(_("This part is not open yet. Please come back when it is."))
        self.opens_at = opens_at

    @property
    def details(self) -> dict[str, Any]:
        return {"closed": True, "opens_at": self.opens_at.isoformat()}


class PhaseClosedError(AssignmentClosedError):
    """The phase was not begun in its time."""

    status = 403


class NothingLeftError(AnnotationError):
    """Every place is taken, or the study takes nobody new."""

    status = 409
    code = "nothing_left"


class NoPlaceError(NothingLeftError):
    """Every place is taken at the moment; one may become free again."""

    code = "no_place"


class TooManyError(AnnotationError):
    """Throttled; trying again after `retry_after` seconds helps."""

    status = 429
    code = "too_many_requests"

    def __init__(self, message: Said, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = max(1, retry_after)

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class FrozenError(AnnotationError):
    """What an opened design froze cannot be edited."""

    status = 409
    code = "frozen"


class StateError(AnnotationError):
    """The study's state does not allow this step."""

    status = 409
    code = "wrong_state"


class ImportProblemsError(AnnotationError):
    """A file cannot be imported; every problem is listed, with its line and its remedy."""

    code = "problems_in_file"

    def __init__(self, problems: Sequence[Said]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.said = list(problems)

    @property
    def problems(self) -> list[str]:
        return [str(problem) for problem in self.said]
