"""What the pages of jobs say of each kind of work: the room that does it registers it here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotation.basics.sentences import Said
from annotation.core.pages.frame import url
from annotation.core.pages.navigation import Text
from annotation.models import Job, Study


@dataclass(frozen=True)
class Step:
    """A link to what somebody does next."""

    url: str
    label: Text


@dataclass(frozen=True)
class Form:
    """A button that sends hidden fields to an address."""

    url: str
    fields: Mapping[str, str] = field(default_factory=dict)


class JobPage:
    """What differs between the kinds of jobs on the page of one, and on pages that show one."""

    # The page of the navigation that the work belongs to.
    section: str
    # Name of the page where the outcome is looked at, and the label of the link to it.
    outcome_page: str
    outcome_label: Text
    # The label where the job failed or was cancelled.
    failure_label: Text
    # What helps when it failed.
    remedy: Text
    # What became of the work of a cancelled one.
    cancelled: Text
    # What is lost by cancelling a running one; empty: what is said of a cancelled one fits, too.
    lost: Text = ""
    # The line of the history when it is started again, of the kinds in `repeated_jobs`.
    repeated: Said = ""

    def variant(self, job: Job) -> "JobPage":
        """What is said of this job, where not all jobs of the kind do the same work."""
        return self

    def has_failed(self, job: Job) -> bool:
        """Whether there is no outcome to be looked at."""
        return job.has_ended_early

    def address(self, study: Study, job: Job) -> str:
        """Where the outcome is looked at, or where to go on if there is none."""
        return url(study, self.outcome_page)

    def label(self, job: Job) -> Text:
        """The label of the link to that address."""
        return self.failure_label if self.has_failed(job) else self.outcome_label

    def next_step(self, study: Study, job: Job) -> Step | None:
        """What to do after a job that is done; None if it is to look at the outcome."""
        return None

    def outcome(self, job: Job) -> str:
        """What came out of a job, in a sentence; empty if there is nothing to say."""
        return ""

    def advice(self, job: Job) -> Text:
        """What to do about a job that did not end well; empty if it did, or has not ended."""
        if job.state == Job.State.CANCELLED:
            return self.cancelled
        return self.remedy if job.state == Job.State.FAILED else ""

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        """The form that starts the same work again; None if it needs a file or more facts."""
        return None


_pages_by_kind: dict[str, JobPage] = {}


def shows(kind: Job.Kind) -> Callable[[type[JobPage]], type[JobPage]]:
    """Register the decorated class as what is said of all jobs of a kind."""

    def register(page: type[JobPage]) -> type[JobPage]:
        if kind in _pages_by_kind:
            raise ValueError(f"the page of {kind} is registered twice")
        _pages_by_kind[kind] = page()
        return page

    return register


def page_of(job: Job) -> JobPage:
    """What is said of a job."""
    return _pages_by_kind[job.kind].variant(job)
