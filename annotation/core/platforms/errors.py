"""What a platform's answer, or the lack of one, means for what was asked of it."""

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _

# All lists that one piece of work reads, together: a worker has others to do.
MAX_LISTS_SECONDS = 120


class LaunchError(AnnotationError):
    """The address that somebody came by is incomplete, forged, or of another study."""

    status = 400


class UncheckedLaunchError(LaunchError):
    """Nobody can say at this moment whether the launch is genuine: it may be, and is not let in.

    `arrived` is a word for the address, by which a later try is judged as of this one.
    """

    status = 503

    def __init__(self, message: Said, *, retry_after: int, arrived: str) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.arrived = arrived

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class RefusedError(AnnotationError):
    """The platform said no, or was not asked at all: nothing happened there."""


class UnavailableError(AnnotationError):
    """The platform could not be reached or was busy, and did nothing: asking again is safe."""

    code = "platform_unavailable"


class TooLongError(UnavailableError):
    """A list did not come to its end in the time that one piece of work may take."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Reading the platform's lists took longer than %(n)s seconds. "
                "Likeness tries again later."
            )
            % {"n": MAX_LISTS_SECONDS}
        )


class DoubtfulError(AnnotationError):
    """No answer, or one that does not say what happened: only asking what is there tells."""

    code = "in_doubt"


class MissingCredentialsError(RefusedError):
    """The environment does not hold what the platform asks for."""

    code = "no_credentials"


class ServiceClosedError(RefusedError):
    """The service has ended."""
