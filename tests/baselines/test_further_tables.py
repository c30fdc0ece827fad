"""The tables beside a leaderboard: labels, pools, multiple choice, layers, trained models."""

import csv
import io
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from annotation.baselines.exports import further_tables
from annotation.baselines.queries import human_scores, leaderboards
from annotation.baselines.queries.measure_figures import RANKINGS
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource
from annotation.baselines.services import baseline_layers, baselines
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock
from annotation.core.services.model_process import Computed
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.models import Baseline, Job, Study, Training
from annotation.releases.exports import archive
from scoring import pearson
from scoring.baselines import Specification
from scoring.measures.pool_ranking import rank_within_pools
from tests.baselines.test_training import rated
from tests.support.baseline_studies import LEXICAL_PAIR, MEAN, TEXTS, compute, make_pairs
from tests.support.once import made_once
from tests.support.release_studies import facts
from tests.support.researcher_pages import signed_in, text, url
from tests.support.reviewing import scored_dialogues

pytestmark = pytest.mark.django_db

FEW = ReportOptions(n_resamples=10)


@made_once
def study() -> Study:
    """Scored dialogues of two domains, each with candidates that measures tell apart."""
    study = scored_dialogues(dialogues=4)
    for item in study.items.select_related("target_turn", "pool__context"):
        item.candidate_text = f"{item.target} {'word ' * item.number}"
        item.save()
    for place, context in enumerate(study.contexts.order_by("pk")):
        context.domain = "news" if place < 2 else "sport"
        context.save()
    return study


def rows_of(tsv: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(tsv), delimiter="\t"))


def table(study: Study, name: str, kind: str = "tsv", **query: Any) -> str:
    answer = signed_in(study.owner).get(url(study, "baseline_further", name, kind), query)
    assert answer.status_code == 200
    return answer.content.decode()


# -- within pools ---------------------------------------------------------------------------------


def test_rankings_within_pools_stand_beside_the_leaderboard(study: Study) -> None:
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, by=("domain",)))

    pairs = read_pairs(study)
    people = human_scores.read(study, ResultSource()).scores
    rows = {(row["subset"], row["measure"]): row for row in rows_of(table(study, "within_pools"))}
    assert {subset for subset, _measure in rows} == {"all", "domain: news", "domain: sport"}
    one = study.baselines.get(measure="chrf")
    is_news = np.array([pool in pairs.pools[:10] for pool in pairs.pools])
    for subset, mask in (("all", np.ones(20, dtype=bool)), ("domain: news", is_news)):
        expected = rank_within_pools(
            people[mask],
            one.array[mask],
            [pool for pool, is_in in zip(pairs.pools, mask, strict=True) if is_in],
            lowest=people.min(),
        )
        row = rows[subset, one.name]
        for name in RANKINGS:
            figure = getattr(expected, name)
            assert float(row[name]) == pytest.approx(figure.value, abs=1e-12)
            assert int(row[f"{name}_pools"]) == figure.n
    # A table of each part, and the page's is of the part that was chosen.
    tex = table(study, "within_pools", "tex")
    assert tex.count(r"\begin{table}") == tex.count(r"\end{table}") == 3
    page = signed_in(study.owner).get(url(study, "baselines"), {"part": "1"})
    shown = page.context["board"].within_pools
    assert {row.name for row in shown} == {row["measure"] for row in rows.values()}
    assert {row.figures[0][0] for row in shown} == {2}
    assert 'id="within-pools-title"' in text(page)


