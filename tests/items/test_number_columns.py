"""Columns of numbers in an imported file: which there are, and that they are looked for once."""

import pytest
from django.test import Client

from annotation.items.imports.relabels import RequestedChange
from annotation.items.queries import number_columns
from annotation.items.services import relabellings
from annotation.models import Item, Study
from annotation.studies.services import imported_studies
from tests.support.api import by_token
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


def table(**columns: list[object]) -> Study:
    """An imported table whose items have these further columns."""
    study = make_study(preset="stss-131", dialogues=1)
    for place, item in enumerate(study.items.order_by("number")):
        values = {name: cells[place] for name, cells in columns.items() if place < len(cells)}
        Item.objects.filter(pk=item.pk).update(metadata=values)
    return imported_studies.mark(study=study)


def test_a_column_of_numbers_has_nothing_else() -> None:
    study = table(
        whole=["1", "2", "2", "4", "5"],
        decimal=["0.5", 0.25, "", "1e-3", None],
        german=["0,5", "0,25", "1", "2", "3"],
        mixed=["1", "2", "three", "4", "5"],
        writer=["Ada", "Ada", "Ada", "Ada", "Ada"],
    )

    assert number_columns.columns(study) == ["decimal", "german", "whole"]
    # Other programs do not read 0,5.
    assert number_columns.plain_columns(study) == ["decimal", "whole"]


def test_scores_are_likelier_than_numbers_that_count_the_items() -> None:
    study = table(line=["1", "2", "3", "4", "5"], score=["0.5", "0.5", "1", "2", "3"])

    assert number_columns.likely_scores(study) == "score"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Each cell that is looked at."""
    cells: list[object] = []
    value_of = number_columns.value_of

    def look(value: object) -> float | None:
        cells.append(value)
        return value_of(value)

    monkeypatch.setattr(number_columns, "value_of", look)
    return cells


@pytest.mark.slow
def test_pages_look_at_the_cells_once_for_as_long_as_they_stay(looks: list[object]) -> None:
    study = table(score=["0.1", "0.2", "0.3", "0.4", "0.5"])
    client: Client = signed_in(study.owner)
    for name in ("items", "baselines", "items", "baselines"):
        assert client.get(url(study, name)).status_code == 200
    assert len(looks) == 5

    item = study.items.first()
    assert item is not None
    relabellings.relabel(
        study=study,
        wanted=[RequestedChange(item.key, "score", "unknown")],
        reason="A typing error.",
        by=study.owner,
    )

    assert number_columns.columns(study) == []


def test_checking_a_relabelling_asks_the_database_no_more_for_more_names(
    django_assert_max_num_queries,
) -> None:
    study = make_study(preset="stss-131", dialogues=1)
    item = study.items.first()
    assert item is not None
    Item.objects.filter(pk=item.pk).update(metadata={"there": "x"})
    names = ["there", *(f"new{n}" for n in range(60))]
    changes = [{"id": item.key, "field": name, "value": "y"} for name in names]
    ask = by_token(study.owner)

    with django_assert_max_num_queries(30):
        answer = ask.post(
            f"/api/v1/studies/{study.slug}/relabellings/check/",
            {"changes": changes},
            content_type="application/json",
        )

    assert answer.status_code == 200, answer.content
    assert answer.json()["new_names"] == sorted(names[1:])
