"""How the simulator says no: the platform's envelope of an error."""

from typing import Any


class Refusal(Exception):  # noqa: N818 - it is an answer, not a fault
    """A request that is answered with an error and changes nothing."""

    def __init__(self, status: int, detail: Any, *, title: str = "", code: int = 0) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        titles = {400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found"}
        self.body = {
            "error": {
                "status": status,
                "error_code": code or 140_000 + status,
                "title": title or titles.get(status, "Error"),
                "detail": detail,
                "additional_information": "",
                "traceback": None,
                "interactive": False,
            }
        }


def invalid(**fields: str) -> Refusal:
    """Bad fields of a body: each name with what is wrong with it."""
    return Refusal(
        400,
        {name: [message] for name, message in fields.items()},
        title="Validation error",
        code=140_100,
    )


def missing(what: str, key: str) -> Refusal:
    return Refusal(404, f"{what} {key} was not found.")
