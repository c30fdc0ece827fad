"""A site of SONA that gives credit, by its manual alone; it knows nothing of Likeness.

https://www.sona-systems.com/researcher/server-side-completion-url-responses/: an HTTP GET of
`/services/SonaAPI.svc/WebstudyCredit` with `experiment_id`, `credit_token` and `survey_code`; the
answer is XML with either `Errors` or a `Result` whose `credit_status` is G. The words of refusals
are those of https://www.sona-systems.com/researcher/client-side-completion-url-responses/.
"""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

PATH = "/services/SonaAPI.svc/WebstudyCredit"
EXPERIMENT, TOKEN = "123", "9185d436e5f94b1581b0918162e8"
_ANSWER = (
    '<WebstudyCreditResponse xmlns="http://tempuri.org/"><WebstudyCreditResult'
    ' xmlns:a="urn:a" xmlns:b="urn:b" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">'
    "{content}</WebstudyCreditResult></WebstudyCreditResponse>"
)
_GRANTED = (
    '<a:Errors i:nil="true"/><a:Result><a:anon_id_code i:nil="true"/>'
    "<a:credit_status>G</a:credit_status><a:signup_id>7</a:signup_id>"
    "<a:survey_code>{code}</a:survey_code></a:Result>"
)
_REFUSED = '<a:Errors><b:string>{words}</b:string></a:Errors><a:Result i:nil="true"/>'
_STRANGE = {
    "redirect": (302, ""),
    "busy": (503, _ANSWER.format(content=_GRANTED)),
    "pending": (200, _ANSWER.format(content=_GRANTED.replace(">G<", ">A<"))),
    "entity": (
        200,
        '<!DOCTYPE r [<!ENTITY g "G">]>'
        + _ANSWER.format(content=_GRANTED.replace(">G<", ">&g;<")),
    ),
}


class SonaSite:
    """Sign-ups with their survey codes, each of which may have credit once.

    `faults` are used up one by one: "500" before anything happens, "drop" after it happened,
    "garbage" in place of the answer, "echo" repeats the token in a refusal. What no site of SONA
    says: "redirect" leads elsewhere, "pending" has another status, "busy" is a 503 with the words
    of a credit, and "entity" writes its status by an entity of its own.
    """

    def __init__(self, *codes: str) -> None:
        self.credit = dict.fromkeys(codes, 0)
        self.faults: list[str] = []
        self.n_calls = 0
        # Paths that are none of SONA's.
        self.strayed: list[str] = []

    def __enter__(self) -> "SonaSite":
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_arguments: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def completion_url(self) -> str:
        """As the page of the study shows it."""
        query = f"experiment_id={EXPERIMENT}&credit_token={TOKEN}&survey_code=XXXX"
        return f"{self.address}{PATH}?{query}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        if parts.path != PATH:
            self.strayed.append(parts.path)
            request.send_error(404)
            return
        self.n_calls += 1
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "500":
            request.send_error(500)
            return
        if fault in _STRANGE:
            self._reply(request, *_STRANGE[fault])
            return
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        content = self._content(query)
        if fault == "drop":
            request.close_connection = True
            return
        if fault == "echo":
            content = _REFUSED.format(words=f"Invalid token {TOKEN}.")
        self._reply(
            request, 200, "<html>" if fault == "garbage" else _ANSWER.format(content=content)
        )

    @staticmethod
    def _reply(request: BaseHTTPRequestHandler, status: int, text: str) -> None:
        body = text.encode()
        request.send_response(status)
        request.send_header("Location", "/elsewhere")
        request.send_header("Content-Type", "text/xml; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _content(self, query: dict[str, str]) -> str:
        if (query.get("experiment_id"), query.get("credit_token")) != (EXPERIMENT, TOKEN):
            return _REFUSED.format(words="Invalid experiment_id or credit_token.")
        code = query.get("survey_code", "")
        if code not in self.credit:
            return _REFUSED.format(words="Invalid survey_code.")
        if self.credit[code]:
            return _REFUSED.format(words="You have already received credit for this study.")
        self.credit[code] += 1
        return _GRANTED.format(code=code)
