"""What Likeness assumes of Mechanical Turk's API, tried with a real account: see `check_platform`.

Nothing costs money. Where nobody can be hurt, which is not in production, it makes one HIT that
no worker can see, and removes it again. HIT types stay: the API cannot remove them, and nobody
sees them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.core.platforms.errors import RefusedError, ServiceClosedError, UnavailableError
from annotation.crowds.platforms.mturk import errors as mturk_errors
from annotation.crowds.platforms.mturk import qualifications
from annotation.crowds.platforms.mturk.client import client
from annotation.crowds.platforms.mturk.environments import PRODUCTION, Installation, installation
from annotation.crowds.platforms.mturk.options import HOUR, Options
from annotation.crowds.platforms.mturk.questions import external_question
from annotation.crowds.platforms.mturk.requester import Answer, Requester, part
from annotation.crowds.platforms.mturk.sending import LONG_AGO, has_expired, is_granted, published
from annotation.crowds.platforms.trials import NotTriedError, Result, result_of

_TITLE = "Likeness: a HIT that tries the interface"
_REWARD = "0.01"
# No HIT, assignment, qualification or worker has such an id.
_NO_ID, _NOBODY = "3" + "0" * 29, "A" + "0" * 13
# What was made is listed a little later; so many seconds are waited between looking for it.
_PAUSES = (0, 2, 5, 15)


class Trial:
    """Of one installation, also of one that has closed according to AWS.

    Raises RefusedError if there are no credentials.
    """

    def __init__(self, where: Installation) -> None:
        self.is_closed_by_aws = bool(where.closed)
        where = replace(where, closed="")
        credentials = where.credentials()
        self.requester = Requester(client(where.endpoint, credentials), credentials)
        # The same address may have another name in LIKENESS_MTURK_ENDPOINTS.
        self.is_production = where.endpoint.rstrip("/") == installation(PRODUCTION).endpoint
        # Every name is new: that of a deleted qualification stays taken for two days.
        self.mark = f"Likeness trial {clock.now():%Y%m%d%H%M%S%f}"
        self.type_id = self.hit_type = self.hit_id = ""
        self.is_away = False

    def results(self) -> Iterator[Result]:
        """Each as soon as it is known. Raises nothing that the service may cause."""
        try:
            for assumption, tries in self._tries().items():
                yield result_of(assumption, tries)
        finally:
            left = self._clean_up()
        yield Result("What was made for this trial can be removed.", not left, ", ".join(left))

    def _tries(self) -> dict[str, Callable[[], tuple[bool, str]]]:
        first: dict[str, Callable[[], tuple[bool, str]]] = {}
        if self.is_closed_by_aws:
            first = {"The service has closed, as AWS's documentation says.": self._closed}
        return first | {
            "The account tells what it holds.": self._account,
            "A qualification is made, and found by its name.": self._qualification,
            "A second qualification of the same name is refused as existing.": self._same_name,
            "A HIT type asked for twice is the same.": self._same_type,
            "Lists continue on their next page.": self._pages,
            "A HIT is made, with the time at which it ends.": self._hit,
            "A HIT asked for twice with one token is made once.": self._token,
            "A HIT is found again by its annotation.": self._annotation,
            "The assignments of a HIT are listed, if there are none, too.": self._assignments,
            "A HIT can be ended at once.": self._expire,
            "A HIT that is not there is said to be missing.": self._no_hit,
            "An assignment that is not there is said to be missing.": self._no_assignment,
            "Approving what is not there is refused.": self._no_approval,
            "A qualification that nobody granted is said to be missing.": self._no_grant,
            "A message that reaches nobody is said to have failed.": self._no_message,
        }

    # -- one by one ----------------------------------------------------------------------------
    def _closed(self) -> tuple[bool, str]:
        try:
            # Something that changes what is there: reading may go on after the end.
            self._hit_type(own=[])
        except ServiceClosedError as error:
            self.is_away = True
            return True, str(error.message)
        except AnnotationError as error:
            self.is_away = True
            raise NotTriedError(str(error.message)) from error
        return False, "it answers"

    def _account(self) -> tuple[bool, str]:
        balance = part(self._ask("get_account_balance"), "AvailableBalance")
        return True, f"{balance} USD available"

    def _qualification(self) -> tuple[bool, str]:
        answer = self._ask("create_qualification_type", **self._own_type())
        self.type_id = str(part(answer, "QualificationType", "QualificationTypeId"))
        ids = self._listed(self._types)
        return ids == [self.type_id], ", ".join(ids) or "not listed"

    def _same_name(self) -> tuple[bool, str]:
        self._of_type()
        with suppress(mturk_errors.DuplicateError):
            self._ask("create_qualification_type", **self._own_type())
            return False, "a second one was made"
        return True, ""

    def _same_type(self) -> tuple[bool, str]:
        types = [self._hit_type(own=[]) for _time in range(2)]
        return types[0] == types[1], ", ".join(types)

    def _pages(self) -> tuple[bool, str]:
        query: dict[str, Any] = {"MustBeRequestable": False, "MaxResults": 1}
        first = self._ask("list_qualification_types", **query)
        token = first.get("NextToken")
        if not token:
            n_rows = len(part(first, "QualificationTypes"))
            if n_rows > 1:
                return False, f"{n_rows} rows on a page of 1"
            raise NotTriedError("there is one page")
        second = self._ask("list_qualification_types", **query, NextToken=token)
        rows = [part(page, "QualificationTypes") for page in (first, second)]
        return rows[0] != rows[1] and len(rows[0]) == 1, f"{len(rows[0])} + {len(rows[1])} rows"

    def _hit(self) -> tuple[bool, str]:
        if self.is_production:
            raise NotTriedError("in production no HIT is made")
        own = [qualifications.of_own(self._of_type(), "Exists")]
        self.hit_type = self._hit_type(own=own)
        hit = part(self._make_hit(), "HIT")
        self.hit_id = part(hit, "HITId")
        # All that a ticket is made of.
        published(hit, qualifications={})
        return True, f"HIT {self.hit_id}"

    def _token(self) -> tuple[bool, str]:
        self._of_hit()
        with suppress(mturk_errors.DuplicateError):
            return False, f"a second HIT: {part(self._make_hit(), 'HIT', 'HITId')}"
        return True, ""

    def _annotation(self) -> tuple[bool, str]:
        self._of_hit()
        ids = self._listed(self._hits)
        return self.hit_id in ids, ", ".join(ids) or "not listed"

    def _assignments(self) -> tuple[bool, str]:
        rows = self.requester.pages(
            "list_assignments_for_hit",
            "Assignments",
            HITId=self._of_hit(),
            AssignmentStatuses=["Submitted", "Approved", "Rejected"],
        )
        return not list(rows), ""

    def _expire(self) -> tuple[bool, str]:
        self._end(self._of_hit())
        hit = part(self.requester.look("get_hit", HITId=self.hit_id), "HIT")
        return has_expired(hit, clock.now()), f"ends {hit.get('Expiration')}"

    def _no_hit(self) -> tuple[bool, str]:
        return self._is_missing("get_hit", HITId=_NO_ID)

    def _no_assignment(self) -> tuple[bool, str]:
        return self._is_missing("get_assignment", AssignmentId=_NO_ID)

    def _no_approval(self) -> tuple[bool, str]:
        with suppress(RefusedError, UnavailableError):
            self._ask("approve_assignment", AssignmentId=_NO_ID)
            return False, "approved"
        return True, ""

    def _no_grant(self) -> tuple[bool, str]:
        has = is_granted(self.requester, self._of_type(), _NOBODY)
        return not has, "granted" if has else ""

    def _no_message(self) -> tuple[bool, str]:
        with suppress(RefusedError):
            answer = self._ask(
                "notify_workers", Subject=_TITLE, MessageText=_TITLE, WorkerIds=[_NOBODY]
            )
            failures = answer.get("NotifyWorkersFailureStatuses") or []
            return bool(failures), "" if failures else "said to be sent"
        return True, ""

    # -- parts ---------------------------------------------------------------------------------
    def _ask(self, operation: str, **values: Any) -> Answer:
        if self.is_away:
            raise NotTriedError("the service does not answer")
        return self.requester.ask(operation, **values)

    def _own_type(self) -> dict[str, str]:
        return {
            "Name": self.mark,
            "Description": f"Given by the requester: {self.mark}",
            "QualificationTypeStatus": "Active",
        }

    def _hit_type(self, *, own: list[dict[str, Any]]) -> str:
        answer = self._ask(
            "create_hit_type",
            Title=_TITLE,
            Description=_TITLE,
            Reward=_REWARD,
            AssignmentDurationInSeconds=HOUR,
            AutoApprovalDelayInSeconds=HOUR,
            QualificationRequirements=[
                *qualifications.required(
                    Options(locales=("DE",), least_approval_rate=98, least_approved=100), ""
                ),
                *own,
            ],
        )
        return str(part(answer, "HITTypeId"))

    def _make_hit(self) -> Answer:
        return self._ask(
            "create_hit_with_hit_type",
            HITTypeId=self.hit_type,
            MaxAssignments=1,
            LifetimeInSeconds=HOUR,
            Question=external_question("https://likeness.example.org/trial", frame_height=0),
            RequesterAnnotation=self.mark,
            UniqueRequestToken=self.mark,
        )

    def _is_missing(self, operation: str, **values: str) -> tuple[bool, str]:
        with suppress(mturk_errors.MissingError):
            return False, f"{self._ask(operation, **values)}"[:200]
        return True, ""

    def _of_type(self) -> str:
        if not self.type_id:
            raise NotTriedError("no qualification could be made")
        return self.type_id

    def _of_hit(self) -> str:
        if not self.hit_id:
            raise NotTriedError("no HIT was made")
        return self.hit_id

    def _end(self, hit_id: str) -> None:
        self._ask("update_expiration_for_hit", HITId=hit_id, ExpireAt=LONG_AGO)

    def _types(self) -> list[str]:
        rows = self.requester.pages(
            "list_qualification_types",
            "QualificationTypes",
            Query=self.mark,
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )
        return [row["QualificationTypeId"] for row in rows if row.get("Name") == self.mark]

    def _hits(self) -> list[str]:
        rows = self.requester.pages("list_hits", "HITs")
        return [row["HITId"] for row in rows if row.get("RequesterAnnotation") == self.mark]

    def _listed(self, look: Callable[[], list[str]]) -> list[str]:
        for seconds in _PAUSES:
            time.sleep(seconds)
            if ids := look():
                return ids
        return []

    def _clean_up(self) -> list[str]:
        """Remove what was made, also what came to be by an answer that was lost."""
        if self.is_away:
            return []
        left: list[str] = []
        # A qualification that a HIT asks for is removed only after the HIT.
        if not self.is_production:
            left += self._removed("HIT", self._hits, self.hit_id, self._remove_hit)
        return left + self._removed("qualification", self._types, self.type_id, self._remove_type)

    def _removed(
        self, what: str, look: Callable[[], list[str]], known: str, remove: Callable[[str], None]
    ) -> list[str]:
        left, ids = [], {known} - {""}
        try:
            ids |= set(look())
        except AnnotationError as error:
            left.append(f"{what}s named “{self.mark}” ({error.message})")
        for each in sorted(ids):
            try:
                remove(each)
            except AnnotationError as error:
                left.append(f"{what} {each} ({error.message})")
        return left

    def _remove_hit(self, hit_id: str) -> None:
        self._end(hit_id)
        self._ask("delete_hit", HITId=hit_id)

    def _remove_type(self, type_id: str) -> None:
        self._ask("delete_qualification_type", QualificationTypeId=type_id)
