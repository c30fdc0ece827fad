"""A worker without a browser: uses the workers' site and answers on the requester's pages."""

import http.client
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from tests.simulators.mturk.http import LOOPBACK
from tests.simulators.mturk.worker_site import COOKIE, PREVIEW

_FRAME = re.compile(r'<iframe id="task"[^>]* src="([^"]*)"')
_GROUPS = re.compile(r'href="(/projects/([A-Z0-9]+)/tasks)"')
_MOST_REDIRECTS = 10


class BotRefusedError(Exception):
    """The workers' site said no; `outcome` is its one word for why."""

    def __init__(self, outcome: str, status: int) -> None:
        super().__init__(f"the workers' site answered {status}: {outcome}")
        self.outcome = outcome
        self.status = status


@dataclass(frozen=True)
class Page:
    """What a request brought: the final address, status, headers (lower case) and text."""

    url: str
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def outcome(self) -> str:
        return self.headers.get("x-sim-outcome", "")


@dataclass(frozen=True)
class Task:
    """An accepted or previewed HIT: its page on the workers' site and its frame's address."""

    address: str
    frame: str

    def launch(self, name: str) -> str:
        return parse_qs(urlsplit(self.frame).query).get(name, [""])[0]

    @property
    def assignment_id(self) -> str:
        return self.launch("assignmentId")

    @property
    def hit_id(self) -> str:
        return self.launch("hitId")

    @property
    def is_preview(self) -> bool:
        return self.assignment_id == PREVIEW


# Does the work on the requester's pages and returns the fields of the last form.
Answering = Callable[["WorkerBot", Task], Mapping[str, str]]


class WorkerBot:
    """One logged-in worker; cookies go to the workers' site only, as a strict browser has it.

    Work is abandoned by leaving it alone until the clock passed its deadline.
    """

    def __init__(self, worker_site: str, worker_id: str) -> None:
        self.site = worker_site
        self.worker_id = worker_id
        self._cookie = ""
        page = self._own("GET", f"/worker/login?as={worker_id}", follow=False)
        found = re.search(rf"{COOKIE}=([0-9a-f]+)", page.headers.get("set-cookie", ""))
        if found is None:
            raise BotRefusedError(page.outcome, page.status)
        self._cookie = f"{COOKIE}={found[1]}"

    def fetch(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
        follow: bool = True,
    ) -> Page:
        """One request and its redirects; every *.localhost is this machine."""
        sent = dict(headers or {})
        body = None
        if form is not None:
            pairs = form.items() if isinstance(form, Mapping) else form
            body = urlencode(list(pairs))
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        for _ in range(_MOST_REDIRECTS):
            page = _send(method, url, body, {**sent, **self._cookie_for(url)})
            if not follow or page.status not in (301, 302, 303, 307, 308):
                return page
            url = urljoin(url, page.headers["location"])
            if page.status in (301, 302, 303):
                method, body = "GET", None
                sent.pop("Content-Type", None)
        raise RuntimeError(f"{url} redirects without end")

    def _cookie_for(self, url: str) -> dict[str, str]:
        own = urlsplit(url).netloc == urlsplit(self.site).netloc
        return {"Cookie": self._cookie} if own and self._cookie else {}

    def _own(
        self,
        method: str,
        path: str,
        form: Mapping[str, str] | None = None,
        *,
        follow: bool = True,
    ) -> Page:
        return self.fetch(method, urljoin(self.site, path), form=form, follow=follow)

    def log_out(self) -> None:
        """Forget the session, as a browser does that withholds the cookie."""
        self._cookie = ""

    def read(self, path: str) -> str:
        """A page of the workers' site: /earnings, /queue, /messages."""
        return self._own("GET", path).text

    def groups(self) -> list[str]:
        """The groups of HITs that this worker sees and may preview."""
        return [group for _, group in _GROUPS.findall(self._own("GET", "/projects").text)]

    def preview(self, group_id: str, hit_id: str = "") -> Task:
        return self._task(self._own("GET", f"/projects/{group_id}/tasks/{hit_id}"))

    def accept(self, group_id: str = "", hit_id: str = "") -> Task:
        """Accept a HIT: this one, or one of this group, or one of the first group there is."""
        if not group_id:
            groups = self.groups()
            if not groups:
                raise BotRefusedError("none_left", 404)
            group_id = groups[0]
        if not hit_id:
            first = self._own("GET", f"/projects/{group_id}/tasks", follow=False)
            if first.status != 303:
                raise BotRefusedError(first.outcome, first.status)
            hit_id = first.headers["location"].rpartition("/")[2]
        return self._task(
            self._own("POST", f"/projects/{group_id}/tasks/{hit_id}/accept", form={})
        )

    def _task(self, page: Page) -> Task:
        frame = _FRAME.search(page.text)
        if page.status != 200 or frame is None:
            raise BotRefusedError(page.outcome, page.status)
        return Task(page.url, urljoin(page.url, unescape(frame[1])))

    def open(self, task: Task) -> Page:
        """Fetch the requester's page that the frame shows."""
        return self.fetch("GET", task.frame)

    def give_back(self, task: Task) -> None:
        page = self.fetch("POST", f"{task.address}/return", form={}, follow=False)
        if page.status != 303:
            raise BotRefusedError(page.outcome, page.status)

    def submit(self, task: Task, fields: Mapping[str, str], *, to: str = "") -> str:
        """Post the last form, as the frame's browser would; the outcome in one word."""
        form = {"assignmentId": task.assignment_id, **fields}
        url = to or urljoin(self.site, "/mturk/externalSubmit")
        page = self.fetch("POST", url, form=form)
        if page.status != 200:
            raise BotRefusedError(page.outcome, page.status)
        return page.outcome

    def submit_twice(self, task: Task, fields: Mapping[str, str]) -> tuple[str, str]:
        return self.submit(task, fields), self.submit(task, fields)

    def work(self, answering: Answering, group_id: str = "", hit_id: str = "") -> str:
        """Accept, let `answering` do the work, submit."""
        task = self.accept(group_id, hit_id)
        return self.submit(task, answering(self, task))


def _send(method: str, url: str, body: str | None, headers: Mapping[str, str]) -> Page:
    address = urlsplit(url)
    host = address.hostname or ""
    here = host == "localhost" or host.endswith(".localhost")
    connection = http.client.HTTPConnection(
        LOOPBACK if here else host, address.port or 80, timeout=30
    )
    try:
        path = f"{address.path or '/'}?{address.query}".rstrip("?")
        sent = {"Host": address.netloc, **headers}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        found = {name.lower(): value for name, value in response.getheaders()}
        return Page(url, response.status, found, text)
    finally:
        connection.close()
