"""The requester API on the first port: one pipeline that every call goes through."""

import copy
import json
import uuid
from typing import Any

from tests.simulators.mturk import life, protocol, shapes
from tests.simulators.mturk.control import Control
from tests.simulators.mturk.errors import RequestError, ServiceError, ServiceFaultError, invalid
from tests.simulators.mturk.faults import Rule
from tests.simulators.mturk.http import DROPPED, Reply, Request
from tests.simulators.mturk.operations import is_read, perform
from tests.simulators.mturk.operations.shown import stamp
from tests.simulators.mturk.service import Service
from tests.simulators.mturk.world import World

_UNAVAILABLE = b"<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"


class Requester:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._control = Control(service)

    def answer(self, request: Request) -> Reply:
        if request.path.startswith("/_sim/"):
            return self._control.answer(request)
        if request.method != "POST" or request.path != "/":
            return Reply(404, b"", "text/plain")
        call = _Call(self._service, request)
        return call.answer()


class _Call:
    """One request to the API, from its headers to its line in the journal."""

    def __init__(self, service: Service, request: Request) -> None:
        self.service = service
        self.request = request
        self.request_id = str(uuid.uuid4())
        self.op = ""
        self.parameters: Any = None
        self.fault: Rule | None = None

    def answer(self) -> Reply:
        try:
            self._open()
            if (early := self._spoil_before()) is not None:
                return early
            with self.service.lock:
                result = self._perform()
                self._note("ok", committed=not is_read(self.op))
            reply = self._reply(200, result)
        except ServiceError as error:
            with self.service.lock:
                self._note(error.outcome, committed=False)
                body = error.body(stamp=stamp(self.service.world))
            reply = self._reply(error.status, body)
        return self._spoil_after(reply)

    def _open(self) -> None:
        self.op = protocol.target(self.request.headers)
        protocol.check_signature(self.request.headers, self.request.body, self.service.credentials)
        try:
            self.parameters = json.loads(self.request.body or b"{}")
        except ValueError as error:
            raise ServiceError(400, "SerializationException", "The body is no JSON.") from error
        with self.service.lock:
            self.service.catch_up()
            self.fault = self.service.faults.meet(
                self.op,
                self._workers(),
                is_read=is_read(self.op),
                has_page_token=bool(self._parameter("NextToken")),
            )

    def _parameter(self, name: str) -> Any:
        return self.parameters.get(name) if isinstance(self.parameters, dict) else None

    def _workers(self) -> set[str]:
        """Whom a call is about, for faults that meet one worker only."""
        many = self._parameter("WorkerIds")
        found = [self._parameter("WorkerId"), *(many if isinstance(many, list) else [])]
        assignment = self.service.world.assignments.get(str(self._parameter("AssignmentId")))
        if assignment is not None:
            found.append(assignment.worker_id)
        return {str(worker) for worker in found if worker}

    def _spoil_before(self) -> Reply | None:
        """Do what a fault does before anything is committed."""
        kind = self.fault.kind if self.fault else ""
        if kind == "latency" and self.fault:
            self.service.rest(self.fault.seconds)
        elif kind == "throttle":
            raise ServiceError(400, "ThrottlingException", "Rate exceeded")
        elif kind == "500_before":
            raise ServiceFaultError
        elif kind == "insufficient_funds":
            raise RequestError("InsufficientFunds", "You do not have enough funds.")
        elif kind == "page_token_expired":
            raise invalid("This NextToken has expired.")
        elif kind in ("timeout_before", "wrong_content_type") and self.fault:
            with self.service.lock:
                self._note(kind, committed=False)
            if kind == "wrong_content_type":
                return Reply(503, _UNAVAILABLE, "text/html")
            self.service.rest(self.fault.seconds)
            return DROPPED
        closed = self.service.world.settings.closed and not is_read(self.op)
        if kind == "service_closed" or closed:
            raise ServiceError(
                400, "AccessDeniedException", "Amazon Mechanical Turk is closed to requesters."
            )
        return None

    def _perform(self) -> dict[str, Any]:
        world = self._world()
        parameters = shapes.check(self.op, self.parameters)
        # Members that say nothing are as good as missing.
        said = {name: value for name, value in parameters.items() if value is not None}
        result = shapes.answer(self.op, perform(world, self.op, copy.deepcopy(said)))
        # Something may be due at this very moment: an auto-approval without delay.
        life.move_clock(world, world.now)
        return result

    def _world(self) -> World:
        if self.fault and self.fault.kind == "stale_read":
            old: World = self.fault.copy
            return old
        return self.service.world

    def _spoil_after(self, reply: Reply) -> Reply:
        """Do what a fault does once everything is committed."""
        kind = self.fault.kind if self.fault else ""
        if kind == "commit_then_500":
            error = ServiceFaultError()
            with self.service.lock:
                body = error.body(stamp=stamp(self.service.world))
            return self._reply(error.status, body)
        if kind == "commit_then_hang" and self.fault:
            self.service.rest(self.fault.seconds)
            return DROPPED
        if kind == "commit_then_drop":
            return DROPPED
        if kind == "truncated_json":
            reply.body = reply.body[: max(1, len(reply.body) // 2)]
        return reply

    def _note(self, outcome: str, *, committed: bool) -> None:
        headers = self.request.headers
        attempt = dict(
            part.strip().partition("=")[::2]
            for part in headers.get("amz-sdk-request", "").split(";")
        ).get("attempt", "")
        self.service.note(
            op=self.op,
            body=self.parameters,
            request_id=self.request_id,
            invocation_id=headers.get("amz-sdk-invocation-id", ""),
            attempt=int(attempt) if attempt.isdecimal() else 0,
            outcome=outcome,
            committed=committed,
            fault=self.fault.kind if self.fault else "",
        )

    def _reply(self, status: int, body: dict[str, Any]) -> Reply:
        return Reply(
            status,
            json.dumps(body).encode(),
            protocol.CONTENT_TYPE,
            {"x-amzn-RequestId": self.request_id},
        )
