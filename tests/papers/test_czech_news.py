"""The Czech news study at a tenth of its size: every table and figure of its paper [CzechSTS].

The steps are those of `benchmarks/papers/czech_news.py`. What a page, a file or LaTeX says is
compared with plain loops over the raw answers of the exports.
"""

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from scipy import stats

from annotation.answering.services import rosters
from annotation.kinds.selection.answer import ROLES
from annotation.models import Annotator, Judgment, Study
from benchmarks.papers import czech_news
from benchmarks.papers.clock import moved_clock
from tests.papers.checking import Check, check_all, of_days, read_text, read_tsv
from tests.scoring.neural.conftest import packages, prepared  # noqa: F401 - fixtures
from tests.scoring.neural.making import make_bert
from tests.support.annotating import read
from tests.support.researcher_pages import signed_in, url
from tests.support.tables import analyse

# Every table and figure, and what looks for it; the functions follow below.
CHECKS: dict[str, Check] = {
    "Round 3: who rates what (27 validators, nine ratings, 61 questions twice)": lambda made: (
        check_size(made)
    ),
    "Rounds 1 to 3: the same people are known again": lambda made: check_same_people(made),
    "Table 1: inter- and intra-annotator agreement": lambda made: check_agreement(made),
    "Table 2: mean and variance of round 1, N2, N1, significant pairs": lambda made: (
        check_rating_sets(made)
    ),
    "Table 2, continued: the same of round 3's scores": lambda made: check_score_sets(made),
    "Table 3: round 1 x free, round 1 x dependent, N1, N2, random": lambda made: (
        check_set_correlations(made)
    ),
    "How many pairs N1 and N2 keep": lambda made: check_filters(made),
    "Baselines against the means of round 3": lambda made: check_baselines(made),
    "Baselines: a model trained on round 1": lambda made: check_training(made),
    "Figure 9: round 1's ratings by intended class": lambda made: check_ratings_by_class(made),
    "Figure 10a: distribution of round 1's ratings": lambda made: check_first_ratings(made),
    "Figure 10b: distribution of round 3's ratings": lambda made: check_score_distribution(made),
    "Figure: round 3's ratings by intended class": lambda made: check_scores_by_class(made),
    "Figures: round 2 against round 1 by thinking time and practice": lambda made: (
        check_second_beside_first(made)
    ),
    "Figure: RMSE against thinking time": lambda made: check_thinking_time(made),
    "Figure: calibration curve": lambda made: check_calibration_curve(made),
    "Figure: waiting time between the phases": lambda made: check_waiting_time(made),
    "Figure: cumulative p-values of the effect of context": lambda made: check_p_values(made),
    "Share of pairs with an effect, and after Benjamini-Hochberg": lambda made: (
        check_share_of_effects(made)
    ),
    "Figure 14a: gains, histogram": lambda made: check_gains(made),
    "Figure 14a: gains, quantile curve": lambda made: check_gain_quantiles(made),
    "Figure 14b: gains of the significant pairs, histogram and quantiles": lambda made: (
        check_significant_gains(made)
    ),
    "Error bound": lambda made: check_error_bound(made),
    "Files: test-free, test-dependent, test-significant": lambda made: check_test_files(made),
    "Files: train, N1, N2, held out": lambda made: check_train_files(made),
}

SCALE = 0.1
N_PEOPLE, N_MAIN, N_CALIBRATION, N_REPEATS = 27, 50, 6, 5
CLASSES = {"similar": 6, "middle": 3, "dissimilar": 0}
# What says something of the largest size alone.
ONLY_LARGE = {"round 2: all pairs of round 1", "round 2: delete that draft"}
# What a training needs; without it that part is skipped.
MODEL_PACKAGES = ("torch", "transformers", "sentence_transformers", "bert_score", "optuna")
# A measure that somebody computed elsewhere: the number of words that both sentences have.
UPLOADED = "Shared words"


Row = dict[str, str]