@pytest.mark.slow
def test_a_ranking_says_over_how_many_pools_it_is_and_why_it_has_no_error(study: Study) -> None:
    # Of two dialogues the measure says the same of all candidates of the second one.
    pairs = read_pairs(study)
    values = [float(n) if pool == pairs.pools[0] else 1.0 for n, pool in enumerate(pairs.pools)]
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])
    Baseline.objects.filter(pk=one.pk).update(values=Baseline.packed(np.array(values)))
    where = f"domain == '{study.contexts.get(key=pairs.pools[0]).domain}'"
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, where=where))

    rows = {row["measure"]: row for row in rows_of(table(study, "within_pools"))}
    row = rows[one.name]

    assert int(row["ndcg_pools"]) > int(row["spearman_pools"]) == 1
    assert row["spearman_standard_error"] == ""
    assert "no standard error" in row["reason"]
    page = signed_in(study.owner).get(url(study, "baselines"))
    [shown] = [one for one in page.context["board"].within_pools if one.reason]
    assert [n for n, _value, _error in shown.figures if n] == [int(row["ndcg_pools"]), 1]
    printed = table(study, "within_pools", "tex")
    assert f"& {float(row['ndcg']):.2f}" in printed
    assert re.search(r"Multiple choice m & \d+ & [^&]* & [^&]* & 1 & (\$-\$)?\d\.\d{3} ", printed)


def test_one_pool_of_all_items_ranks_nothing() -> None:
    study = make_pairs()
    compute(study)

    page = signed_in(study.owner).get(url(study, "baselines"))

    assert page.context["board"].within_pools == []
    assert 'id="within-pools-title"' not in text(page)
    answer = signed_in(study.owner).get(url(study, "baseline_further", "within_pools", "tsv"))
    assert answer.status_code == 302


# -- multiple choice ------------------------------------------------------------------------------


def chosen(study: Study, right: list[float]) -> Baseline:
    """A model that chose right in such shares of the shuffles, beside today's scores."""
    pairs = read_pairs(study)
    people = human_scores.read(study, ResultSource())
    share = sum(right) / len(right)
    of_all = {
        "n": len(right),
        "right": sum(right),
        "accuracy": share,
        "standard_error": 0.1,
        "chance": 0.2,
        "reason": None,
    }
    return Baseline.objects.create(
        study=study,
        measure=Baseline.MULTIPLE_CHOICE,
        name="Multiple choice m",
        values=Baseline.packed(np.arange(float(len(pairs)))),
        n_items=len(pairs),
        digest=pairs.digest,
        figures={
            "definition": "x",
            **of_all,
            "n_left_out": 0,
            "by_subset": {"5 turns": of_all},
            "shuffles": {"n": 2, "low": share, "high": share},
            "dialogues": {"right": right, "chance": [0.2] * len(right)},
            "people": people.identity,
            "style": "giccs",
            "with_dialogue": True,
            "answer": "text",
            "likelihood": "sum",
            "example": "Gespräch:\n1. Ja?\n\nA. 100 %\n[B]",
        },
        computed_at=clock.now(),
        code_version="1",
    )


@pytest.mark.slow
def test_choices_are_counted_by_each_part_of_the_leaderboard(study: Study) -> None:
    chosen(study, [1.0, 0.5, 0.0, 0.0])
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, by=("domain",)))

    rows = {row["subset"]: row for row in rows_of(table(study, "choices"))}

    assert list(rows) == ["all", "5 turns", "domain: news", "domain: sport"]
    news, sport = rows["domain: news"], rows["domain: sport"]
    assert (news["dialogues"], news["right"], news["accuracy"]) == ("2", "1.5", "0.75")
    # Standard deviation of 1 and 1/2, divided by the root of 2.
    assert float(news["standard_error"]) == pytest.approx(math.sqrt(0.125) / math.sqrt(2))
    assert (sport["accuracy"], sport["chance"]) == ("0.0", "0.2")
    assert "Multiple choice m & domain: news & 2 & 1.500 & 0.750 &" in table(
        study, "choices", "tex"
    )
    page = text(signed_in(study.owner).get(url(study, "baselines")))
    assert re.findall('data-choices="([^"]*)"', page) == list(rows)
    # Its likelihoods rank the candidates of a dialogue, though they are in no leaderboard.
    measures = {row["measure"] for row in rows_of(table(study, "within_pools"))}
    assert "Multiple choice m" in measures


