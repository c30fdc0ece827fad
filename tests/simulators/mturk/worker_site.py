"""The workers' site on the second port: log in, find HITs, work on them in a frame, be paid."""

import re
import secrets
from collections.abc import Callable
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit, urlunsplit

from tests.simulators.mturk import life, pages, questions
from tests.simulators.mturk.entities import ACCEPTED, SUBMITTED, VISIBLE, Assignment, Hit, Worker
from tests.simulators.mturk.errors import WorkerRefusedError
from tests.simulators.mturk.faults import EXTERNAL_SUBMIT
from tests.simulators.mturk.http import LOOPBACK, Reply, Request
from tests.simulators.mturk.qualifying import why_not
from tests.simulators.mturk.service import Service

COOKIE = "worker_session"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
# Names of the launch itself, which are no answers.
_OF_THE_LAUNCH = {"assignmentId", "hitId", "workerId", "turkSubmitTo"}
_WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")
_TASK = re.compile(r"/projects/([A-Z0-9]+)/tasks/([A-Z0-9]+)(/accept|/return|/question)?")
_GROUP = re.compile(r"/projects/([A-Z0-9]+)/tasks/?")


class WorkerSite:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._plain: dict[str, Callable[[Request, Worker], Reply]] = {
            "GET /": lambda *_: _go("/projects"),
            "GET /projects": self._projects,
            "GET /queue": self._queue,
            "GET /earnings": self._earnings,
            "GET /messages": self._messages,
            "POST /mturk/externalSubmit": self._external_submit,
        }

    def answer(self, request: Request) -> Reply:
        with self._service.lock:
            self._service.catch_up()
            try:
                reply = self._route(request)
            except WorkerRefusedError as refusal:
                reply = _page(pages.message(refusal.message), refusal.status, refusal.outcome)
            self._service.note(
                op=f"worker {request.method} {request.path}",
                worker=self._worker_id(request),
                outcome=reply.headers.get("X-Sim-Outcome", str(reply.status)),
            )
        reply.headers["X-Frame-Options"] = "SAMEORIGIN"
        reply.headers["Cache-Control"] = "no-store"
        return reply

    def _worker_id(self, request: Request) -> str:
        cookie = SimpleCookie(request.headers.get("Cookie", ""))
        token = cookie[COOKIE].value if COOKIE in cookie else ""
        return self._service.world.sessions.get(token, "")

    def _route(self, request: Request) -> Reply:
        host = request.headers.get("Host", "")
        home = self._service.worker_origin
        # Somebody who typed the number gets the name, or the cookie would be of another host.
        if host.startswith(LOOPBACK) and request.method == "GET" and LOOPBACK not in home:
            return _go(f"{home}{request.path}?{urlencode(request.query)}".rstrip("?"))
        if request.path == "/worker/login":
            return self._log_in(request)
        worker_id = self._worker_id(request)
        if not worker_id:
            if request.method == "GET":
                return _go("/worker/login")
            raise WorkerRefusedError("You are not logged in.", outcome="not_logged_in")
        worker = self._service.worker(worker_id)
        if (plain := self._plain.get(f"{request.method} {request.path}")) is not None:
            return plain(request, worker)
        if (task := _TASK.fullmatch(request.path)) is not None:
            return self._task(request, worker, task)
        if (group := _GROUP.fullmatch(request.path)) is not None:
            return self._first_of_group(worker, group[1])
        raise WorkerRefusedError("There is no such page.", status=404, outcome="no_page")

    def _log_in(self, request: Request) -> Reply:
        world = self._service.world
        worker_id = request.parameter("as") or dict(request.form()).get("as", "")
        if not worker_id:
            return _page(pages.login(sorted(world.workers)))
        if not _WORKER_ID.fullmatch(worker_id):
            raise WorkerRefusedError(
                "A worker's id is an A followed by capital letters and digits.",
                status=400,
                outcome="bad_worker",
            )
        self._service.worker(worker_id)
        token = secrets.token_hex(16)
        world.sessions[token] = worker_id
        same_site = world.settings.cookie_same_site
        # A frame of another host posts back to this one: only SameSite=None lets it bring the
        # cookie, and that wants Secure, which browsers allow on *.localhost without TLS.
        secure = "; Secure" if same_site == "None" else ""
        cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite={same_site}{secure}"
        return _go("/projects", {"Set-Cookie": cookie})

    def _projects(self, request: Request, worker: Worker) -> Reply:
        world = self._service.world
        rows = []
        for kind in world.hit_types.values():
            open_hits = self._open_hits(worker, kind.group_id)
            if open_hits and not why_not(world, worker, kind, "Discover"):
                allowed = {
                    action: not why_not(world, worker, kind, action)
                    for action in ("Preview", "Accept")
                }
                rows.append((kind, len(open_hits), allowed))
        return _page(pages.projects(worker, rows))

    def _open_hits(self, worker: Worker, group_id: str) -> list[Hit]:
        """The HITs of a group in which there is a place for this worker."""
        world = self._service.world
        return [
            hit
            for hit in world.hits.values()
            if world.hit_type(hit).group_id == group_id
            and life.status(world, hit) == "Assignable"
            and all(a.worker_id != worker.worker_id for a in world.live_assignments(hit))
        ]

    def _first_of_group(self, worker: Worker, group_id: str) -> Reply:
        hits = self._open_hits(worker, group_id)
        if not hits:
            raise WorkerRefusedError(
                "There are no more of these HITs available.", status=404, outcome="none_left"
            )
        return _go(f"/projects/{group_id}/tasks/{hits[0].hit_id}")

    def _task(self, request: Request, worker: Worker, task: re.Match[str]) -> Reply:
        world = self._service.world
        group_id, hit_id, action = task.groups()
        hit = world.hits.get(hit_id)
        if hit is None or world.hit_type(hit).group_id != group_id or hit.disposed_at is not None:
            raise WorkerRefusedError("There is no such HIT.", status=404, outcome="no_hit")
        mine = next(
            (
                a
                for a in world.live_assignments(hit)
                if a.worker_id == worker.worker_id and a.status == ACCEPTED
            ),
            None,
        )
        page = f"/projects/{group_id}/tasks/{hit_id}"
        if action == "/question" and request.method == "GET":
            body = questions.html_content(hit.question)
            return Reply(200, body.encode(), "text/html; charset=utf-8")
        if action is None and request.method == "GET":
            return self._frame(worker, hit, mine)
        if action == "/accept" and request.method == "POST":
            accepted = mine or life.accept(world, hit, worker)
            return _go(page, {"X-Sim-Outcome": f"accepted {accepted.assignment_id}"})
        if action == "/return" and request.method == "POST":
            if mine is None:
                raise WorkerRefusedError("You do not work on this HIT.", outcome="not_yours")
            life.give_back(world, mine)
            return _go("/projects", {"X-Sim-Outcome": "returned"})
        raise WorkerRefusedError("There is no such page.", status=405, outcome="no_page")

    def _frame(self, worker: Worker, hit: Hit, mine: Assignment | None) -> Reply:
        """A preview, or the work itself: the requester's page in a frame."""
        world = self._service.world
        if mine is None:
            if reason := why_not(world, worker, world.hit_type(hit), "Preview"):
                raise WorkerRefusedError(reason, outcome="not_qualified")
            if life.status(world, hit) != "Assignable":
                raise WorkerRefusedError(
                    "There are no more of these HITs available.", outcome="none_left"
                )
        launch = self._launch(worker, hit, mine)
        external = questions.external_url(hit.question)
        if external is None:
            kind = world.hit_type(hit)
            external = f"/projects/{kind.group_id}/tasks/{hit.hit_id}/question"
        address = urlsplit(external)
        query = "&".join(part for part in (address.query, urlencode(launch)) if part)
        source = urlunsplit(address._replace(query=query))
        return _page(
            pages.frame(
                world.hit_type(hit),
                hit,
                mine,
                now=world.now,
                source=source,
                sandbox=world.settings.frame_sandbox,
                height=questions.frame_height(hit.question),
            )
        )

    def _launch(self, worker: Worker, hit: Hit, mine: Assignment | None) -> list[tuple[str, str]]:
        settings = self._service.world.settings
        launch = [("assignmentId", mine.assignment_id if mine else PREVIEW), ("hitId", hit.hit_id)]
        if mine or settings.worker_id_in_preview:
            launch.append(("workerId", worker.worker_id))
        if settings.turk_submit_to == "right":
            launch.append(("turkSubmitTo", self._service.worker_origin))
        elif settings.turk_submit_to != "missing":
            launch.append(("turkSubmitTo", settings.turk_submit_to))
        return launch + [pair for pair in launch if pair[0] == settings.doubled_parameter]

    def _external_submit(self, request: Request, worker: Worker) -> Reply:
        world = self._service.world
        fault = self._service.faults.meet(
            EXTERNAL_SUBMIT, {worker.worker_id}, is_read=False, has_page_token=False
        )
        fields = request.form()
        assignment_id = dict(reversed(fields)).get("assignmentId", "")
        mine = world.assignments.get(assignment_id)
        if mine is None or mine.worker_id != worker.worker_id:
            raise WorkerRefusedError("This HIT is not assigned to you.", outcome="not_yours")
        if mine.status in VISIBLE:
            # Sent twice, by a double click or a reload: the first one stands.
            return _page(pages.submitted("You have already submitted this HIT."), 200, "already")
        if mine.status != ACCEPTED:
            raise WorkerRefusedError(
                "The time for this HIT is over, or you returned it.", outcome="too_late"
            )
        answers = [(name, text) for name, text in fields if name not in _OF_THE_LAUNCH]
        if not answers:
            raise WorkerRefusedError(
                "The form holds no answer besides the assignment's id.",
                status=400,
                outcome="no_answer",
            )
        if fault is None or fault.kind != "lose_external_submit":
            life.submit(world, mine, questions.answers(answers))
            mine.doubled = fault is not None and fault.kind == "dup_external_submit"
            life.move_clock(world, world.now)
        return _page(pages.submitted("Thank you: your HIT was submitted."), 200, "submitted")

    def _mine(self, worker: Worker, *states: str) -> list[tuple[Assignment, Hit]]:
        world = self._service.world
        return [
            (a, world.hits[a.hit_id])
            for a in world.assignments.values()
            if a.worker_id == worker.worker_id and (not states or a.status in states)
        ]

    def _queue(self, request: Request, worker: Worker) -> Reply:
        rows = [
            (self._service.world.hit_type(hit), hit, a) for a, hit in self._mine(worker, ACCEPTED)
        ]
        return _page(pages.queue(worker, rows))

    def _earnings(self, request: Request, worker: Worker) -> Reply:
        world = self._service.world
        states = [a.status for a, _ in self._mine(worker, *VISIBLE)]
        return _page(
            pages.earnings(
                worker,
                life.earned(world, worker.worker_id),
                states.count(SUBMITTED),
                [(a, world.hit_type(hit)) for a, hit in self._mine(worker, *VISIBLE)],
            )
        )

    def _messages(self, request: Request, worker: Worker) -> Reply:
        letters = [x for x in self._service.world.letters if x.worker_id == worker.worker_id]
        return _page(pages.messages(worker, letters))


def _page(html: str, status: int = 200, outcome: str = "") -> Reply:
    headers = {"X-Sim-Outcome": outcome} if outcome else {}
    return Reply(status, html.encode(), "text/html; charset=utf-8", headers)


def _go(where: str, headers: dict[str, str] | None = None) -> Reply:
    return Reply(303, b"", "text/plain", {"Location": where, **(headers or {})})
