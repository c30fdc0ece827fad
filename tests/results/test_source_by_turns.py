"""Statistics by source and number of turns, and scores in steps of .2: equal to a computation
from the answers that shares nothing with ours, on the page, as TSV and in LaTeX."""

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import ceil, sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from django.test import Client
from scipy.stats import spearmanr

import scoring
from annotation.core.services import jobs
from annotation.kinds.best_worst.exports.tables import crossing_tex
from annotation.kinds.best_worst.queries import crossings
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Context, Item, ItemScore, Job, Judgment, Result, Study
from annotation.releases.exports import archive
from annotation.simulation import through_services
from scoring.best_worst.judgments import BestWorst
from tests.support.factories import make_open_study
from tests.support.hostile_texts import shown
from tests.support.once import made_once
from tests.support.release_studies import facts, files_of
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

# Source and number of turns of each dialogue; nobody has spoken one of five turns.
SHAPES = [
    ("written", 3),
    ("written", 5),
    ("spoken & sent", 3),
    ("written", 3),
    ("written", 5),
    ("spoken & sent", 3),
    ("", 5),
]
NAME = "statistics_by_source_and_turns"
# Tuple, its items in stored order, best, worst: by the cell.
Answers = dict[int, list[tuple[int, int, int]]]


@made_once
def study() -> Study:
    study = make_open_study(
        dialogues=len(SHAPES), turns=tuple(n for _source, n in SHAPES), owner=None
    )
    for number, (source, _turns) in enumerate(SHAPES, start=1):
        Context.objects.filter(study=study, key=f"d{number}").update(source=source)
    taste = draw_best_worst_taste(study, noise=0.4, seed=3)
    through_services.answer(study=study, taste=taste, n_annotators=5)
    # Of the dialogue of no known source each tuple keeps one answer: nothing to agree with.
    kept: set[int | None] = set()
    for row in Judgment.objects.filter(question__tuple__pool__context__source="").order_by("pk"):
        if row.question.tuple_id in kept:
            row.delete()
        kept.add(row.question.tuple_id)
    score(study)
    return study


def score(study: Study) -> Result:
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": "simulated", "n_splits": 100}
    )
    assert job.state == Job.State.DONE, job.error
    return job.result


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def table(client: Client, study: Study, name: str = NAME, kind: str = "tsv") -> str:
    response = client.get(url(study, "result_table", name, kind), {"population": "simulated"})
    assert response.status_code == 200
    return response.content.decode()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def printed(row: dict[str, str]) -> str:
    """A figure as pages and LaTeX have it, with the ends of its interval if it has one."""
    if row["statistic"].startswith("strong"):
        return f"{100 * float(row['value']):.1f} %"
    ends = f" [{float(row['low']):.3f}, {float(row['high']):.3f}]" if row["low"] else ""
    return f"{float(row['value']):.3f}{ends}".replace("-", "\N{MINUS SIGN}")


def values(rows: list[dict[str, str]]) -> dict[tuple[str, str, str, str], dict[str, str]]:
    return {(row["part"], row["source"], row["turns"], row["statistic"]): row for row in rows}


# -- The computation to compare with ------------------------------------------------------------


def answers_by_place(study: Study) -> dict[tuple[str, str, str], Answers]:
    """Part, source and number of turns: the picks of each tuple as places in its stored order."""
    found: dict[tuple[str, str, str], Answers] = defaultdict(lambda: defaultdict(list))
    for row in Judgment.objects.current().select_related("question__tuple__pool__context"):
        shown_tuple = row.question.tuple
        assert shown_tuple is not None
        order = list(shown_tuple.members.order_by("position").values_list("item_id", flat=True))
        context = shown_tuple.pool.context
        assert context is not None
        pick = (order.index(row.best_id), order.index(row.worst_id), shown_tuple.pk)
        turns = str(context.n_turns)
        for place in (
            ("cell", context.source, turns),
            ("source", context.source, ""),
            ("turns", "", turns),
            ("all", "", ""),
        ):
            found[place][shown_tuple.pk].append(pick)
    return found


