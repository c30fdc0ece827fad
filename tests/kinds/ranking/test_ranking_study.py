"""A ranking study from its answers to its files."""

import csv
import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from annotation.core.services import jobs
from annotation.kinds.ranking.queries.answers import orders_arrays
from annotation.kinds.ranking.queries.places_of_item import first_and_last
from annotation.kinds.registry import kind_of
from annotation.models import Job, Judgment, Study
from annotation.monitoring.services import live
from annotation.releases.exports.archive import write_archive
from annotation.results.services import scoring
from annotation.simulation import through_services
from annotation.studies.services import copies
from scoring.rankings.orders import Orders, mean_ranks
from scoring.rankings.utilities import plackett_luce
from tests.support.once import made_once
from tests.support.ranking import make_ranking_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def simulated(study: Study, *, noise: float, people: int = 5) -> Study:
    """The study answered by simulated people, and scored."""
    taste = kind_of(study).simulation.taste(study, noise=noise, seed=3)
    through_services.answer(study=study, taste=taste, n_annotators=people, booklets_each=0)
    job = scoring.request(study=study, population="simulated", by=study.owner)
    jobs.run(job.pk)
    assert Job.objects.get(pk=job.pk).state == Job.State.DONE
    return study


@made_once
def study() -> Study:
    parameters = {"factor": 3.0, "annotations_per_tuple": 5, "screens_per_booklet": 30}
    return simulated(make_ranking_study(candidates=8, parameters=parameters), noise=0.3)


