"""The simulator as a test holds it: started in a thread, with everything at hand."""

import secrets
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.simulators.prolific import (
    control,
    groups,
    messages,
    money,
    platform,
    rules,
    submissions,
    tokens,
)
from tests.simulators.prolific.bot import ParticipantBot
from tests.simulators.prolific.faults import Faults
from tests.simulators.prolific.hooks import Sender
from tests.simulators.prolific.server import Server
from tests.simulators.prolific.world import Row


class ProlificSimulator:
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
        self.world = platform.new_world(
            seed=seed or secrets.token_hex(8), config=config, file=state
        )
        if moment is not None:
            self.world.state["clock"] = {"mode": "still", "at": moment.timestamp()}
        self._faults = Faults()
        self._servers = [
            Server(self.world, self._faults, surface="api", port=port),
            Server(self.world, self._faults, surface="site", port=site_port),
        ]
        self.root, self.site = (server.base for server in self._servers)
        self.world.site = self.site
        self.api = f"{self.root}/api/v1"
        self.jwks_url = f"{self.root}/.well-known/study/jwks.json"
        self.control = f"{self.root}/_sim"
        self.complete_url = f"{self.site}/submissions/complete"
        self._sender = Sender(self.world)
        self._threads: list[threading.Thread] = []
        self._bots: list[ParticipantBot] = []

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

    def start(self) -> "ProlificSimulator":
        for server in self._servers:
            thread = threading.Thread(
                target=server.serve_forever, args=(0.02,), name=f"prolific-{server.surface}"
            )
            thread.start()
            self._threads.append(thread)
        self._sender.start()
        return self

    def stop(self) -> None:
        """End everything it started, requests that hang included."""
        self._sender.stop()
        for bot in self._bots:
            bot.close()
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
        self.world.save()

    def __enter__(self) -> "ProlificSimulator":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # The clock

    @property
    def now(self) -> datetime:
        with self.world.lock:
            return datetime.fromtimestamp(self.world.now(), UTC)

    def advance(self, **units: float) -> None:
        """Let time pass: `hours=72`."""
        with self.world.turn():
            self.world.move_clock(to=self.world.now() + timedelta(**units).total_seconds())
        self.world.save()

    def set_clock(self, moment: datetime) -> None:
        with self.world.turn():
            self.world.move_clock(to=moment.timestamp())
        self.world.save()

    def run_clock(self, *, running: bool = True) -> None:
        with self.world.turn():
            self.world.run_clock(running=running)

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

    def set_wallet(self, cents: int) -> None:
        with self.world.turn():
            self.world.book("top_up", cents - self.world.state["wallet"]["balance"])

    def ledger(self, kind: str = "", **about: str) -> list[Row]:
        """Lines of the ledger; `participant`, `submission` and `study` choose."""
        with self.world.turn():
            return [
                dict(line)
                for line in self.world.state["ledger"]
                if kind in ("", line["kind"])
                and all(line.get(name) == value for name, value in about.items())
            ]

    def spent(self, **about: str) -> int:
        """Cents that have left the wallet, fees included."""
        lines = self.ledger(**about)
        return -sum(x["amount"] for x in lines if x["kind"] not in ("top_up", "hold", "release"))

    def bonuses(self, **about: str) -> list[int]:
        """What each bonus brought its participant, in cents, in the order of payment."""
        return [-line["amount"] for line in self.ledger("bonus", **about)]

    def cost_of(self, reward: int, places: int = 1) -> int:
        return money.reward(reward, self.world.config).total * places

    # What went on, and what shall go wrong

    def configure(self, **knobs: Any) -> None:
        rules.check_config(knobs)
        with self.world.turn():
            self.world.config.update(knobs)

    def journal(self, path: str = "", method: str = "") -> list[Row]:
        with self.world.lock:
            rows = list(self.world.journal)
        return [row for row in rows if path in row["path"] and method in ("", row["method"])]

    def fault(self, kind: str, path: str = "", method: str = "", **more: Any) -> None:
        """Order a fault of KINDS; `nth`, `times` (0: until cleared) and `seconds` say when."""
        match = {"path": path, "method": method, "nth": more.pop("nth", 1)}
        with self.world.lock:
            self._faults.order({"kind": kind, "match": match, **more}, self.world.state)

    def clear_faults(self) -> None:
        self._faults.clear()

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

    def snapshot(self) -> Row:
        return self.world.snapshot()

    def restore(self, snapshot: Row) -> None:
        self.world.restore(snapshot)

    def clock(self) -> Row:
        with self.world.lock:
            return control.clock_shown(self.world)