def nominal_alpha(units: list[list[Any]], *, chance: Fraction | None = None) -> float | None:
    """Krippendorff's alpha pair by pair; `chance`: that two random values are the same."""
    units = [unit for unit in units if len(unit) > 1]
    n = sum(map(len, units))
    if not n:
        return None
    disagreeing = Fraction(0)
    for unit in units:
        pairs = list(combinations(unit, 2))
        disagreeing += Fraction(2 * sum(a != b for a, b in pairs), len(unit) - 1)
    observed = disagreeing / n
    if chance is None:
        counts = Counter(value for unit in units for value in unit)
        same = sum(Fraction(c * (c - 1), n * (n - 1)) for c in counts.values())
        expected = 1 - same
    else:
        expected = 1 - chance
    return float(1 - observed / expected)


def strong(of: Answers, which: int) -> float | None:
    tuples = [[pick[which] for pick in picks] for picks in of.values() if len(picks) >= 3]
    if not tuples:
        return None
    return mean(
        max(Counter(picks).values()) >= ceil(Fraction(4, 5) * len(picks)) for picks in tuples
    )


def halves(of: Answers, items: dict[int, list[int]], *, n: int = 400) -> list[float]:
    """Spearman's correlations of `n` random halves, the odd answer by a coin."""
    rng = np.random.default_rng(11)
    found = []
    for _split in range(n):
        scores = []
        parts: tuple[Answers, Answers] = ({}, {})
        for key, picks in of.items():
            order = rng.permutation(len(picks))
            size = len(picks) // 2 + (len(picks) % 2 and int(rng.integers(2)))
            parts[0][key] = [picks[k] for k in order[:size]]
            parts[1][key] = [picks[k] for k in order[size:]]
        for part in parts:
            net: Counter[int] = Counter()
            seen: Counter[int] = Counter()
            for key, picks in part.items():
                for best, worst, _tuple in picks:
                    seen.update(items[key])
                    net[items[key][best]] += 1
                    net[items[key][worst]] -= 1
            scores.append({item: net[item] / seen[item] for item in seen})
        both = sorted(scores[0].keys() & scores[1].keys())
        found.append(
            float(spearmanr([scores[0][i] for i in both], [scores[1][i] for i in both]).statistic)
        )
    return found


# -- Tests --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_cell_is_what_the_answers_say(client: Client, study: Study) -> None:
    rows = values(rows_of(table(client, study)))
    places = answers_by_place(study)

    found = {key[:3] for key in rows if not key[0].startswith("mean")}
    assert found == set(places) | {("cell", "spoken & sent", "5"), ("cell", "", "3")}
    pool_of = dict(Item.objects.filter(study=study).values_list("pk", "pool"))
    items = {
        one.pk: list(one.members.order_by("position").values_list("item_id", flat=True))
        for one in study.design.tuples.all()
    }
    for place, of in places.items():
        row = rows[*place, "alpha.joint.slot"]
        shown_items = {item for key in of for item in items[key]}
        assert int(row["answers"]) == sum(map(len, of.values()))
        assert int(row["tuples"]) == len(of)
        assert int(row["items"]) == len(shown_items)
        assert int(row["dialogues"]) == len({pool_of[item] for item in shown_items})
        picks = [[pick[:2] for pick in unit] for unit in of.values()]
        expected = {
            "alpha.joint.slot": nominal_alpha(picks),
            "alpha.joint.uniform": nominal_alpha(picks, chance=Fraction(1, 6)),
            "alpha.stacked.slot": nominal_alpha(
                [[p[on] for p in u] for u in picks for on in (0, 1)]
            ),
            "strong_agreement.best": strong(of, 0),
            "strong_agreement.worst": strong(of, 1),
        }
        for on, name in enumerate(("best", "worst")):
            units = [[pick[on] for pick in unit] for unit in picks]
            expected[f"alpha.{name}.slot"] = nominal_alpha(units)
            expected[f"alpha.{name}.uniform"] = nominal_alpha(units, chance=Fraction(1, 3))
        for statistic, value in expected.items():
            row = rows[*place, statistic]
            if value is None:
                assert row["value"] == ""
                assert row["reason"]
            else:
                assert float(row["value"]) == pytest.approx(value, abs=1e-10), (place, statistic)
                assert row["reason"] == ""