def files_of(study: Study) -> dict[str, str]:
    file = io.BytesIO()
    write_archive(study, "simulated", file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.mark.slow
def test_a_perfect_oracle_ranks_at_one() -> None:
    parameters = {"factor": 3.0, "annotations_per_tuple": 2}
    made = make_ranking_study(candidates=8, parameters=parameters)
    taste = kind_of(made).simulation.taste(made, noise=0.0, seed=3)
    through_services.answer(study=made, taste=taste, n_annotators=40, booklets_each=0)

    read = orders_arrays(made, "simulated")

    assert isinstance(read.best_worst, Orders)
    utilities = plackett_luce(read.best_worst).utilities
    pools = np.array(read.table.item_pools)
    for pool in set(pools.tolist()):
        of_pool = np.flatnonzero(pools == pool)
        latent = [taste.latent[read.table.item_pks[n]] for n in of_pool]
        assert np.argsort(utilities[of_pool]).tolist() == np.argsort(latent).tolist()


@pytest.mark.slow
def test_random_clicking_has_w_near_its_expectation() -> None:
    parameters = {"factor": 6.0, "annotations_per_tuple": 5, "screens_per_booklet": 60}
    made = make_ranking_study(candidates=8, parameters=parameters)

    result = simulated(made, noise=np.inf, people=20).results.get()

    concordance = result.statistics["overall"]["concordance"]
    assert concordance["expected"] == pytest.approx(0.2)
    assert concordance["w"] == pytest.approx(0.2, abs=0.06)
    # Eight items are too few.
    assert concordance["spearman_interval"]["low"] is None
    assert concordance["spearman_interval"]["reason"]


def test_stored_scores_are_those_of_the_stored_orders(study: Study) -> None:
    result = study.results.get()
    read = orders_arrays(study, "simulated")
    assert isinstance(read.best_worst, Orders)
    ranks = mean_ranks(read.best_worst)
    utilities = plackett_luce(read.best_worst)

    for n, row in enumerate(result.item_scores.order_by("item__number")):
        assert row.appearances == ranks.n_answers[n]
        assert row.score == pytest.approx(ranks.scores()[n])
        assert row.utility == pytest.approx(utilities.utilities[n])
        assert row.utility_error == pytest.approx(utilities.standard_errors[n])
        assert row.low <= row.score <= row.high


def test_the_files_hold_every_order_and_every_score(study: Study) -> None:
    files = files_of(study)

    judgments, items = rows(files["judgments.tsv"]), rows(files["items.tsv"])
    facts = json.loads(files["study.json"])
    assert len(judgments) == study.results.get().n_judgments
    places: dict[str, list[int]] = {}
    for row in judgments:
        order = json.loads(row["order"])
        assert sorted(order) == sorted(json.loads(row["stored_order"]))
        for place, item in enumerate(order, start=1):
            places.setdefault(item, []).append(place)
    for row in items:
        assert float(row["mean_place"]) == pytest.approx(np.mean(places[row["id"]]))
        assert int(row["orders"]) == len(places[row["id"]])
        assert int(row["first"]) == places[row["id"]].count(1)
    assert facts["study"]["rating_question"] == study.rating_question
    assert facts["statistics"]["overall"]["concordance"]["w"] is not None
    assert "ranking_agreement.tsv" in files
    for name in files:
        if name.endswith(".tsv"):
            assert name in files["README.md"]


@pytest.mark.slow
def test_the_pages_of_the_study_are_there(study: Study) -> None:
    client: Client = signed_in(study.owner)

    for name in ("change", "design", "results", "result_items", "people", "download", "live"):
        response = client.get(url(study, name), {"population": "simulated"})
        assert response.status_code == 200, name
    page = client.get(url(study, "results"), {"population": "simulated"})
    names = [figure.name for figure in page.context["figures"] if figure.is_headline]
    assert len(names) == 3
    for ending in ("tsv", "tex"):
        address = url(study, "result_table", "ranking_agreement", ending)
        assert client.get(address, {"population": "simulated"}).status_code == 200


def test_the_live_page_does_not_call_a_correlation_of_orders_alpha(study: Study) -> None:
    live.watch()

    query = {"population": "simulated"}
    client = signed_in(study.owner)
    (part,) = client.get(url(study, "live"), query).context["parts"]
    tsv = client.get(url(study, "live_plot", "course", "tsv"), query)

    names = " ".join(str(tile.name) for tile in part.tiles)
    header = text(tsv).splitlines()[0]
    assert "Spearman" in names
    assert "Spearman" in header
    assert "alpha" not in (names + header).lower()


@pytest.mark.slow
def test_the_planner_forecasts_orders(study: Study) -> None:
    request = {"noise": "0.3", "tuple_size": "4", "factor": "3", "up_to": "6", "enough": "0.6"}
    money = {"seconds": "30", "wage": "12.00", "currency": "USD"}

    page = signed_in(study.owner).get(url(study, "plan"), {**request, **money})

    forecast = page.context["forecast"]
    values = [row.value for row in forecast.rows]
    assert len(values) == 6
    assert values[0] < values[-1]


def test_a_copy_asks_the_same(study: Study) -> None:
    draft = copies.begin(study=study, title="Again", with_items=True, by=study.owner)

    assert draft.kind == study.kind
    assert draft.rating_question == study.rating_question


def test_the_command_prints_agreement(study: Study, capsys: Any) -> None:
    call_command("score", study.slug, source="simulated")

    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"kendall_w", "mean_spearman", "split_half_spearman"} <= printed.keys()


def test_the_page_of_an_item_counts_its_first_and_last_places(study: Study) -> None:
    item = study.items.earliest("number")

    counts = first_and_last(study.design, item, "simulated")

    assert counts
    for number, (n, n_first, n_last) in counts.items():
        answers = Judgment.objects.filter(question__tuple=number)
        places = [answer.placements.get(item=item).place for answer in answers]
        last = answers[0].placements.count()
        assert (n, n_first, n_last) == (len(places), places.count(1), places.count(last))
    response = signed_in(study.owner).get(
        url(study, "result_item", item.pk), {"population": "simulated"}
    )
    rows = {row.number: (row.n, row.n_best, row.n_worst) for row in response.context["tuples"]}
    assert sorted(rows.values()) == sorted(counts.values())