@dataclass
class Paper:
    """The finished study: its pages and files."""

    folder: Path
    client: Client
    pages: dict[tuple[int, str], Any] = field(default_factory=dict)

    def study(self, round_number: int) -> Study:
        return czech_news.study(czech_news.ROUNDS[round_number - 1])

    def page(self, round_number: int, name: str = "results") -> Any:
        if (round_number, name) not in self.pages:
            response = self.client.get(url(self.study(round_number), name))
            assert response.status_code == 200
            self.pages[round_number, name] = response
        return self.pages[round_number, name]

    def plot(self, round_number: int, key: str) -> list[Row]:
        """The data of a figure on the page; it can be drawn for a paper, and is in the files."""
        study = self.study(round_number)
        address = url(study, "plot", key, "tsv")
        assert address in self.text(round_number), f"the page has no figure {key}"
        drawn = self.client.get(url(study, "plot", key, "svg"))
        assert drawn.status_code == 200
        assert b"<svg" in drawn.content
        rows = rows_of(self.client.get(address))
        assert self.table(round_number, f"figure_{key.replace('-', '_')}.tsv") == rows
        return rows

    def result_table(self, round_number: int, name: str) -> list[Row]:
        """A table of the results page, which exports and releases have; releases print it, too."""
        assert f'data-table="{name}"' in self.text(round_number)
        study = self.study(round_number)
        rows = rows_of(self.client.get(url(study, "result_table", name, "tsv")))
        assert self.table(round_number, f"{name}.tsv") == rows
        printed = self.client.get(url(study, "result_table", name, "tex")).content.decode()
        start = printed.index("\\begin{table}")
        assert printed[start:].strip() in self.latex(round_number)
        return rows

    def text(self, round_number: int, name: str = "results") -> str:
        text: str = self.page(round_number, name).content.decode()
        return text

    def table(self, round_number: int, name: str) -> list[Row]:
        """A table of the export, which is in the release, too, with days for moments."""
        rows = read_tsv(self.export(round_number), name)
        assert read_tsv(self.release(round_number), name) == of_days(rows)
        return rows

    def export(self, round_number: int) -> Path:
        return self.folder / f"{czech_news.ROUNDS[round_number - 1]}.zip"

    def release(self, round_number: int) -> Path:
        study = self.study(round_number)
        file = self.folder / f"release-{study.pk}.zip"
        if file.exists():
            return file
        response = self.client.get(url(study, "release_file", 1))
        file.write_bytes(b"".join(response.streaming_content))
        return file

    def latex(self, round_number: int) -> str:
        return read_text(self.release(round_number), "tables.tex")

    @cached_property
    def answers(self) -> dict[int, list[Row]]:
        """Of each round every answer that counts."""
        return {
            number: [
                row
                for row in read_tsv(self.export(number), name)
                if row["status"] == "counted" and not row.get("superseded_at")
            ]
            for number, name in ((1, "picks.tsv"), (2, "judgments.tsv"), (3, "judgments.tsv"))
        }

    @cached_property
    def items(self) -> dict[str, Row]:
        """Those of round 3 that are data, by id."""
        rows = read_tsv(self.export(3), "items.tsv")
        return {row["id"]: row for row in rows if row["block"] == "main"}

    def stacks(self, phase: int) -> dict[str, dict[str, float]]:
        """Round 3's ratings: by item what each person said."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for row in self.main(phase):
            found[row["item"]][row["annotator"]] = float(row["rating"])
        return found

    def main(self, phase: int) -> list[Row]:
        return [
            row for row in self.answers[3] if row["phase"] == str(phase) and row["block"] == "main"
        ]

    def means(self, phase: int) -> dict[str, float]:
        return {item: fmean(ratings.values()) for item, ratings in self.stacks(phase).items()}

    @cached_property
    def gains(self) -> dict[str, float]:
        free, dependent = self.means(1), self.means(2)
        return {item: dependent[item] - free[item] for item in free}

    @cached_property
    def p_values(self) -> dict[str, float]:
        """Of the pooled t-test, of the items that can be tested."""
        free, dependent = self.stacks(1), self.stacks(2)
        found = {}
        for item in free:
            one, other = [[*ratings[item].values()] for ratings in (free, dependent)]
            squares = sum((rating - fmean(s)) ** 2 for s in (one, other) for rating in s)
            if squares:
                df = len(one) + len(other) - 2
                error = math.sqrt(squares / df * (1 / len(one) + 1 / len(other)))
                found[item] = 2 * float(stats.t.sf(abs(fmean(other) - fmean(one)) / error, df))
        return found

    @cached_property
    def significant(self) -> set[str]:
        return {item for item, p in self.p_values.items() if p < 0.05}

    @cached_property
    def first_ratings(self) -> dict[tuple[str, str], tuple[float, str]]:
        """Of each pair that somebody chose in round 1 the rating and the class."""
        return {
            (row["summary_text"], row["report_text"]): (float(row["rating"]), row["role"])
            for row in self.answers[1]
        }

    def first(self, item: str) -> tuple[float, str]:
        row = self.items[item]
        return self.first_ratings[row["target"], row["candidate"]]

    @cached_property
    def sets(self) -> dict[str, list[str]]:
        """Of round 3's items all, and those that the filters and the effects select."""

        def within(limit: int) -> list[str]:
            chosen = [(item, *self.first(item)) for item in self.items]
            return [item for item, rating, of in chosen if abs(rating - CLASSES[of]) <= limit]

        return {
            "all": list(self.items),
            "N1": within(1),
            "N2": within(2),
            "significant_pooled": [item for item in self.items if item in self.significant],
        }