@pytest.mark.slow
def test_split_halves_are_those_of_other_random_halves(client: Client, study: Study) -> None:
    rows = values(rows_of(table(client, study)))
    items = {
        one.pk: list(one.members.order_by("position").values_list("item_id", flat=True))
        for one in study.design.tuples.all()
    }

    for place in (("cell", "written", "5"), ("source", "spoken & sent", ""), ("all", "", "")):
        row = rows[*place, "split_half.random.spearman"]
        other = halves(answers_by_place(study)[place], items, n=200)
        error = sqrt(float(row["sd"]) ** 2 / 100 + stdev(other) ** 2 / 200)
        assert abs(float(row["value"]) - mean(other)) < 4 * error


def test_means_are_over_the_cells_that_have_the_figure(client: Client, study: Study) -> None:
    rows = values(rows_of(table(client, study)))

    for statistic in crossings.STATISTICS:
        cells = [
            (float(row["value"]), int(row["answers"]))
            for key, row in rows.items()
            if key[0] == "cell" and key[3] == statistic and row["value"]
        ]
        unweighted = float(rows["mean_of_cells", "", "", statistic]["value"])
        weighted = float(rows["mean_by_answers", "", "", statistic]["value"])
        assert unweighted == pytest.approx(mean(value for value, _n in cells), abs=1e-12)
        assert weighted == pytest.approx(
            sum(value * n for value, n in cells) / sum(n for _value, n in cells), abs=1e-12
        )
    assert rows["mean_of_cells", "", "", "alpha.joint.slot"]["note"]


def test_a_cell_without_a_figure_says_why(client: Client, study: Study) -> None:
    rows = values(rows_of(table(client, study)))

    nobody = rows["cell", "spoken & sent", "5", "alpha.joint.slot"]
    alone = rows["cell", "", "5", "alpha.joint.slot"]

    assert (nobody["value"], nobody["answers"], nobody["dialogues"]) == ("", "0", "0")
    assert (alone["value"], alone["answers"], alone["dialogues"]) == ("", "10", "1")
    assert len({nobody["reason"], alone["reason"], ""}) == 3
    assert all(bool(row["value"]) != bool(row["reason"]) for row in rows.values())


def test_intervals_say_what_they_are_over_or_why_there_is_none(
    client: Client, study: Study
) -> None:
    rows = values(rows_of(table(client, study)))
    of_all = study.results.get().statistics["overall"]["alpha"]["joint"]["slot"]["interval"]

    # Seven dialogues of five people; four of them are written, and two of these of five turns.
    pools, tuples, few = (
        rows[*place, "alpha.joint.slot"]
        for place in (("all", "", ""), ("source", "written", ""), ("cell", "written", "5"))
    )
    assert float(pools["low"]) == of_all["low"]
    assert [row["interval_over"] for row in (pools, tuples, few)] == ["pools", "tuples", ""]
    for row in (pools, tuples):
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
        assert "5 people" in row["interval_note"]
    assert (few["low"], few["high"]) == ("", "")
    assert "6 pools" in few["interval_note"]
    for row in rows.values():
        has_ends = bool(row["low"] and row["high"] and row["interval_over"])
        assert not row["value"] or has_ends or row["interval_note"]
        assert bool(row["low"]) <= (row["statistic"].split(".")[0] in {"alpha", "split_half"})
    # The page says it of every figure, too.
    crossing = client.get(url(study, "results"), {"population": "simulated"}).context["crossing"]
    remarks = [*crossing.main_remarks, *crossing.further_remarks]
    assert any("all sources, all" in r.places and "pools only" in r.text for r in remarks)
    assert any("written, 5 turns" in r.places and "No interval" in r.text for r in remarks)
    tex = table(client, study, kind="tex")
    assert tex.count("No interval: it needs at least 6 pools") > 10


