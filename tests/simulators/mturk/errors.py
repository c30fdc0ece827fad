"""Refusals, as the service words them."""


class ServiceError(Exception):
    """An answer other than success: its HTTP status, `__type`, message and Turk error code."""

    def __init__(self, status: int, kind: str, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.code = code

    @property
    def outcome(self) -> str:
        return self.code.rpartition(".")[2] or self.kind

    def body(self, *, stamp: str) -> dict[str, str]:
        message = f"{self.message} ({stamp})" if self.code else self.message
        body = {"__type": self.kind, "Message": message, "message": message}
        if self.code:
            body["TurkErrorCode"] = self.code
        return body


class RequestError(ServiceError):
    """The client is at fault; `code` is the last part of the Turk error code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(400, "RequestError", message, f"AWS.MechanicalTurk.{code}")


class NotSimulatedError(ServiceError):
    def __init__(self, what: str) -> None:
        super().__init__(
            400,
            "RequestError",
            f"{what} is not simulated here.",
            "AWS.MechanicalTurk.NotSimulated",
        )


class ServiceFaultError(ServiceError):
    def __init__(self) -> None:
        super().__init__(
            500,
            "ServiceFault",
            "Amazon Mechanical Turk is temporarily unable to process your request. Try again.",
            "AWS.MechanicalTurk.ServiceFault",
        )


def invalid(message: str) -> RequestError:
    return RequestError("InvalidParameterValue", message)


class WorkerRefusedError(Exception):
    """A page of the worker site says no: an HTTP status and a sentence for the worker."""

    def __init__(self, message: str, *, status: int = 403, outcome: str = "refused") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.outcome = outcome