def rows_of(response: Any) -> list[Row]:
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode()), delimiter="\t"))


# -- The run --------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_every_table_and_figure_of_the_paper(
    subtests: pytest.Subtests, tmp_path: Path, settings: Any, request: pytest.FixtureRequest
) -> None:
    if all(map(find_spec, MODEL_PACKAGES)):
        request.getfixturevalue("prepared")
        settings.MODELS = tmp_path / "models"
        make_bert(settings.MODELS / czech_news.ENCODER)
    owner = User.objects.create_superuser("researcher", first_name="Ada", last_name="Lovelace")
    paper = Paper(tmp_path, signed_in(owner))
    before: dict[str, Callable[[Paper], None]] = {
        "(round 1: people answer)": answer_a_question_on_its_page,
        "round 3: baselines without context": upload_a_measure,
    }
    for step in czech_news.steps(tmp_path, SCALE):
        if step.name in ONLY_LARGE:
            continue
        if step.name in before:
            with moved_clock(timezone.now() - timedelta(days=100)):
                before[step.name](paper)
        step.run()
        analyse()

    check_all(subtests, CHECKS, paper)


def answer_a_question_on_its_page(paper: Paper) -> None:
    """One student answers the first question in a browser; the rest comes in bulk."""
    annotator = paper.study(1).annotators.order_by("pk").last()
    assert annotator is not None
    own = reverse("annotator:own", args=[rosters.reissue_key(annotator=annotator).key])
    client = Client()
    page = client.get(own)
    while f"{own}s/1/" not in read(page).forms:
        if "Location" in page:
            page = client.get(page["Location"])
        else:
            [(address, fields), *_others] = read(page).forms.items()
            page = client.post(address, {**fields, "agree": "1"})
    screen = read(page)
    said = {}
    for name, turns in screen.options.items():
        if name.endswith(ROLES):
            role = name.rpartition("-")[2]
            said |= {name: turns[ROLES.index(role)], f"{name}_rating": str(CLASSES[role])}
    fields = {**screen.forms[f"{own}s/1/"], **said, "go": "next"}
    assert client.post(f"{own}s/1/", fields).status_code == 303
    assert Judgment.objects.get(assignment__annotator=annotator).picks.count() == len(ROLES)


def upload_a_measure(paper: Paper) -> None:
    """Scores of a model that ran elsewhere, as a table of id and score."""
    study = paper.study(3)
    rows = [
        f"{item.key}\t{n_shared(item.target, item.candidate)}\n"
        for item in study.items.select_related("target_turn", "candidate_turn")
    ]
    table = "".join(["id\tscore\n", *rows])
    response = paper.client.post(
        url(study, "baseline_upload"), {"name": UPLOADED, "table": table}, follow=True
    )
    assert response.status_code == 200
    assert study.baselines.filter(name=UPLOADED).exists()


# -- What the tables and figures are compared with ------------------------------------------------


def near(value: float, digits: int = 3) -> Any:
    """As a page prints it, rounded."""
    return pytest.approx(value, abs=0.50001 * 10**-digits)


def printed(cell: str) -> float:
    """A number as a page or LaTeX prints it."""
    return float(cell.replace(",", "").replace("\u2212", "-").removesuffix("%").strip())