def test_the_spread_over_orders_is_in_both_files(study: Study) -> None:
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])
    spread = {"n": 2, "sd": 0.125, "low": 0.25, "high": 0.5}
    Baseline.objects.filter(pk=one.pk).update(figures={**one.figures, "shuffles": spread})

    of_all, of_turns = rows_of(table(study, "choices"))

    names = ("shuffles", "shuffle_sd", "shuffle_low", "shuffle_high")
    assert [of_all[name] for name in names] == ["2", "0.125", "0.25", "0.5"]
    assert [of_turns[name] for name in names] == [""] * 4
    printed = table(study, "choices", "tex")
    assert r" & 2 & 0.125 & 0.250 & 0.500 \\" in printed
    assert r"\label{tab:choices}" in printed


def test_multiple_choice_is_not_set_beside_people_over_all_items(study: Study) -> None:
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10))
    client = signed_in(study.owner)

    page = client.get(url(study, "baseline", one.pk))
    other = client.get(url(study, "baseline", study.baselines.get(measure="chrf").pk))
    plot = client.get(url(study, "baseline_plot", f"scatter-{one.pk}", "svg"))

    assert all(name in other.context for name in ("plot", "disagreements"))
    assert not any(name in page.context for name in ("plot", "disagreements"))
    assert 'id="disagreements-title"' not in text(page)
    assert plot.status_code == 404


def test_choices_beside_other_scores_are_in_no_part(study: Study) -> None:
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])
    Baseline.objects.filter(pk=one.pk).update(figures={**one.figures, "people": None})
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, by=("domain",)))

    assert [row["subset"] for row in rows_of(table(study, "choices"))] == ["all", "5 turns"]


def test_the_measures_page_rounds_how_many_were_right(study: Study) -> None:
    one = chosen(study, [0.4, 0.2, 0.6, 0.6])
    figures = {**one.figures, "right": 1.8000000000000003}
    Baseline.objects.filter(pk=one.pk).update(figures=figures)

    page = signed_in(study.owner).get(url(study, "baseline", one.pk)).content.decode()

    assert '<td class="number">1.8</td>' in page


def test_numbers_of_turns_are_not_listed_twice(study: Study) -> None:
    chosen(study, [1.0, 0.5, 0.0, 0.0])
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, by=("turns", "domain")))

    listed = [row["subset"] for row in rows_of(table(study, "choices"))]

    assert listed == ["all", "5 turns", "domain: news", "domain: sport"]


def test_prompts_are_on_the_measures_page_and_in_both_files(study: Study) -> None:
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])

    answer = signed_in(study.owner).get(url(study, "baseline", one.pk))
    assert answer.context["choices"].example == one.figures["example"]
    assert "A. 100 %\n[B]</pre>" in answer.content.decode()
    assert rows_of(table(study, "prompts")) == [
        {
            "model": one.name,
            "style": "giccs",
            "with_dialogue": "True",
            "answer": "text",
            "likelihood": "sum",
            "prompt": one.figures["example"],
        }
    ]
    # No line is lost in LaTeX, and none becomes an argument of a line break.
    printed = table(study, "prompts", "tex")
    assert "Gespräch:\\\\\n1. Ja?\\\\\n\\mbox{}\\\\\nA. 100 \\%\\\\\n{[}B]\n" in printed


def test_choices_of_an_earlier_version_have_no_prompt(study: Study) -> None:
    one = chosen(study, [1.0, 0.5, 0.0, 0.0])
    figures = {name: value for name, value in one.figures.items() if name != "example"}
    Baseline.objects.filter(pk=one.pk).update(figures=figures)

    answer = signed_in(study.owner).get(url(study, "baseline", one.pk))

    assert answer.context["choices"].example == ""
    assert "data-prompt" not in answer.content.decode()
    assert further_tables.named(study, "prompts", None) is None


# -- labels ---------------------------------------------------------------------------------------

LABEL = ReportOptions(people=ColumnSource(name="label"), n_resamples=10, by=("set",))
LABELS = ("2", "0", "2", "", "2", "1")


def labelled() -> Study:
    study = make_pairs(label=LABELS, set=("a", "a", "a", "b", "b", "b"))
    compute(study, options=LABEL)
    return study


