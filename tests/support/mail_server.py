"""A mail server on the loopback address that refuses, breaks off and goes away as it is told."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class MailServer:
    port: int = 0
    # (recipient, message), in the order in which they were accepted.
    accepted: list[tuple[str, EmailMessage]] = field(default_factory=list)
    # Code by recipient.
    refused: dict[str, int] = field(default_factory=dict)
    # After so many messages every connection is refused.
    leaves_after: int | None = None
    # So many messages are taken by each connection; the next one is told to come by another.
    per_connection: int | None = None
    # Recipients after whose message the connection breaks without an answer.
    breaks_at: set[str] = field(default_factory=set)
    # What it offers beside the least, such as "AUTH PLAIN"; never encryption.
    offers: list[str] = field(default_factory=list)
    # Code with which it answers every login, and every sender.
    login_code: int | None = None
    sender_code: int | None = None

    @property
    def is_away(self) -> bool:
        return self.leaves_after is not None and len(self.accepted) >= self.leaves_after


@contextmanager
def mail_server() -> Iterator[MailServer]:
    state = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def answer(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

        def handle(self) -> None:
            if state.is_away:
                return
            self.answer("220 simulator")
            recipient, n_taken = "", 0
            while line := self.rfile.readline().decode().strip():
                verb = line.upper()
                if verb.startswith("MAIL") and n_taken == state.per_connection:
                    self.answer("421 too many messages")
                    return
                if verb.startswith("EHLO"):
                    offers = ["simulator", *state.offers]
                    for one in offers[:-1]:
                        self.answer(f"250-{one}")
                    self.answer(f"250 {offers[-1]}")
                elif verb.startswith("AUTH"):
                    self.answer(f"{state.login_code or 235} login")
                elif verb.startswith("MAIL") and state.sender_code:
                    self.answer(f"{state.sender_code} refused")
                elif verb.startswith("RCPT"):
                    recipient = line.partition("<")[2].partition(">")[0]
                    code = state.refused.get(recipient)
                    self.answer(f"{code} refused" if code else "250 ok")
                elif verb == "DATA":
                    self.answer("354 go on")
                    n_taken += 1
                    if not self.take(recipient):
                        return
                elif verb == "QUIT":
                    self.answer("221 bye")
                    return
                else:
                    self.answer("250 ok")

        def take(self, recipient: str) -> bool:
            lines = []
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                lines.append(line)
            if recipient in state.breaks_at:
                return False
            message = message_from_bytes(b"".join(lines), policy=policy.default)
            state.accepted.append((recipient, message))  # type: ignore[arg-type]
            self.answer("250 accepted")
            return not state.is_away

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