def test_the_page_has_every_table(client: Client, study: Study) -> None:
    response = client.get(url(study, "results"), {"population": "simulated"})
    page = response.content.decode()
    rows = values(rows_of(table(client, study)))

    crossing = response.context["crossing"]
    keys = [one.key for one in (*crossing.main, *crossing.further)]
    assert keys == [*crossings.COUNTS, *crossings.STATISTICS]
    assert [page.count(f'data-statistic="{key}"') for key in keys] == [1] * len(keys)
    alpha = next(one for one in crossing.main if one.key == "alpha.joint.slot")
    # Unknown, spoken, written, all of them, and the mean; of 3, of 5, of all turns.
    assert [len(cells) for _label, cells in alpha.rows] == [3] * 5
    written = [cell.text for cell in alpha.rows[2][1]]
    assert written == [
        printed(rows[part, "written", turns, "alpha.joint.slot"])
        for part, turns in (("cell", "3"), ("cell", "5"), ("source", ""))
    ]
    missing = [
        (row, n)
        for row, (_, cells) in enumerate(alpha.rows)
        for n, cell in enumerate(cells)
        if cell.reason
    ]
    # All answers of no known source are of one dialogue of five turns.
    assert missing == [(0, 0), (0, 1), (0, 2), (1, 1)]
    assert page.count("data-reason") >= len(missing)
    for kind in ("tsv", "tex"):
        assert f'href="{url(study, "result_table", NAME, kind)}?population=simulated"' in page


