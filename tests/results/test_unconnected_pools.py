"""Answers whose tuples fall into parts: only what was compared with one another is."""

from itertools import combinations
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.core.services import jobs
from annotation.items.services.imported_judgments import import_judgments
from annotation.models import Job, Result, Study
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

# Two dialogues of five candidates; in the second, people disagree more often.
LINES = [
    f"{who},{d},{','.join(shown)},{shown[0]},{shown[2 - (who == 'q' and d == 'e' and n % 3 == 0)]}"
    for d in "de"
    for n, shown in enumerate(combinations([f"{d}{i}" for i in range(1, 6)], 3))
    for who in "pq"
]
FILE = "Annotator,Dialogue,Item1,Item2,Item3,BestItem,WorstItem\n" + "\n".join(LINES) + "\n"


def scored(study: Study) -> Result:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    assert job.state == Job.State.DONE, job.problems
    return Result.objects.get(study=study)


def test_items_are_put_on_one_scale_only_with_those_they_were_compared_with(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text(FILE)
    results = []
    for column in ("", "Dialogue"):
        study = make_study(dialogues=0)
        import_judgments(study=study, path=tmp_path / "a.csv", pool_column=column)
        results.append(scored(study))

    without, with_column = results
    for figures in ("score_intervals", "ranking"):
        of = without.statistics[figures]
        same = with_column.statistics[figures]
        assert {**of, "penalised_pools": []} == {**same, "penalised_pools": []}
    assert without.statistics["score_intervals"]["n_pairs"] == 20
    utilities = [
        list(one.item_scores.order_by("item__key").values_list("utility", "utility_error"))
        for one in results
    ]
    assert utilities[0] == utilities[1]
    assert without.statistics["pools"] == {"n_unconnected": 1, "n_compared": 2}
    assert with_column.statistics["pools"] == {"n_unconnected": 0, "n_compared": 2}
    # The page says so.
    client = signed_in(without.study.owner)
    assert 'id="unconnected"' in client.get(url(without.study, "results")).content.decode()
    client = signed_in(with_column.study.owner)
    assert 'id="unconnected"' not in client.get(url(with_column.study, "results")).content.decode()


def test_the_preview_says_that_items_imported_first_keep_their_groups() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)

    def look(content: str) -> int:
        sent = {"file": SimpleUploadedFile("a.csv", content.encode()), "format": "nrc"}
        page = client.post(url(study, "finished_upload"), sent, follow=True)
        parts: int = page.context["n_parts"]
        return parts

    assert look(FILE) == 2
    assert look("Annotator,Item1,Item2,Item3,BestItem,WorstItem\np,a,b,c,a,b\n") == 1


def test_a_design_of_our_own_has_its_pools() -> None:
    study = make_open_study(dialogues=2)
    from annotation.kinds.best_worst.queries.answers import tuple_table

    table = tuple_table(study.design)

    assert table.compared_pools == table.item_pools
    assert table.n_unconnected_pools == 0
