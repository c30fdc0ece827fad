"""Studies whose items measures can tell apart, with scores in a column of the file."""

import io
from collections.abc import Mapping, Sequence

from annotation.baselines.queries.score_sources import ColumnSource
from annotation.baselines.services import measure_uploads
from annotation.baselines.services.baselines import parameters
from annotation.baselines.services.report_options import ReportOptions
from annotation.core.services import jobs
from annotation.models import Baseline, Item, Job, Pool, Study
from annotation.studies.services import studies
from scoring.baselines import Specification
from tests.support.factories import make_user

# Target, candidate, and what people said of them.
TEXTS = (
    ("The cat sat on the mat.", "A cat was sitting on the mat.", 3.6),
    ("The cat sat on the mat.", "Trains were late again.", 0.2),
    ("Where is the station?", "Where is the next station, please?", 3.4),
    ("Where is the station?", "I have 2 dogs.", 0.1),
    ("I have 2 dogs.", "I own two dogs.", 3.8),
    ("I have 2 dogs.", "She has a cat.", 1.2),
)
MEAN = ReportOptions(people=ColumnSource(name="mean"), n_resamples=20)
LEXICAL_PAIR = (Specification("squad_f1"), Specification("chrf"))


def make_pairs(
    texts: Sequence[tuple[str, str, float]] = TEXTS, **columns: Sequence[object]
) -> Study:
    """A draft with pairs of texts, whose column "mean" has the scores."""
    study = studies.create(owner=make_user(), title="Pairs", preset="stss-131", seed=1)
    pool = Pool.objects.create(study=study, key="all", number=1)
    for place, (target, candidate, mean) in enumerate(texts):
        Item.objects.create(
            study=study,
            pool=pool,
            number=place + 1,
            key=f"p{place + 1}",
            target_text=target,
            candidate_text=candidate,
            metadata={
                "mean": f"{mean}",
                **{name: values[place] for name, values in columns.items()},
            },
        )
    return study


def compute(
    study: Study,
    *specifications: Specification,
    options: ReportOptions = MEAN,
) -> Job:
    """The job, done here."""
    return jobs.run_here(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=parameters(study, specifications or LEXICAL_PAIR, options),
    )


def values_of(study: Study) -> Mapping[str, list[float]]:
    return {one.name: one.array.tolist() for one in study.baselines.order_by("pk")}


def upload(study: Study, table: str, name: str = "My model") -> Baseline:
    found = measure_uploads.upload(
        study=study, name=name, file=io.BytesIO(table.encode()), by=study.owner
    )
    return [*found.made, *found.known][0]
