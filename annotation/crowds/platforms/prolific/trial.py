"""What Likeness assumes of Prolific, tried with a real account: drafts alone, which cost nothing.

An operator runs it once with the account's token, before the first study: see
`manage.py check_platform`. What is made is removed again, but for the test participant and the
test study, which cost nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

from annotation.basics.errors import AnnotationError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.prolific import messages
from annotation.crowds.platforms.prolific.environments import Installation
from annotation.crowds.platforms.prolific.http import (
    Client,
    fetch_public,
    id_of,
    rows_of,
)
from annotation.crowds.platforms.prolific.options import Options, cents, from_cents
from annotation.crowds.platforms.prolific.people import refuse_other_people
from annotation.crowds.platforms.prolific.studies import offer_body
from annotation.crowds.platforms.prolific.subscriptions import EVENT_TYPES
from annotation.crowds.platforms.rest import NotThereError
from annotation.crowds.platforms.trials import NotTriedError, Result, result_of
from annotation.crowds.platforms.values import is_number

_TITLE = "Likeness: a draft that tries the interface"
_MINUTES, _REWARD = 10, Decimal("2.50")
_NOBODY = "0" * 24
# An account is taxed at one of these, on the fee.
_TAXES = (Decimal(0), assumptions.PROLIFIC_VAT_PERCENT / 100)
# By how much a share may differ where cents are rounded.
_ROUNDING = Decimal("0.0006")


class Trial:
    """Of one installation; without a workspace and an address for mail it tries less."""

    def __init__(self, where: Installation, *, workspace: str = "", email: str = "") -> None:
        self.where, self.workspace, self.email = where, workspace, email
        self.client = Client(where)
        self.currency = ""
        self.draft: dict[str, Any] = {}
        self._made: list[str] = []

    def results(self) -> Iterator[Result]:
        """Each as soon as it is known. Raises nothing that Prolific may cause."""
        try:
            for assumption, tries in self._tries().items():
                yield result_of(assumption, tries)
        finally:
            left = self._clean_up()
        yield Result("What was made for this trial can be removed.", not left, ", ".join(left))

    def _tries(self) -> dict[str, Callable[[], tuple[bool, str]]]:
        return {
            "The account tells its currency and what it holds.": self._account,
            "The calculator answers in cents, with a fee and a tax that are known.": self._fee,
            "A draft takes every field that Likeness sends.": self._draft,
            "A draft has the filters that it was given.": self._filters,
            "A draft is listed with its internal name, by which it is found again.": self._named,
            "A draft costs what the calculator says.": self._price,
            "The time limit that is asked for is kept.": self._limit,
            "The usual time limit of m minutes is 2 + 2 m + 2 √m.": self._usual_limit,
            "Titles may have 200 characters, and descriptions 20,000.": self._long_texts,
            "Screening out may pay as little as Likeness allows.": self._screening,
            "A participant group is made in a workspace, and listed by its name.": self._group,
            "A test participant and a test study cost nothing.": self._test_study,
            "Unread messages are listed, each with its sender.": self._messages,
            "Webhooks have the events to which Likeness subscribes.": self._events,
            "The keys of signed launches are public, and each has a name.": self._keys,
            "What is not there is answered with status 404.": self._missing,
        }

    # -- one by one ----------------------------------------------------------------------------
    def _account(self) -> tuple[bool, str]:
        account = self.client.get("users/me/")
        self.currency = str(account.get("currency_code"))
        available = account.get("available_balance")
        is_known = self.currency in assumptions.PROLIFIC_MIN_PER_HOUR and is_number(available)
        held = from_cents(available) if is_number(available) else available
        return is_known, f"{self.currency}, {held} available"

    def _fee(self) -> tuple[bool, str]:
        # So much that rounding to the cent hides nothing.
        share = self._cost(Decimal("100.00"), 1) / 100 - 1
        known = [rate * (1 + tax) for rate in assumptions.PROLIFIC_FEES.values() for tax in _TAXES]
        is_known = any(abs(share - each) <= _ROUNDING for each in known)
        return is_known, f"fee and tax are {share * 100:.2f} % of the reward"

    def _draft(self) -> tuple[bool, str]:
        self.draft = self._make(self._body())
        return self.draft.get("status") == "UNPUBLISHED", f"status {self.draft.get('status')}"

    def _filters(self) -> tuple[bool, str]:
        span = {"filter_id": "age", "selected_range": {"lower": 18, "upper": 40}}
        nobody = {"filter_id": "custom_blocklist", "selected_values": [_NOBODY]}
        # One of the documentation's own examples.
        halves = {"filter_id": "handedness", "selected_values": ["0", "1"]}
        filters: list[dict[str, Any]] = [span, nobody, halves | {"weightings": {"0": 1, "1": 1}}]
        made = self._make(self._body() | {"filters": filters})
        refuse_other_people(filters, made)
        return True, f"draft {made['id']}"

    def _named(self) -> tuple[bool, str]:
        key = self._key_of_draft()
        named = [row for row in self.client.pages("studies/") if row.get("id") == key]
        names = [str(row.get("internal_name")) for row in named]
        return names == [self._body()["internal_name"]], ", ".join(names) or "not listed"

    def _price(self) -> tuple[bool, str]:
        self._key_of_draft()
        theirs, ours = self.draft.get("total_cost"), self._cost(_REWARD, 1)
        held = from_cents(theirs) if is_number(theirs) else theirs
        return held == ours, f"{held}; by the calculator {ours}"

    def _limit(self) -> tuple[bool, str]:
        self._key_of_draft()
        ours, theirs = self._body()["maximum_allowed_time"], self.draft.get("maximum_allowed_time")
        return theirs == ours, f"{theirs} minutes; {ours} were asked for"

    def _usual_limit(self) -> tuple[bool, str]:
        body = self._body()
        del body["maximum_allowed_time"]
        usual = self._make(body).get("maximum_allowed_time")
        ours = assumptions.prolific_shortest_limit(_MINUTES)
        return usual == ours, f"{usual} minutes; Likeness expects {ours}"

    def _long_texts(self) -> tuple[bool, str]:
        title = _TITLE.ljust(assumptions.PROLIFIC_MAX_TITLE_LENGTH, "x")
        text = "x" * assumptions.PROLIFIC_MAX_DESCRIPTION_LENGTH
        made = self._make(self._body() | {"name": title, "description": text})
        return True, f"draft {made['id']}"

    def _screening(self) -> tuple[bool, str]:
        least = assumptions.PROLIFIC_LEAST_SCREEN_OUT.get(self.currency)
        if least is None:
            raise NotTriedError("the account's currency is not known")
        body = self._body() | {"is_custom_screening": True}
        action = {
            "action": "FIXED_SCREEN_OUT_PAYMENT",
            "fixed_screen_out_reward": cents(least),
            "slots": 1,
        }
        code = {"code": "LIKENESSOUT", "code_type": "FIXED_SCREENOUT", "actor": "participant"}
        body["completion_codes"] = [*body["completion_codes"], code | {"actions": [action]}]
        self._make(body)
        return True, f"{least} {self.currency}"

    def _group(self) -> tuple[bool, str]:
        if not self.workspace:
            raise NotTriedError("give the id of a workspace: --workspace")
        body = {"name": _TITLE, "workspace_id": self.workspace}
        group = id_of(self.client.change("POST", "participant-groups/", body))
        self._made.append(f"participant-groups/{group}/")
        rows = self.client.pages("participant-groups/", workspace_id=self.workspace)
        names = [row.get("name") for row in rows if row.get("id") == group]
        return names == [_TITLE], f"group {group}"

    def _test_study(self) -> tuple[bool, str]:
        if not self.email:
            raise NotTriedError("give an address that Prolific does not know yet: --email")
        key = self._key_of_draft()
        before = self.client.get("users/me/").get("available_balance")
        self.client.change("POST", "researchers/participants/", {"email": self.email})
        made = self.client.change("POST", f"studies/{key}/test-study")
        after = self.client.get("users/me/").get("available_balance")
        return before == after, f"{made.body}"

    def _messages(self) -> tuple[bool, str]:
        unread = messages.unread(self.client)
        return all(message.person_id for message in unread), f"{len(unread)} unread"

    def _events(self) -> tuple[bool, str]:
        rows = rows_of(self.client.get("hooks/event-types/"))
        missing = sorted({*EVENT_TYPES} - {str(row.get("event_type")) for row in rows})
        return not missing, f"missing: {', '.join(missing)}" if missing else ""

    def _keys(self) -> tuple[bool, str]:
        answer = fetch_public(self.where, self.where.keys_url, seconds=20)
        keys = answer.get("keys", []) if isinstance(answer, dict) else []
        named = [key for key in keys if key.get("kid") and key.get("kty") == "RSA"]
        return bool(keys) and named == keys, f"{len(named)} of {len(keys)} keys"

    def _missing(self) -> tuple[bool, str]:
        with suppress(NotThereError):
            return False, f"{self.client.get(f'submissions/{_NOBODY}/')}"[:200]
        return True, ""

    # -- parts ---------------------------------------------------------------------------------
    def _body(self) -> dict[str, Any]:
        options = Options(title=_TITLE, description=_TITLE, internal_name=f"{_TITLE} [trial]")
        code = {
            "code": "LIKENESSTRIAL",
            "code_type": "COMPLETED",
            "actor": "participant",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        }
        return offer_body(
            options,
            address="https://likeness.example.org/trial",
            codes=[code],
            n_places=1,
            minutes=_MINUTES,
            reward=_REWARD,
        )

    def _make(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.client.change("POST", "studies/", body)
        self._made.append(f"studies/{id_of(answer)}/")
        return dict(answer.body)

    def _key_of_draft(self) -> str:
        if not self.draft:
            raise NotTriedError("no draft could be made")
        return str(self.draft["id"])

    def _cost(self, reward: Decimal, n: int) -> Decimal:
        body = {"reward": cents(reward), "total_available_places": n}
        total = self.client.compute("study-cost-calculator/", body).get("total_cost")
        return from_cents(total) if is_number(total) else Decimal("NaN")

    def _clean_up(self) -> list[str]:
        """Remove what was made; the addresses of what could not be."""
        left = []
        for path in self._made:
            try:
                self.client.change("DELETE", path, needs_body=False)
            except AnnotationError as error:
                left.append(f"{path} ({error.message})")
        return left