def test_latex_has_the_same_figures(client: Client, study: Study) -> None:
    tex = table(client, study, kind="tex")
    rows = values(rows_of(table(client, study)))
    page = client.get(url(study, "results"), {"population": "simulated"}).context["crossing"]

    assert tex.count(r"\begin{table}") == tex.count(r"\end{table}")
    # It says which of its tables GiCCS prints.
    for number, label in ((1, "strong-agreement-best"), (3, "split-half-fixed-spearman")):
        (line,) = re.findall(rf"% .*Table {number} of GiCCS.*", tex)
        assert f"tab:source-turns-{label}" in line
        assert rf"\label{{tab:source-turns-{label}}}" in tex
    for statistic in crossings.STATISTICS:
        label = "tab:source-turns-" + re.sub(r"[._]", "-", statistic)
        (body,) = re.findall(rf"\\label\{{{label}\}}\n(.*?)\\end\{{table\}}", tex, re.DOTALL)
        lines = [line.strip() for line in body.split("\n") if line.endswith(r" \\")]
        cells = [
            [shown(cell.strip(" ")) for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
            for line in lines
        ]
        written = next(line for line in cells if line[0] == "written")
        for text, part, turns in zip(
            written[1:], ("cell", "cell", "source"), ("3", "5", ""), strict=True
        ):
            assert text == printed(rows[part, "written", turns, statistic])
        spoken = next(line for line in cells if line[0] == "spoken & sent")
        assert spoken[2] == "--"
        assert r"\footnotesize" in body
        reason = rows["cell", "spoken & sent", "5", statistic]["reason"]
        assert reason in body
        # The last row has the same name as on the page.
        of_page = next(one for one in (*page.main, *page.further) if one.key == statistic)
        assert cells[-1][0] == str(of_page.rows[-1][0])


def test_scores_in_steps_of_two_tenths(client: Client, study: Study) -> None:
    result = study.results.get()
    expected = [0] * 5
    for appearances, best, worst in ItemScore.objects.filter(result=result).values_list(
        "appearances", "best", "worst"
    ):
        rescaled = (Fraction(best - worst, appearances) + 1) / 2
        expected[next(k for k in range(5) if rescaled < Fraction(k + 1, 5) or k == 4)] += 1

    rows = rows_of(table(client, study, "score_distribution"))
    tex = table(client, study, "score_distribution", "tex")
    plots = client.get(url(study, "results"), {"population": "simulated"}).context["plots"]
    plot = next(one for one in plots if one.key == "rescaled-scores")

    assert sum(expected) == 35
    assert [int(row["items"]) for row in rows] == expected
    assert [(row["from"], row["to"]) for row in rows] == [
        ("0.0", "0.2"), ("0.2", "0.4"), ("0.4", "0.6"), ("0.6", "0.8"), ("0.8", "1.0")
    ]  # fmt: skip
    assert [line[2] for line in plot.data] == expected
    assert [int(n) for n in re.findall(r"to \d\.\d & (\d+) &", tex)] == expected


def test_the_export_has_the_files_of_the_page(client: Client, study: Study) -> None:
    with archive.temporary_archive(study, "simulated") as file, zipfile.ZipFile(file) as members:
        names = [
            f"{name}.{kind}" for name in (NAME, "score_distribution") for kind in ("tsv", "tex")
        ]
        readme = members.read("README.md").decode()
        for name in names:
            stem, _dot, kind = name.partition(".")
            assert members.read(name).decode() == table(client, study, stem, kind)
            assert f"`{name}`" in readme or f"## {name}" in readme


def test_a_release_has_them_and_lists_them(study: Study) -> None:
    file = io.BytesIO()
    archive.write_archive(study, "simulated", file, release=facts())

    files = files_of(file.getvalue())

    readme = files["README.md"].decode()
    for name in (NAME, "score_distribution"):
        for kind in ("tsv", "tex"):
            assert f"{name}.{kind}" in files
            assert f"| `{name}.{kind}` |" in readme


def test_figures_of_other_answers_are_not_exported(study: Study) -> None:
    judgment = Judgment.objects.current().latest("pk")
    judgment.delete()

    with archive.temporary_archive(study, "simulated") as file, zipfile.ZipFile(file) as members:
        assert not [name for name in members.namelist() if NAME in name or "distrib" in name]


@pytest.mark.slow
def test_one_source_of_one_length_is_the_whole() -> None:
    study = make_open_study(turns=(3,))
    taste = draw_best_worst_taste(study, noise=0.4, seed=3)
    through_services.answer(study=study, taste=taste, n_annotators=5)

    result = score(study)

    assert crossings.crossing(result.statistics) is None
    client = signed_in(study.owner)
    address = url(study, "result_table", NAME, "tsv")
    assert client.get(address, {"population": "simulated"}).status_code == 404


def test_a_page_view_computes_nothing(
    client: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("computed on a page view")

    for name in ("summarise", "by_group", "count", "alpha", "split_half", "strong_agreement"):
        monkeypatch.setattr(f"scoring.{name}", refuse)

    assert client.get(url(study, "results"), {"population": "simulated"}).status_code == 200
    assert rows_of(table(client, study))


def test_a_figure_that_no_cell_has_is_in_the_table_of_the_paper() -> None:
    # Two people agree on every tuple: a cell of one tuple has no alpha, all together have one.
    tuples = np.arange(16).reshape(4, 4)
    answers = BestWorst(
        tuples,
        np.tile(np.arange(4), 2),
        np.array([0, 5, 10, 15] * 2),
        np.array([1, 6, 11, 12] * 2),
        16,
        np.repeat([0, 1], 4),
    )

    def group(labels: list[str]) -> dict[str, Any]:
        cells = scoring.by_group(
            answers,
            labels,
            n_splits=10,
            with_intervals=True,
            pool=np.repeat(np.arange(4), 4),
            rng=np.random.default_rng(1),
        )
        means = {
            weighting: {
                name: figure.as_dict()
                for name, figure in scoring.mean_over_cells(cells, weighting=weighting).items()
            }
            for weighting in ("cells", "judgments")
        }
        return {"cells": {key: cell.as_dict() for key, cell in cells.items()}, "means": means}

    sources, turns = ["a", "a", "b", "b"], ["3", "5", "3", "5"]
    overall = scoring.summarise(
        answers,
        n_splits=10,
        with_intervals=True,
        pool=np.repeat(np.arange(4), 4),
        rng=np.random.default_rng(1),
    )
    groups = {
        "source": group(sources),
        "turns": group(turns),
        "source x turns": group([f"{s} / {t}" for s, t in zip(sources, turns, strict=True)]),
    }
    table = crossings.crossing({"overall": overall.as_dict(), "groups": groups})
    assert table is not None
    assert table.mean("alpha.best.slot", "cells").value is None

    assert "mean of the groups, unweighted" in crossing_tex(table)
