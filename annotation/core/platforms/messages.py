"""Messages between a study's researchers and the people of a platform, which are not stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Listing, Visit


@dataclass(frozen=True)
class Message:
    """One message, which is shown and not stored.

    Parameters
    ----------
    person_id : str
        The participant who wrote it or to whom it was written.
    is_ours : bool
        Written by the account of the study, else by the participant.
    study_id : str
        The platform's study that it names; empty: none.
    """

    person_id: str
    is_ours: bool
    text: str
    study_id: str = ""
    sent_at: datetime | None = None


class ReadsMessages:
    """What a platform with the capability `shows_messages` can be asked."""

    def messages(self, visit: Visit) -> Sequence[Message]:
        """All with the person of a visit, whatever study they name. Raises UnavailableError."""
        return ()

    def unread_messages(self, listing: Listing) -> Sequence[Message]:
        """Those that the account of a listing has not read there. Raises UnavailableError."""
        return ()
