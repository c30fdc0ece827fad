"""The simulated Connect as a test holds it."""

import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.simulators.connect import api, site
from tests.simulators.connect import world as connect
from tests.simulators.prolific.running import RunningPlatform
from tests.simulators.prolific.wire import Request
from tests.simulators.prolific.world import Row, World


class ConnectSimulator(RunningPlatform):
    """A platform of its own on two ports of this machine; participants act by methods, too.

    Attributes
    ----------
    api, token : where the researcher's interface is, and the key that opens it.
    site : where participants are.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        site_port: int = 0,
        seed: str | None = None,
        state: Path | None = None,
        moment: datetime | None = None,
        **config: Any,
    ) -> None:
        super().__init__(
            connect.new_world(seed=seed or secrets.token_hex(8), config=config, file=state)
        )
        if moment is not None:
            self.world.state["clock"] = {"mode": "still", "at": moment.timestamp()}
        self._servers = [
            self._server("api", api.answer, port),
            self._server("site", site.answer, site_port),
        ]
        root, self.site = (server.base for server in self._servers)
        self.api = f"{root}/api/v1"

    def is_authorised(self, world: World, request: Request) -> bool:
        return api.authorised(world, request)

    def addresses(self) -> Row:
        return {"api": self.api, "token": self.token, "site": self.site}

    @property
    def token(self) -> str:
        return str(self.world.config["token"])

    # What participants do

    def take(self, project: str, person: str) -> tuple[str, str]:
        """Take a place: the assignment, and the address that it leads to."""
        with self.world.turn():
            found = connect.project_of(self.world, project)
            row = connect.begin(self.world, found, person)
            return row["id"], site.launch_address(self.world, row)

    def complete(self, assignment: str, code: str) -> None:
        """Type the code, which ends the work."""
        with self.world.turn():
            connect.complete(self.world, self.world.state["assignments"][assignment], code)

    # What is there

    def project(self, key: str) -> Row:
        with self.world.turn():
            return dict(connect.project_of(self.world, key))

    def assignment(self, key: str) -> Row:
        with self.world.turn():
            return dict(self.world.state["assignments"][key])

    def bonuses(self, **about: str) -> list[int]:
        """What each bonus brought its participant, in cents, in the order of payment."""
        return [line["pays"] for line in self.ledger("bonus", **about)]

    # What the researcher does on Connect's own page

    def act(self, project: str, status: str) -> None:
        with self.world.turn():
            connect.move(self.world, connect.project_of(self.world, project), status)

    def decide(self, assignment: str, status: str) -> None:
        with self.world.turn():
            connect.decide(self.world, self.world.state["assignments"][assignment], status)

    def pay_by_hand(self, assignment: str, cents: int) -> None:
        with self.world.turn():
            connect.pay(self.world, self.world.state["assignments"][assignment], cents)
