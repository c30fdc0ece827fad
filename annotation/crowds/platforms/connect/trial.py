"""Trying what Likeness takes for granted of Connect, with an account: nothing is published."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any
from uuid import uuid4

from annotation.core.platforms.errors import RefusedError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.connect import assignments, projects
from annotation.crowds.platforms.connect.environments import Installation
from annotation.crowds.platforms.connect.http import Client, idempotency
from annotation.crowds.platforms.connect.options import Options
from annotation.crowds.platforms.connect.prices import money_in
from annotation.crowds.platforms.trials import NotTriedError, Result, result_of
from annotation.crowds.platforms.values import CENT

_TITLE = "Likeness: a draft that tries the interface"
# 0.335 and 0.536 of fee: that shows how a half and more of a cent is rounded.
_MINUTES, _REWARD, _N_PLACES = 10, Decimal("1.34"), 3


class Trial:
    """Of one installation. It makes one project, which stays unpublished and is archived."""

    def __init__(self, where: Installation) -> None:
        self.client = Client(where)
        self._body: dict[str, Any] = {}
        self._token = uuid4().hex
        self._draft = ""
        self._price: Decimal | None = None

    def results(self) -> Iterator[Result]:
        """Each as soon as it is known. Raises nothing that Connect may cause."""
        for assumption, tries in self._tries().items():
            yield result_of(assumption, tries)

    def _tries(self) -> dict[str, Callable[[], tuple[bool, str]]]:
        return {
            "The account tells its balance.": self._account,
            "A price is told before anything is made, with a known fee.": self._fee,
            "A project takes every field that Likeness sends, and keeps it.": self._kept,
            "A project costs what was told before.": self._cost,
            "A project stands unpublished in a list, with its internal name.": self._named,
            "A second request with the same token is refused.": self._twice,
            "The assignments of a project are a list.": self._assignments,
            "A project that is archived is listed so.": self._archived,
        }

    def _account(self) -> tuple[bool, str]:
        balance = money_in(self.client.get("account"), "accountBalance")
        return balance is not None, f"{balance} USD available"

    def _fee(self) -> tuple[bool, str]:
        offer = {
            "estimatedTimeInMinutes": _MINUTES,
            "participants": _N_PLACES,
            "payment": float(_REWARD),
        }
        self._price = money_in(
            self.client.compute("demographics/feasibility", offer), "totalProjectCost"
        )
        prices = {
            pricing: _N_PLACES
            * (_REWARD + (_REWARD * rate).quantize(CENT, assumptions.CONNECT_FEE_ROUNDING))
            for pricing, rate in assumptions.CONNECT_FEES.items()
        }
        expected = ", ".join(f"{pricing}: {price}" for pricing, price in prices.items())
        return self._price in prices.values(), f"{self._price} USD; expected {expected}"

    def _kept(self) -> tuple[bool, str]:
        self._body = projects.offer_body(
            Options(title=_TITLE, summary=_TITLE, internal_name=f"{_TITLE} [{self._token}]"),
            address="https://example.org/",
            code="LIKENESSTRIAL",
            n_places=_N_PLACES,
            minutes=_MINUTES,
            reward=_REWARD,
        )
        answer = self.client.change(
            "POST", "project", self._body, headers=idempotency(self._token)
        )
        fields = projects.project_in(answer.body)
        if fields is None:
            return False, "no id"
        self._draft = fields["projectId"]
        projects.refuse_other(self._body, projects.read(self.client, self._draft))
        return True, f"project {self._draft}"

    def _cost(self) -> tuple[bool, str]:
        cost = money_in(projects.read(self.client, self._project()), "totalCost")
        return cost is not None and cost == self._price, f"{cost} USD"

    def _named(self) -> tuple[bool, str]:
        project = self._project()
        keys = [row.get("projectId") for row in self._of_trial()]
        return keys == [project], f"projects of this name: {len(keys)}"

    def _twice(self) -> tuple[bool, str]:
        self._project()
        try:
            self.client.change("POST", "project", self._body, headers=idempotency(self._token))
        except RefusedError as error:
            return True, str(error.message)
        return False, "another project was made"

    def _assignments(self) -> tuple[bool, str]:
        rows = assignments.rows(self.client, self._project())
        return rows == [], f"{len(rows)} rows"

    def _archived(self) -> tuple[bool, str]:
        project = self._project()
        # Also a second one, if the token was of no use.
        for key in {project, *(str(row["projectId"]) for row in self._of_trial())}:
            path = f"project/{key}/update-status"
            self.client.change("POST", path, {"status": "Archived"}, needs_body=False)
        status = projects.status_of(self.client, project)
        return status == "Archived", f"project {project}: {status}"

    def _of_trial(self) -> list[Mapping[str, Any]]:
        name = self._body["internalName"]
        rows = self.client.projects("Unpublished")
        return [row for row in rows if row.get("internalName") == name]

    def _project(self) -> str:
        if not self._draft:
            raise NotTriedError("no project was made")
        return self._draft
