"""A participant without a browser: looks for studies, works, comes back with a code."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from tests.simulators.prolific.loopback import is_loopback
from tests.simulators.prolific.rules import NOCODE

LIVE_COMPLETE = ("app.prolific.com", "/submissions/complete")


class PlaceRefusedError(Exception):
    """The platform does not let this participant do that; the message says why."""


class ParticipantBot:
    """One person with cookies of their own, who never leaves this machine.

    An address of the live platform's completion page is opened on the simulated one.
    """

    def __init__(self, site: str, participant: str, *, timeout: float = 30.0) -> None:
        self.site = site
        self.participant = participant
        self.timeout = timeout
        self.session = requests.Session()
        self.session.trust_env = False
        self._call("GET", f"/login?as={participant}")

    def close(self) -> None:
        self.session.close()

    def __enter__(self) -> "ParticipantBot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str, path: str, **form: str) -> dict[str, Any]:
        with self.session.request(
            method,
            self.site + path,
            data=form or None,
            headers={"Accept": "application/json"},
            allow_redirects=False,
            timeout=self.timeout,
        ) as answer:
            if answer.status_code >= 400:
                raise PlaceRefusedError(str(answer.json()["error"]["detail"]))
            return dict(answer.json())

    # On the platform

    def studies(self) -> list[dict[str, Any]]:
        """The studies on offer to this participant just now."""
        return list(self._call("GET", "/studies")["results"])

    def reserve(self, study: str) -> str:
        """Take a place; the id of the submission, which is the SESSION_ID."""
        return str(self._call("POST", f"/studies/{study}/reserve")["id"])

    def start(self, submission: str, *, token: str = "good") -> str:
        """Open the study: its address with the placeholders filled. `token` is of VARIANTS."""
        return str(self._call("POST", f"/submissions/{submission}/start", variant=token)["url"])

    def take(self, study: str, *, token: str = "good") -> tuple[str, str]:
        """Reserve and open: the submission and the address."""
        submission = self.reserve(study)
        return submission, self.start(submission, token=token)

    def submission(self, key: str) -> dict[str, Any]:
        return self._call("GET", f"/submissions/{key}")

    def type_code(self, submission: str, code: str) -> dict[str, Any]:
        return self._call("POST", f"/submissions/{submission}/code", code=code)

    def no_code(self, submission: str) -> dict[str, Any]:
        return self.type_code(submission, NOCODE)

    def give_back(self, submission: str) -> dict[str, Any]:
        return self._call("POST", f"/submissions/{submission}/return")

    def messages(self) -> list[str]:
        return [each["body"] for each in self._call("GET", "/messages")["results"]]

    def write(self, body: str, *, study: str = "", category: str = "") -> None:
        """Send the researcher a message, about a study or about none."""
        self._call("POST", "/messages", body=body, study=study, category=category)

    # In the study

    def follow(self, url: str, method: str = "GET", **options: Any) -> requests.Response:
        """Open an address and go where it leads, hop by hop, as a browser does."""
        for _ in range(20):
            url = self.here(url)
            answer = self.session.request(
                method, url, allow_redirects=False, timeout=self.timeout, **options
            )
            if not answer.is_redirect:
                return answer
            answer.close()
            url = urljoin(url, answer.headers["Location"])
            if answer.status_code not in (307, 308):
                method, options = "GET", {}
        raise RuntimeError(f"too many redirects, the last to {url}")

    def here(self, url: str) -> str:
        parts = urlsplit(url)
        if (parts.hostname, parts.path.rstrip("/")) == LIVE_COMPLETE:
            return f"{self.site}{parts.path}?{parts.query}"
        if not is_loopback(parts.hostname or ""):
            raise ValueError(f"{url} is not an address of this machine")
        return url

    def work(self, study: str, doing: Callable[["ParticipantBot", str], requests.Response]) -> str:
        """Take the study and do the work; the id of the submission."""
        submission, url = self.take(study)
        doing(self, url).close()
        return submission
