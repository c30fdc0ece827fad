"""Studies in which some questions have a known answer."""

import io
from collections.abc import Sequence

from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.design_parameters import BestWorstParameters, RatingParameters
from annotation.models import Study
from annotation.studies.services import studies
from tests.support.factories import make_user
from tests.support.rating import ONCE, SCALE

ALL = ("tutorial", "loud", "silent")


def rated_pairs(
    styles: Sequence[str] = ALL, *, pairs: int = 4, explanation: str = "Both say the same."
) -> str:
    """A table of pairs; the checks, c1 and so on, expect 6 and forgive 1."""
    rows = ["id\ttarget\tcandidate\texpected\tcheck\texplanation\ttolerance"]
    rows += [f"p{n}\tTarget {n}.\tCandidate {n}.\t\t\t\t" for n in range(1, pairs + 1)]
    rows += [
        f"c{n}\tKnown target {n}.\tKnown candidate {n}.\t6\t{style}\t{explanation}\t1"
        for n, style in enumerate(styles, start=1)
    ]
    return "\n".join(rows) + "\n"


def compared_texts(
    styles: Sequence[str] = ALL, *, items: int = 6, explanation: str = "The first says it all."
) -> str:
    """A table of texts; the checks are groups g1 and so on of a best, a middle and a worst."""
    rows = ["id\ttext\tgroup\texpected\tcheck\texplanation"]
    rows += [f"t{n}\tText {n}.\t\t\t\t" for n in range(1, items + 1)]
    for n, style in enumerate(styles, start=1):
        rows += [
            f"g{n}-{name}\tThe {name} of {n}.\tg{n}\t{known}\t{style}\t{explanation}"
            for name, known in (("best", 3), ("middle", 2), ("worst", 1))
        ]
    return "\n".join(rows) + "\n"


def import_table(study: Study, table: str) -> imports.ImportedItems:
    return imports.import_items(study=study, path=io.BytesIO(table.encode()), filename="items.tsv")


def make_checked_ratings(
    table: str = "", *, open_it: bool = True, seed: int = 1, **numbers
) -> Study:
    """Four pairs that are rated once, by default with a check of each style."""
    study = studies.create(owner=make_user(), title="How alike are two texts?", seed=seed)
    study.kind = "rating"
    study.scale = SCALE
    study.rating_question = "How similar are the two texts?"
    study.worked_example = study.comprehension = {}
    study.save()
    import_table(study, table or rated_pairs())
    usual = {"ratings_per_item": 1, "items_per_booklet": 100, "phases": ONCE}
    parameters = RatingParameters(**{**usual, **numbers})
    return _made(study, parameters, seed, open_it=open_it)


def make_checked_comparisons(
    table: str = "", *, open_it: bool = True, seed: int = 1, **numbers
) -> Study:
    """Six texts in tuples of three, by default with a check of each style."""
    study = studies.create(owner=make_user(), title="Which text is best?", seed=seed)
    study.worked_example = study.comprehension = {}
    study.save()
    usual = {
        "tuple_size": 3,
        "factor": 1.0,
        "annotations_per_tuple": 2,
        "questions_per_screen": 1,
        "screens_per_booklet": 20,
    }
    parameters = BestWorstParameters(**{**usual, **numbers})
    designs.set_parameters(study=study, parameters=parameters, seed=seed)
    import_table(study, table or compared_texts())
    return _made(study, parameters, seed, open_it=open_it)


def _made(study: Study, parameters, seed: int, *, open_it: bool) -> Study:
    designs.set_parameters(study=study, parameters=parameters, seed=seed)
    if not open_it:
        return study
    designs.make(design=study.design)
    return studies.open_study(study=study)
