"""The simulator as a test holds it: started in a thread, with everything at hand."""

import secrets
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from tests.simulators.prolific import (
    api,
    control,
    groups,
    messages,
    money,
    platform,
    site,
    submissions,
    tokens,
)
from tests.simulators.prolific.bot import ParticipantBot
from tests.simulators.prolific.hooks import Sender
from tests.simulators.prolific.running import RunningPlatform
from tests.simulators.prolific.wire import Request
from tests.simulators.prolific.world import Row, World


class ProlificSimulator(RunningPlatform):
    """A platform of its own on two ports of this machine.

    Attributes
    ----------
    api, token : where the researcher's interface is and what opens it.
    jwks_url, complete_url, site, control : the other addresses.
    world : the state; take `world.turn()` to change it directly.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        site_port: int = 0,
        state: Path | None = None,
        seed: str | None = None,
        moment: datetime | None = None,
        **config: Any,
    ) -> None:
        super().__init__(
            platform.new_world(seed=seed or secrets.token_hex(8), config=config, file=state)
        )
        if moment is not None:
            self.world.state["clock"] = {"mode": "still", "at": moment.timestamp()}
        table = control.routes(self._faults)
        self._servers = [
            self._server("api", api.answer, port, control=table.answer),
            self._server("site", site.answer, site_port),
        ]
        self.root, self.site = (server.base for server in self._servers)
        self.world.site = self.site
        self.api = f"{self.root}/api/v1"
        self.jwks_url = f"{self.root}/.well-known/study/jwks.json"
        self.control = f"{self.root}/_sim"
        self.complete_url = f"{self.site}/submissions/complete"
        self._sender = Sender(self.world)
        self._bots: list[ParticipantBot] = []

    def is_authorised(self, world: World, request: Request) -> bool:
        return api.authorised(world, request)

    @property
    def token(self) -> str:
        return str(self.world.config["token"])

    @property
    def workspace(self) -> str:
        return tokens.workspace(self.world)

    def addresses(self) -> Row:
        return {
            "api": self.api,
            "token": self.token,
            "jwks": self.jwks_url,
            "site": self.site,
            "complete": self.complete_url,
            "control": self.control,
            "workspace": self.workspace,
        }

    # Its life

    def start(self) -> Self:
        super().start()
        self._sender.start()
        return self

    def stop(self) -> None:
        self._sender.stop()
        for bot in self._bots:
            bot.close()
        super().stop()

    # People and money

    def participant(self, key: str, **attributes: Any) -> str:
        """Somebody with what filters look at, by filter_id."""
        with self.world.turn():
            groups.participant(self.world, key, **attributes)
        return key

    def bot(self, participant: str, **attributes: Any) -> ParticipantBot:
        self.participant(participant, **attributes)
        bot = ParticipantBot(self.site, participant)
        self._bots.append(bot)
        return bot

    def bonuses(self, **about: str) -> list[int]:
        """What each bonus brought its participant, in cents, in the order of payment."""
        return [-line["amount"] for line in self.ledger("bonus", **about)]

    def cost_of(self, reward: int, places: int = 1) -> int:
        return money.reward(reward, self.world.config).total * places

    def submission(self, key: str) -> Row:
        """The row itself, with the history of its statuses."""
        with self.world.turn():
            return dict(submissions.find(self.world, key))

    def study(self, key: str) -> Row:
        with self.world.turn():
            return dict(self.world.state["studies"][key])

    def undo_rejection(self, key: str) -> None:
        with self.world.turn():
            submissions.undo_rejection(self.world, submissions.find(self.world, key))

    def read_messages(self) -> None:
        """The researcher looks at all messages on Prolific's own page."""
        with self.world.turn():
            messages.read_all(self.world)

    def mint(self, submission: str, variant: str = "good") -> str:
        with self.world.turn():
            return tokens.mint(self.world, submissions.find(self.world, submission), variant)

    def launch_url(self, submission: str, variant: str = "good") -> str:
        with self.world.turn():
            return tokens.address(self.world, submissions.find(self.world, submission), variant)

    def rotate_key(self, *, keep_old: bool = True) -> str:
        with self.world.turn():
            return tokens.rotate(self.world, keep_old=keep_old)

    # Webhooks

    def events(self) -> list[Row]:
        with self.world.turn():
            return [dict(event) for event in self.world.state["events"]]

    def flush_hooks(self, timeout: float = 20.0) -> None:
        """Wait until every event that is due has been sent."""
        with self.world.turn():
            pass
        if not self._sender.wait(timeout):
            raise TimeoutError("webhooks are still being sent")

    def redeliver(self) -> None:
        with self.world.turn():
            for event in self.world.state["events"]:
                event.update(status="PENDING", next_at=self.world.now())

    def clock(self) -> Row:
        with self.world.lock:
            return control.clock_shown(self.world)
