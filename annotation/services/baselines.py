"""Measures of a study's items: computed by a job, uploaded, removed; and the leaderboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from django.contrib.auth.models import AbstractBaseUser

from annotation.models import Baseline, Job, Study
from annotation.queries.human_scores import Source
from annotation.services import jobs
from scoring.baselines import Specification


@dataclass(frozen=True)
class ReportOptions:
    """What a leaderboard holds measures against, and how."""

    # None: there are no scores from people yet; measures are computed all the same.
    people: Source | None = None
    # Names of subsets: domain, source, turns, pool, class, word_overlap, or a column.
    by: tuple[str, ...] = ()
    # Only items of which this is true count, as in `scoring.baselines.expression`; empty: all.
    expression: str = ""
    n_resamples: int = 1000
    level: float = 0.95
    test: str = "meng"

    def as_json(self) -> dict[str, Any]:
        """As the job's and the report's parameters keep them."""
        raise NotImplementedError

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "ReportOptions":
        """Raises AnnotationError for what nobody may choose."""
        raise NotImplementedError


def request(
    *,
    study: Study,
    specifications: Sequence[Specification] = (),
    options: ReportOptions,
    by: AbstractBaseUser | None = None,
) -> Job:
    """Queue the computation of measures and of the leaderboard.

    Without specifications: all lexical measures, and the leaderboard anew. What is there for
    today's texts is not computed again.

    Raises StateError while other measures of the study are being computed.
    """
    raise NotImplementedError


def upload(
    *, study: Study, name: str, file: IO[bytes], by: AbstractBaseUser | None = None
) -> Baseline:
    """Keep values that somebody computed elsewhere: a table of id and score.

    Raises ImportProblemsError with each problem and its line; StateError where there is a baseline
    of that name.
    """
    raise NotImplementedError


def remove(*, baseline: Baseline) -> None:
    """Delete one measure's values; the stored leaderboard keeps its row until it is made anew."""
    raise NotImplementedError


def baselines_job(run: jobs.Run) -> None:
    """Compute the measures that the job's parameters name, then the leaderboard."""
    raise NotImplementedError
