"""Pairs drawn from two columns of texts."""

from playwright.sync_api import Page

from annotation.core.services import jobs
from annotation.items.services import uploads
from annotation.models import Job
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene

_ROWS = "\n".join(
    f"The shop in street {n} is open.\tThe shop in street {n + 1} {end}"
    for n in range(12)
    for end in ("is open.", "sells bread and tea.", "was closed for good in May, people say.")
)


def _drawn(page: Page, desk: Desk) -> None:
    study = desk.paired
    file = uploads.store_upload(
        study=study, file=[_ROWS.encode()], filename="shops.tsv", by=study.owner
    )
    job = jobs.run_here(
        study=study,
        kind=Job.Kind.IMPORT_ITEMS,
        parameters={**file, "sampled": {"n_pairs": 20, "seed": 1, "n_bins": 5}},
    )
    desk.go(page, desk.of(study, "sampled", job.pk))


SCENES: tuple[Scene[Desk], ...] = (
    at("sample", "prepare", "sample", lambda desk: desk.paired),
    Scene("sampled", "prepare", ("annotation_study_sampled",), _drawn),
)