def agreement(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Pearson, Spearman, RMSE, MSE and the number of the pairs of values."""
    squares = [(one - other) ** 2 for one, other in zip(values, others, strict=True)]
    return [
        float(stats.pearsonr(values, others).statistic),
        float(stats.spearmanr(values, others).statistic),
        math.sqrt(fmean(squares)),
        fmean(squares),
        len(squares),
    ]


def others_mean(stack: dict[str, float], annotator: str) -> float:
    return fmean(rating for one, rating in stack.items() if one != annotator)


def counted(values: Iterable[float], edges: Sequence[float]) -> list[int]:
    """How many values each bin has; a value at an end is in the bin above, or the last one."""
    last = len(edges) - 2
    bins = Counter(min(sum(value > edge - 1e-9 for edge in edges[1:]), last) for value in values)
    return [bins[number] for number in range(last + 1)]


def check_histogram(rows: list[Row], values: Iterable[float], *, column: str) -> None:
    names = [*rows[0]]
    edges = [float(row[names[-3]]) for row in rows] + [float(rows[-1]["to"])]
    assert [int(row[column]) for row in rows] == counted(values, edges)


# -- Round 3: agreement ---------------------------------------------------------------------------


def check_size(paper: Paper) -> None:
    """As many questions a person as the paper has: 6 that calibrate, 50 pairs, 5 repeats."""
    rows = paper.answers[3]
    assert len(rows) == 2 * N_PEOPLE * (N_CALIBRATION + N_MAIN + N_REPEATS)
    assert {len(stack) for phase in (1, 2) for stack in paper.stacks(phase).values()} == {9}
    order = [row["item"] for row in rows if row["block"] == "calibration"][:N_CALIBRATION]
    items = {row["id"]: row for row in read_tsv(paper.export(3), "items.tsv")}
    assert [items[item]["expected"] for item in order] == ["0", "3", "6"] * 2
    # In the second phase everybody meets the same pairs in the same order.
    for annotator in {row["annotator"] for row in rows}:
        first, second = (
            [
                row["item"]
                for row in rows
                if row["annotator"] == annotator and row["phase"] == phase
            ]
            for phase in "12"
        )
        assert first == second


def check_same_people(paper: Paper) -> None:
    """Every person of round 3 is known from rounds 1 and 2."""
    in_rounds = [
        set(paper.study(n).annotators.values_list("person", flat=True)) for n in (1, 2, 3)
    ]
    assert in_rounds[2] <= in_rounds[1] == in_rounds[0]
    assert len(in_rounds[2]) == N_PEOPLE


def inter_annotator(paper: Paper, phase: int, *, with_itself: bool) -> list[float]:
    values, means = [], []
    for stack in paper.stacks(phase).values():
        for annotator, rating in stack.items():
            values.append(rating)
            means.append(fmean(stack.values()) if with_itself else others_mean(stack, annotator))
    return agreement(values, means)


def intra_annotator(paper: Paper, phase: int, *, before_in: str) -> list[float]:
    """What people said again against what they had said, looked up in the raw answers."""
    before = earlier_ratings(paper) if before_in == "earlier_round" else None
    values, earlier = [], []
    for row in read_tsv(paper.export(3), "repeats.tsv"):
        if row["phase"] != str(phase) or row["before_in"] != before_in:
            continue
        who, item = row["annotator"], row["item"]
        known = paper.stacks(phase)[item][who] if before is None else before[who, item]
        assert known == float(row["rating_before"])
        values.append(float(row["rating"]))
        earlier.append(known)
    return agreement(values, earlier)


def earlier_ratings(paper: Paper) -> dict[tuple[str, str], float]:
    """Of people and items of round 3 what they rated in round 2."""
    pseudonyms: dict[int, dict[int | None, str]] = {
        number: {
            one.person_id: one.pseudonym
            for one in Annotator.objects.filter(study=paper.study(number))
        }
        for number in (2, 3)
    }
    now = {pseudonym: pseudonyms[3].get(person, "") for person, pseudonym in pseudonyms[2].items()}
    return {(now[row["annotator"]], row["item"]): float(row["rating"]) for row in paper.answers[2]}


def agreement_rows(paper: Paper) -> list[list[float]]:
    """Table 1 phase by phase: inter with and without itself, intra in the booklet and before."""
    return [
        figures
        for phase in (1, 2)
        for figures in (
            inter_annotator(paper, phase, with_itself=True),
            inter_annotator(paper, phase, with_itself=False),
            intra_annotator(paper, phase, before_in="booklet"),
            intra_annotator(paper, phase, before_in="earlier_round"),
        )
    ]


def check_agreement(paper: Paper) -> None:
    shown = paper.page(3).context["agreement"]
    for (_name, cells), figures in zip(shown.rows, agreement_rows(paper), strict=True):
        assert [printed(cell) for cell in cells[:4]] == [near(value) for value in figures[:4]]
        assert printed(cells[4]) == figures[4]
    rows = paper.result_table(3, "agreement")
    for row, figures in zip(rows, agreement_rows(paper), strict=True):
        found = [float(row[name]) for name in ("pearson", "spearman", "rmse", "mse", "n")]
        assert found == pytest.approx(figures)


def check_error_bound(paper: Paper) -> None:
    for phase, shown in enumerate(paper.page(3).context["phases"], start=1):
        of_items = [np.var([*s.values()], ddof=1) / len(s) for s in paper.stacks(phase).values()]
        bounds = {figure.name: figure for figure in shown.figures}
        unbiased = float(np.mean(of_items))
        figure = bounds["Expected squared error of a score, as in CzechSTS"]
        assert printed(figure.value) == near(unbiased * 8 / 6, digits=4)
        assert printed(bounds["Expected squared error of a score, unbiased"].value) == near(
            unbiased, digits=4
        )


# -- Round 3: figures -----------------------------------------------------------------------------


def check_score_distribution(paper: Paper) -> None:
    for phase in (1, 2):
        check_histogram(
            paper.plot(3, f"scores-{phase}"), paper.means(phase).values(), column="items"
        )


def check_scores_by_class(paper: Paper) -> None:
    for phase in (1, 2):
        rows, means = paper.plot(3, f"classes-{phase}"), paper.means(phase)
        for name in CLASSES:
            values = [
                means[item] for item, row in paper.items.items() if row["intended_class"] == name
            ]
            check_histogram([r for r in rows if r["class"] == name], values, column="items")


def check_thinking_time(paper: Paper) -> None:
    for phase in (1, 2):
        check_curve(
            paper.plot(3, f"thinking-time-{phase}"),
            paper,
            phase,
            bucket=lambda row: int(row["active_ms"]) // 1000,
        )


def check_calibration_curve(paper: Paper) -> None:
    for phase in (1, 2):
        rows = paper.plot(3, f"calibration-curve-{phase}")
        check_curve(rows, paper, phase, bucket=lambda row: int(row["order"]) // 2 * 2)


def check_curve(
    rows: list[Row], paper: Paper, phase: int, *, bucket: Callable[[Row], int]
) -> None:
    """Agreement of the ratings of each bucket with the means of the others."""
    stacks = paper.stacks(phase)
    values: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for row in paper.main(phase):
        stack = stacks[row["item"]]
        own, mean = stack[row["annotator"]], others_mean(stack, row["annotator"])
        values[bucket(row)].append((own, mean))
    start = next(iter(rows[0]))
    assert [float(row[start]) for row in rows] == sorted(values)
    for row in rows:
        check_bucket(row, values[int(float(row[start]))])


def check_bucket(row: Row, pairs: Sequence[tuple[float, float]]) -> None:
    """Of ratings and what they are compared with: their number, RMSE and correlation."""
    assert int(row["ratings"]) == len(pairs)
    rmse = math.sqrt(fmean((own - other) ** 2 for own, other in pairs))
    assert float(row["RMSE"]) == pytest.approx(rmse)
    ratings, others = zip(*pairs, strict=True)
    if len(set(ratings)) > 1 and len(set(others)) > 1:
        assert float(row["Pearson"]) == pytest.approx(np.corrcoef(ratings, others)[0, 1])
    else:
        assert not row["Pearson"]


def check_waiting_time(paper: Paper) -> None:
    """From the end of the first phase to the first answer's screen in the second: over 72 h."""
    runs = {(row["annotator"], row["phase"]): row for row in paper.table(3, "phases.tsv")}
    hours = []
    for (annotator, phase), row in runs.items():
        if phase == "2":
            began = np.datetime64(row["began_at"].removesuffix("Z"))
            ended = np.datetime64(runs[annotator, "1"]["completed_at"].removesuffix("Z"))
            hours.append((began - ended) / np.timedelta64(1, "h"))
            assert hours[-1] == pytest.approx(float(row["gap_hours"]), abs=1e-4)
    assert min(hours) >= 72
    check_histogram(paper.plot(3, "waiting-2"), hours, column="people")
    [shown] = paper.page(3).context["waiting"]
    assert printed(shown.figure.value.removesuffix(" h")) == near(
        float(np.median(hours)), digits=1
    )


# -- Round 3: context -----------------------------------------------------------------------------


def n_left(p_values: Iterable[float], level: float = 0.05) -> int:
    """How many Benjamini and Hochberg leave: the largest k whose p is at most level * k / m."""
    ordered = sorted(p_values)
    fitting = [k for k, p in enumerate(ordered, start=1) if p <= level * k / len(ordered)]
    return max(fitting, default=0)


def check_p_values(paper: Paper) -> None:
    ordered = sorted(paper.p_values.values())
    rows = [row for row in paper.plot(3, "p-values") if row["test"] == "pooled t-test"]
    assert len({round(p, 12) for p in ordered}) <= len(rows) <= len(ordered)
    for row in rows:
        share = sum(p <= float(row["p-value"]) + 1e-12 for p in ordered) / len(ordered)
        assert float(row["share of the items"]) == pytest.approx(share)
    for item, row in paper.items.items():
        if item in paper.p_values:
            assert float(row["p_pooled"]) == pytest.approx(paper.p_values[item])
        else:
            assert not row["p_pooled"]


def check_share_of_effects(paper: Paper) -> None:
    context = paper.page(3).context["context"]
    figure = next(f for f in context.figures if "pooled t-test" in f.name)
    n, left = len(paper.p_values), n_left(paper.p_values.values())
    assert printed(figure.value) == near(100 * len(paper.significant) / n, digits=1)
    assert f"{len(paper.significant)} of {n} tested items" in figure.remark
    assert f"After correction by Benjamini and Hochberg: {left} " in figure.remark
    share = f"{100 * len(paper.significant) / n:.1f} %"
    methods = read_text(paper.release(3), "METHODS.md")
    assert f"{len(paper.significant)} of {n} items ({share}) " in methods
    assert f"those of {left} after correction by the method of Benjamini and Hochberg" in methods


def check_gains(paper: Paper) -> None:
    rows = paper.plot(3, "gains")
    low = min(math.floor(gain / 0.25 + 0.5 + 1e-9) for gain in paper.gains.values())
    assert float(rows[0]["gain from"]) == pytest.approx((low - 0.5) * 0.25)
    check_histogram(rows, paper.gains.values(), column="items")
    figure = paper.page(3).context["context"].figures[0]
    values = [*paper.gains.values()]
    assert printed(figure.value) == near(fmean(values))
    assert f"{np.std(values, ddof=1):.3f}" in figure.spread
    for item, row in paper.items.items():
        assert float(row["gain"]) == pytest.approx(paper.gains[item])


def check_gain_quantiles(paper: Paper) -> None:
    check_quantiles(paper.plot(3, "gain-quantiles"), [*paper.gains.values()])


def check_quantiles(rows: list[Row], values: Sequence[float]) -> None:
    shares = [float(row["share of the items"]) for row in rows]
    assert shares == pytest.approx(np.linspace(0, 1, 101))
    quantiles = np.quantile(values, shares)
    assert [float(row["gain"]) for row in rows] == pytest.approx(quantiles)


def check_significant_gains(paper: Paper) -> None:
    values = [paper.gains[item] for item in paper.significant]
    check_histogram(paper.plot(3, "gains-significant"), values, column="items")
    check_quantiles(paper.plot(3, "gain-quantiles-significant"), values)


# -- Round 1, and the rounds beside each other ----------------------------------------------------


def check_moments(row: Row, values: Sequence[float]) -> None:
    assert int(row["n"]) == len(values)
    assert float(row["mean"]) == pytest.approx(fmean(values))
    assert float(row["variance"]) == pytest.approx(np.var(values, ddof=1))


def check_rating_sets(paper: Paper) -> None:
    """Number, mean and variance of all ratings of round 1, of N2, N1 and the significant pairs."""
    chosen = paper.first_ratings
    significant = {texts_of(paper.items[item]) for item in paper.significant}
    expected = {
        "raw": [rating for rating, _class in chosen.values()],
        "N2": [rating for rating, of in chosen.values() if abs(rating - CLASSES[of]) <= 2],
        "N1": [rating for rating, of in chosen.values() if abs(rating - CLASSES[of]) <= 1],
        "significant": [
            rating for pair, (rating, _class) in chosen.items() if frozenset(pair) in significant
        ],
    }
    assert len(chosen) == len(paper.answers[1])
    rows = paper.result_table(1, "rating_sets")
    assert [row["set"] for row in rows] == list(expected)
    for row in rows:
        check_moments(row, expected[row["set"]])
    assert rows[-1]["round"] == czech_news.ROUNDS[2]


def texts_of(item: Row) -> frozenset[str]:
    """A pair is the same the other way round."""
    return frozenset((item["target"], item["candidate"]))


def check_ratings_by_class(paper: Paper) -> None:
    rows = paper.result_table(1, "ratings_by_class")
    plotted = paper.plot(1, "ratings-by-class")
    for row in rows:
        name = row["class"]
        values = [rating for rating, of in paper.first_ratings.values() if of == name]
        check_moments(row, values)
        check_histogram([one for one in plotted if one["class"] == name], values, column="pairs")
    assert {row["class"] for row in rows} == set(CLASSES)


def check_first_ratings(paper: Paper) -> None:
    values = [rating for rating, _class in paper.first_ratings.values()]
    check_histogram(paper.plot(1, "ratings"), values, column="pairs")


def check_second_beside_first(paper: Paper) -> None:
    """Round 2's ratings against round 1's, by thinking time and by practice."""
    items = {row["id"]: row for row in read_tsv(paper.export(2), "items.tsv")}
    buckets: dict[str, Callable[[Row], int]] = {
        "thinking-time-1-round-1": lambda row: int(row["active_ms"]) // 1000,
        "calibration-curve-1-round-1": lambda row: int(row["order"]),
    }
    for key, bucket in buckets.items():
        rows = paper.plot(2, key)
        start = [float(row[next(iter(row))]) for row in rows]
        width = min(np.diff(start))
        values: dict[float, list[tuple[float, float]]] = defaultdict(list)
        for row in paper.answers[2]:
            item = items[row["item"]]
            first, _class = paper.first_ratings[item["target"], item["candidate"]]
            values[bucket(row) // width * width].append((float(row["rating"]), first))
        assert start == sorted(values)
        for row, place in zip(rows, start, strict=True):
            check_bucket(row, values[place])


def check_set_correlations(paper: Paper) -> None:
    """Round 1, free and dependent: each two over all items, N1, N2 and the significant ones."""
    rows = paper.result_table(3, "set_correlations")
    found = {(row["set"], row["variables"]): row for row in rows}
    free, dependent = paper.means(1), paper.means(2)
    columns = {
        "first": {item: paper.first(item)[0] for item in paper.items},
        "free": free,
        "dependent": dependent,
    }
    rng = np.random.default_rng(1)
    for name, items in paper.sets.items():
        for pair in ("first_x_free", "first_x_dependent", "free_x_dependent"):
            one, other = (columns[side] for side in pair.split("_x_"))
            row = found[name, pair]
            x, y = [one[item] for item in items], [other[item] for item in items]
            assert int(row["n"]) == len(items)
            assert float(row["pearson"]) == pytest.approx(np.corrcoef(x, y)[0, 1])
            assert float(row["spearman"]) == pytest.approx(stats.spearmanr(x, y).statistic)
            if pair == "free_x_dependent":
                z = [columns["first"][item] for item in items]
                assert float(row["partial"]) == pytest.approx(partial(x, y, z))
            if name != "all":
                drawn = [
                    np.corrcoef([one[i] for i in ids], [other[i] for i in ids])[0, 1]
                    for ids in (
                        rng.choice(list(paper.items), len(items), replace=False)
                        for _subset in range(300)
                    )
                ]
                error = 4 * np.std(drawn) / math.sqrt(len(drawn)) + 1e-4
                assert float(row["random_mean"]) == pytest.approx(np.mean(drawn), abs=error)


def partial(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> float:
    """From the three pairwise correlations."""
    xy, xz, yz = (np.corrcoef(one, other)[0, 1] for one, other in ((x, y), (x, z), (y, z)))
    return float((xy - xz * yz) / math.sqrt((1 - xz**2) * (1 - yz**2)))


def check_score_sets(paper: Paper) -> None:
    rows = paper.result_table(3, "score_sets")
    found = {(row["set"], row["scores"]): row for row in rows}
    free, dependent = paper.means(1), paper.means(2)
    for name, items in paper.sets.items():
        check_moments(found[name, "first"], [paper.first(item)[0] for item in items])
        check_moments(found[name, "free"], [free[item] for item in items])
        check_moments(found[name, "dependent"], [dependent[item] for item in items])


def check_filters(paper: Paper) -> None:
    for row in paper.result_table(3, "diagonal_filters"):
        of_class = [item for item in paper.items if paper.first(item)[1] == row["class"]]
        kept = set(paper.sets[row["filter"]])
        assert int(row["n"]) == len(of_class)
        assert int(row["kept"]) == len(kept & set(of_class))


# -- Baselines ------------------------------------------------------------------------------------


def check_baselines(paper: Paper) -> None:
    """The uploaded scores and a lexical measure against the means of both phases."""
    items = paper.items
    measures = {
        UPLOADED: {
            item: float(n_shared(row["target"], row["candidate"])) for item, row in items.items()
        },
        "Jaccard": {item: jaccard(row["target"], row["candidate"]) for item, row in items.items()},
    }
    latex = paper.latex(3)
    rows = paper.table(3, "leaderboard.tsv")
    for name, scores in measures.items():
        # The newest leaderboard, which the page has, is of the second phase.
        for phase in (1, 2):
            means = paper.means(phase)
            pairs = [(scores[item], means[item]) for item in items]
            pearson = stats.pearsonr(*zip(*pairs, strict=True)).statistic
            spearman = stats.spearmanr(*zip(*pairs, strict=True)).statistic
            # After each its interval, between the two the p value of the first.
            printed = [rf"(\\textbf{{)?{value:.3f}\b" for value in (pearson, spearman)]
            cells = rf"{name} & {printed[0]}[^&]*& [^&]+ & {printed[1]}"
            assert re.search(cells, latex)
            [row] = [
                row for row in rows if row["measure"] == name and f"phase {phase}" in row["people"]
            ]
            assert float(row["pearson"]) == pytest.approx(pearson)
            assert float(row["spearman"]) == pytest.approx(spearman)
        assert f"{pearson:.3f}" in paper.text(3, "baselines")


def check_training(paper: Paper) -> None:
    """A model trained on N2 of round 1, against both phases and the significant pairs."""
    pytest.importorskip("torch", reason="no torch: `make models` installs it")
    sentence_transformers = pytest.importorskip("sentence_transformers")
    study = paper.study(3)
    training = study.trainings.get()
    rows = rows_of(paper.client.get(url(study, "baseline_further", "trainings", "tsv")))
    printed = paper.client.get(url(study, "baseline_further", "trainings", "tex"))
    page = paper.text(3, "trainings")
    assert url(study, "baseline_further", "trainings", "tsv") in page
    # What round 2 alone tests is not tested here: the model may learn from it.
    tested = {texts_of(row) for row in paper.items.values()}
    learnt = [
        row
        for row in paper.answers[1]
        if row["summary_sentence"] == "1"
        and abs(float(row["rating"]) - CLASSES[row["role"]]) <= 2
        and frozenset((row["summary_text"], row["report_text"])) not in tested
    ]
    model = sentence_transformers.SentenceTransformer(
        str(paper.folder / "models" / training.figures["models"][0]), device="cpu"
    )
    vectors = {
        side: model.encode([row[side] for row in paper.items.values()])
        for side in ("target", "candidate")
    }
    norms = np.linalg.norm(vectors["target"], axis=1) * np.linalg.norm(
        vectors["candidate"], axis=1
    )
    cosines = dict(
        zip(
            paper.items,
            (vectors["target"] * vectors["candidate"]).sum(axis=1) / norms,
            strict=True,
        )
    )
    every = list(paper.items)
    significant = [item for item in every if item in paper.significant]
    expected = {
        "free": (every, 1),
        "dependent": (every, 2),
        "significant_free": (significant, 1),
        "significant_dependent": (significant, 2),
    }
    for row in rows:
        items, phase = expected[row["test"]]
        means = paper.means(phase)
        pearson = np.corrcoef([cosines[i] for i in items], [means[i] for i in items])[0, 1]
        assert float(row["pearson"]) == pytest.approx(pearson, abs=1e-4)
        assert int(row["n_train"]) == len(learnt)
        assert f"{pearson:.3f}" in printed.content.decode().replace("$-$", "-")


def words(text: str) -> set[str]:
    return {*text.lower().rstrip(".").split()}


def n_shared(first: str, second: str) -> int:
    return len(words(first) & words(second))


def jaccard(first: str, second: str) -> float:
    return n_shared(first, second) / len(words(first) | words(second))


# -- Files ----------------------------------------------------------------------------------------


def check_test_files(paper: Paper) -> None:
    """Row n is the same pair without context and in context, with all its ratings."""
    chosen = list(paper.items)
    kept = {"test": chosen, "test_significant": [i for i in chosen if i in paper.significant]}
    for prefix, ids in kept.items():
        for phase, condition in ((1, "free"), (2, "dependent")):
            rows = paper.table(3, f"{prefix}_{condition}.tsv")
            assert [row["id"] for row in rows] == ids
            stacks = paper.stacks(phase)
            for row in rows:
                ratings = sorted(stacks[row["id"]].values())
                found = row["ratings"].strip("[]").split(",")
                assert sorted(map(float, found)) == ratings
                assert float(row["mean"]) == pytest.approx(fmean(ratings))
                assert f"<sent>{row['text_1']}</sent>" in row["context_1"]


def check_train_files(paper: Paper) -> None:
    """Round 1's pairs, without those that round 3 tests; N1 and N2 among them."""
    tested = {texts_of(row) for row in read_tsv(paper.export(3), "items.tsv")}
    expected: dict[str, list[tuple[str, ...]]] = {"train": [], "held_out": []}
    for row in paper.answers[1]:
        pair = (row["summary_text"], row["report_text"])
        part = "held_out" if frozenset(pair) in tested else "train"
        expected[part].append((*pair, row["rating"], row["role"]))
    for limit in (1, 2):
        expected[f"train_n{limit}"] = [
            pair for pair in expected["train"] if abs(float(pair[2]) - CLASSES[pair[3]]) <= limit
        ]
    for name, pairs in expected.items():
        rows = paper.table(1, f"{name}.tsv")
        found = [(r["text1"], r["text2"], r["rating"], r["intended_class"]) for r in rows]
        assert sorted(found) == sorted(pairs), name
    # What round 2 alone judged is to train on.
    assert 0 < len(expected["held_out"]) < len(read_tsv(paper.export(2), "items.tsv"))


# Every table and figure of the paper, and where it is not one of these, why.