def test_labels_overlap_and_lengths_are_a_table_of_each_part() -> None:
    study = labelled()

    rows = rows_of(table(study, "labelled_pairs"))

    assert [row["subset"] for row in rows] == ["all", "set: a", "set: b"]
    of_all, first, second = rows
    assert [of_all[name] for name in ("pairs", "labelled", "n_0", "n_1", "n_2")] == list("65113")
    assert [float(of_all[f"share_{label}"]) for label in "012"] == [0.2, 0.2, 0.6]
    assert [first[f"n_{label}"] for label in "012"] == ["1", "0", "2"]
    assert (second["pairs"], second["labelled"]) == ("3", "2")
    f1 = study.baselines.get(measure="squad_f1").array
    assert int(of_all["overlapping"]) == (f1 > 0).sum()
    assert int(of_all["without_overlap"]) == (f1 == 0).sum()
    lengths = [len(text) for one in TEXTS for text in one[:2]]
    assert float(of_all["mean_characters_both"]) == pytest.approx(sum(lengths) / 12)
    tex = table(study, "labelled_pairs", "tex")
    assert r"all & 6 & 5 & 20.0 \% & 20.0 \% & 60.0 \% &" in tex
    page = signed_in(study.owner).get(url(study, "baselines"))
    assert [name for name, _cells in page.context["board"].labelled_pairs] == [
        "all items",
        "set: a",
        "set: b",
    ]
    assert page.context["board"].labelled_pairs[0][1][2:5] == [
        "20.0\u00a0%",
        "20.0\u00a0%",
        "60.0\u00a0%",
    ]
    assert 'id="labelled-pairs-title"' in text(page)


def test_a_measure_has_a_box_for_each_label() -> None:
    study = labelled()
    one = study.baselines.get(measure="chrf")

    rows = [
        row for row in rows_of(table(study, "measures_by_label")) if row["measure"] == one.name
    ]

    values = one.array[[0, 2, 4]]
    assert [(row["label"], row["n"]) for row in rows] == [("0", "1"), ("1", "1"), ("2", "3")]
    assert float(rows[2]["mean"]) == pytest.approx(values.mean())
    assert float(rows[2]["sd"]) == pytest.approx(values.std(ddof=1))
    assert float(rows[2]["median"]) == pytest.approx(sorted(values)[1])
    client = signed_in(study.owner)
    page = client.get(url(study, "baseline", one.pk))
    plot = page.context["boxes"]
    assert [row[0] for row in plot.data] == ["0", "1", "2"]
    assert plot.data[2][6] == pytest.approx(sorted(values)[1])
    for kind in ("svg", "tsv"):
        assert client.get(url(study, "baseline_plot", plot.key, kind)).status_code == 200
    assert signed_in().get(url(study, "baseline_plot", plot.key, "svg")).status_code == 404
    assert f"{one.name} & 2 & 3 &" in table(study, "measures_by_label", "tex")


def test_scores_that_are_no_labels_have_neither_table() -> None:
    scored = [(a, b, place + 0.5) for place, (a, b, _mean) in enumerate([*TEXTS, *TEXTS[:3]])]
    study = make_pairs(scored)
    compute(study)

    client = signed_in(study.owner)
    assert not client.get(url(study, "baselines")).context["board"].labelled_pairs
    for name in ("labelled_pairs", "measures_by_label"):
        assert client.get(url(study, "baseline_further", name, "tsv")).status_code == 302


# -- layers ---------------------------------------------------------------------------------------


@pytest.fixture
def layered(monkeypatch) -> tuple[Study, np.ndarray]:
    """A study with BERTScore, and the values of its three layers."""
    study = make_pairs()
    layers = np.random.default_rng(1).random((6, 3))

    def values(specification, pairs, *, folder: Path, progress, layers: str) -> Computed:
        np.save(layers, found)
        return Computed(found[:, 2], device="cpu")

    found = layers
    monkeypatch.setattr(baseline_layers, "compute", values)
    job = compute(study, Specification("bertscore", {"model": "m", "layer": 2}), options=MEAN)
    assert job.state == Job.State.DONE, job.error
    return study, layers


