"""The table of scored items is searched, and leads to the answers about each of them."""

from urllib.parse import quote_plus

import pytest

from annotation.models import Item, PhaseRun, Study
from tests.support import release_studies
from tests.support.factories import make_open_study
from tests.support.once import made_once
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@made_once
def study() -> Study:
    return release_studies.best_worst()


def about(study: Study, item: Item, population: str = "people"):
    return signed_in(study.owner).get(
        url(study, "result_item", item.pk), {"population": population}
    )


@pytest.mark.slow
def test_the_counts_of_the_tuples_come_to_those_of_the_score(study: Study) -> None:
    result = study.results.latest("pk")

    for score in result.item_scores.select_related("item"):
        tuples = about(study, score.item).context["tuples"]
        sums = [sum(getattr(row, name) for row in tuples) for name in ("n", "n_best", "n_worst")]
        assert sums == [score.appearances, score.best, score.worst]
        members = {pk for row in tuples for pk in [other.pk for other in row.others]}
        assert score.item.pk not in members


@pytest.mark.slow
def test_answers_that_do_not_count_are_not_there(study: Study) -> None:
    item = study.items.earliest("number")
    before = sum(row.n for row in about(study, item).context["tuples"])
    assert before

    assert sum(row.n for row in about(study, item, "simulated").context["tuples"]) == 0
    PhaseRun.objects.update(is_counted=False)

    assert sum(row.n for row in about(study, item).context["tuples"]) == 0


@pytest.mark.slow
def test_words_narrow_the_table_and_stay_when_it_is_sorted(study: Study) -> None:
    item = study.items.latest("number")
    client = signed_in(study.owner)

    def keys(words: str) -> list[str]:
        response = client.get(url(study, "result_items"), {"words": words, "sort": "-score"})
        assert f"words={quote_plus(words)}" in response.context["search"]
        return [row.item.key for row in response.context["page"]]

    assert len(keys("")) == study.items.count()
    assert item.key in keys(item.key.upper())
    assert item.key in keys(f"{item.key} {item.candidate.split()[0]}")
    assert keys(f"{item.key} nobody-wrote-this") == []


@pytest.mark.slow
def test_an_item_of_another_study_or_of_a_rating_study_has_no_such_page(study: Study) -> None:
    other = make_open_study()
    ratings = release_studies.ratings()

    assert about(study, other.items.earliest("pk")).status_code == 404
    assert about(ratings, ratings.items.earliest("pk")).status_code == 404
