"""A table of published values, which is imported: nobody is asked here."""

import io

from annotation.items.services import imports
from annotation.models import Study
from annotation.studies.services import imported_studies
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene

_TABLE = "id\ttarget\tcandidate\tmean\n" + "".join(
    f"p{n}\tA man is eating ({n}).\tSomebody has a meal.\t{n / 3:.2f}\n" for n in range(1, 10)
)


def _table(desk: Desk) -> Study:
    """Made once for each researcher, as the desk's own studies are."""
    title = "Short texts, as published"
    study = Study.objects.filter(owner=desk.user, title=title).first()
    if study is None:
        study = desk.create(title, preset="stss-131")
        imports.import_items(study=study, path=io.BytesIO(_TABLE.encode()), filename="pairs.tsv")
    return imported_studies.mark(study=study)


SCENES: tuple[Scene[Desk], ...] = (
    at("imported-desk", "desk", "change", _table),
    at("imported-describe", "prepare", "describe", _table),
    at("imported-items", "prepare", "items", _table),
    at("imported-download", "results", "download", _table),
    at("imported-release", "results", "release_new", _table),
    at("mark-imported", "prepare", "mark_imported", lambda desk: desk.made),
    at("unmark-imported", "prepare", "unmark_imported", _table),
)