@pytest.mark.slow
def test_each_layer_is_shown_by_overlap(layered) -> None:
    study, layers = layered
    f1 = study.baselines.get(measure="squad_f1").array
    people = human_scores.read(study, ColumnSource(name="mean")).scores

    rows = rows_of(table(study, "layers"))

    by = {(row["subset"], int(row["layer"])): row for row in rows}
    assert {subset for subset, _layer in by} == {
        *("all", "f1_eq_0", "f1_ne_0", "no shared word", "shared word")
    }
    for subset, mask in (("all", f1 >= 0), ("f1_eq_0", f1 == 0), ("f1_ne_0", f1 > 0)):
        for layer in range(3):
            row = by[subset, layer]
            assert int(row["n"]) == mask.sum()
            if mask.sum() > 2:
                expected = float(pearson(people[mask], layers[mask, layer]))
                assert float(row["pearson"]) == pytest.approx(expected, abs=1e-12)
    page = signed_in(study.owner).get(url(study, "baselines"))
    (plot,) = page.context["layer_plots"]
    assert plot.data[1][:2] == [1, float(by["all", 1]["pearson"])]
    assert text(page).count("<svg") >= 1
    for kind in ("svg", "tsv"):
        file = signed_in(study.owner).get(url(study, "baseline_plot", plot.key, kind))
        assert file.status_code == 200
    tex = table(study, "layers", "tex")
    assert tex.count(r" \\") == 1 + 3


def test_tables_of_a_column_that_is_left_out_are_left_out_with_it(layered) -> None:
    study, _layers = layered
    learnt = {"study": None, "source": MEAN.people.as_json(), "where": "", "tests": ""}
    found = {name: {"mean": 0.5, "sd": 0.1} for name in ("pearson", "spearman")}
    figures = {
        "n_train": 3,
        "n_tests": {"all": 3},
        "settings": {"runs": 2},
        "tests": {"all": found},
    }
    study.trainings.create(
        name="mine",
        kind="bi_encoder",
        model="m",
        trained_at=clock.now(),
        code_version="1",
        parameters={"learnt": learnt},
        figures=figures,
    )

    def names(*withheld: str) -> set[str]:
        return {table.name for table in further_tables.of_study(study, None, withheld)}

    assert names("another") == {"layers", "trainings"}
    assert names("mean") == set()


@pytest.mark.slow
def test_every_layer_of_a_model_is_shown_once(layered) -> None:
    study, _layers = layered
    for layer in (1, -1):
        compute(study, Specification("bertscore", {"model": "m", "layer": layer}), options=MEAN)
    compute(study, Specification("bertscore", {"model": "m", "idf": True}), options=MEAN)
    assert study.baselines.filter(measure="bertscore").count() == 4

    rows = rows_of(table(study, "layers"))

    places = [(row["measure"], row["subset"], row["layer"]) for row in rows]
    assert len(places) == len(set(places)) == 2 * 5 * 3
    assert {row["measure"] for row in rows} == {"BERTScore m", "BERTScore m, idf"}
    assert table(study, "layers", "tex").count(r"\begin{table}") == 2
    page = signed_in(study.owner).get(url(study, "baselines"))
    assert len(page.context["layer_plots"]) == 2


def test_layers_of_an_earlier_version_are_computed_again(layered) -> None:
    study, _layers = layered
    one = study.baselines.get(measure="bertscore")
    figures = {name: of for name, of in one.figures.items() if name != baseline_layers.BY_OVERLAP}
    Baseline.objects.filter(pk=one.pk).update(figures=figures)

    compute(study, Specification("bertscore", {"model": "m", "layer": 2}), options=MEAN)

    assert baseline_layers.BY_OVERLAP in study.baselines.get(measure="bertscore").figures


# -- trained models -------------------------------------------------------------------------------


def trained(study: Study) -> Training:
    over_runs = {"mean": 0.8125, "sd": 0.015625, "n": 3, "reason": None}
    return Training.objects.create(
        study=study,
        name="first_model",
        kind="bi_encoder",
        model="some/model",
        parameters={"learnt": {"study": "round-1", "where": "", "share": None, "seed": None}},
        figures={
            "n_train": 1200,
            "n_tests": {"free": 60},
            "tests": {"free": {"pearson": over_runs, "spearman": {**over_runs, "sd": None}}},
            "settings": {
                **{"runs": 3, "epochs": 2, "batch_size": 8},
                **{"learning_rate": 2e-5, "warmup": 0.1},
            },
            "models": [],
        },
        trained_at=clock.now(),
        code_version="1",
    )


@pytest.mark.slow
def test_trained_models_are_a_table_for_a_paper() -> None:
    study = rated()
    trained(study)

    (row,) = rows_of(table(study, "trainings"))

    assert (row["name"], row["trained_on"], row["test"]) == ("first_model", "round-1", "free")
    assert (row["n_train"], row["n_test"], row["runs"]) == ("1200", "60", "3")
    assert (float(row["pearson"]), float(row["pearson_sd"])) == (0.8125, 0.015625)
    assert row["spearman_sd"] == ""
    tex = table(study, "trainings", "tex")
    assert r"first\_model & some/model & free & 1,200 & 60 & 3 & 0.813 (0.016) & 0.813 \\" in tex
    links = text(signed_in(study.owner).get(url(study, "trainings")))
    for kind in ("tsv", "tex"):
        assert url(study, "baseline_further", "trainings", kind) in links


# -- files ----------------------------------------------------------------------------------------


def test_the_command_writes_every_table(study: Study, tmp_path: Path) -> None:
    chosen(study, [1.0, 0.5, 0.0, 0.0])
    folder = tmp_path / "tables"
    folder.mkdir()

    call_command(
        "baseline", study.slug, "--measure", "chrf", "--resamples", "0", "--tables", str(folder)
    )

    written = {path.name for path in folder.iterdir()}
    assert written == {
        f"{name}.{kind}"
        for name in ("within_pools", "choices", "prompts")
        for kind in ("tsv", "tex")
    }


@pytest.mark.slow
def test_a_release_has_every_leaderboard_with_its_items_and_the_other_tables(study) -> None:
    chosen(study, [1.0, 0.5, 0.0, 0.0])
    compute(study, *LEXICAL_PAIR, options=ReportOptions(n_resamples=10, by=("domain",)))
    compute(study, options=ReportOptions(n_resamples=10, where="domain == 'news'"))
    # The same once more: the newest alone is printed.
    compute(study, options=ReportOptions(n_resamples=10, where="domain == 'news'"))
    file = io.BytesIO()

    archive.write_archive(study, "people", file, release=facts())

    with zipfile.ZipFile(file) as members:
        tables = members.read("tables.tex").decode()
        names = set(members.namelist())
        readme = members.read("README.md").decode()
    captions = re.findall(r"\\caption\{(Correlation of measures.*)\}", tables)
    assert len(captions) == 4
    assert [
        sum("domain: sport" in one for one in captions),
        sum("domain ==" in one for one in captions),
    ] == [1, 1]
    labels = re.findall(r"\\label\{(.*)\}", tables)
    assert len(labels) == len(set(labels))
    assert len(labels) == len(re.findall(r"\\begin\{(?:table|longtable|figure)\}", tables))
    # Undefined figures and negative ones are written in one way.
    assert not re.search(r"& (–|-\d)", tables)
    assert {"within_pools.tsv", "choices.tsv", "prompts.tsv"} <= names
    assert r"\caption{Prompt of the first dialogue: Multiple choice m.}" in tables
    assert "within_pools.tsv" in readme
    assert "Multiple choice m &" in tables


@pytest.mark.slow
def test_an_outdated_leaderboard_is_in_no_release(study: Study) -> None:
    compute(study, *LEXICAL_PAIR, options=FEW)
    baselines.remove(baseline=study.baselines.get(measure="chrf"))
    assert leaderboards.is_outdated(study.baseline_reports.get())
    file = io.BytesIO()

    archive.write_archive(study, "people", file, release=facts())

    with zipfile.ZipFile(file) as members:
        assert "Correlation of measures" not in members.read("tables.tex").decode()


@pytest.mark.parametrize("kind", ["md", "svg"])
def test_there_are_no_other_files(study: Study, kind: str) -> None:
    client = signed_in(study.owner)

    for name in ("choices", "other"):
        answer = client.get(url(study, "baseline_further", name, kind))
        assert answer.status_code == 404
