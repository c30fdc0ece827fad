"""STSS-131 at a tenth of its size: each table and figure of the paper, and where it is found.

Each is looked for on a page, in a TSV file and in LaTeX, and compared with figures that are
computed here from the answers as they were exported. Left out, because they are of the sentences
and not of ratings: the paper's tables of how its sentences were collected (kinds of speech act,
participants who wrote them). Whose number its extract does not tell (raters, step of the scale) is
that of the preset. STASIS and LSA are uploaded values: neither program is ours.
"""

import csv
import io
import json
import math
import re
import zipfile
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from django.core.management import call_command

from annotation.core.queries.counted_answers import counted_judgments
from annotation.kinds.rating.taste import RatingTaste, draw_rating_taste
from annotation.models import Study
from annotation.simulation import through_services
from annotation.simulation.browser import Page
from benchmarks.papers import stss131
from scoring import pearson
from tests.papers.checking import Check, check_all, of_days, read_text, read_tsv
from tests.papers.on_pages import answer_through_pages
from tests.support.factories import make_user
from tests.support.researcher_pages import in_one_line, signed_in, url
from tests.support.tables import analyse

# Every table and figure, and what looks for it; the functions follow below.
CHECKS: dict[str, Check] = {
    "table: the pairs with mean and standard deviation": lambda made: table_of_pairs(made),
    "the two calibration pairs are left out": lambda made: calibration_pairs(made),
    "figure: distribution of the pairs over the scale": lambda made: distribution_of_ratings(made),
    "table: correlation of each measure with people, with p": lambda made: table_of_correlations(
        made
    ),
    "measures are rounded to three decimals, and it is said": lambda made: (
        rounding_to_three_decimals(made)
    ),
    "table: typical human (mean, best, worst)": lambda made: typical_human(made),
    "table: tests between two measures": lambda made: two_measures(made),
    "one-sample test: a measure and the typical human": lambda made: (
        measures_and_the_typical_human(made)
    ),
    "two-sample test: two groups of raters": lambda made: groups_of_raters(made),
    "a measure and its published value": lambda made: measures_and_published_values(made),
}

pytestmark = pytest.mark.django_db

SCALE = 0.1
STASIS, LSA = stss131.STASIS, stss131.LSA
SOURCE = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"
Row = dict[str, str]
Numbers = list[float]


@dataclass
class Made:
    """What came of the steps: files of the release, and pages of the researcher."""

    folder: Path
    # Pages that annotators were shown.
    seen: list[Page] = field(default_factory=list)

    @cached_property
    def study(self) -> Study:
        return Study.objects.get(slug=stss131.STUDY)

    def page(self, name: str, **query: str) -> str:
        response = signed_in(self.study.owner).get(url(self.study, name), query)
        assert response.status_code == 200, name
        return unescape(response.content.decode())

    @property
    def release(self) -> Path:
        return self.folder / "releases" / f"{self.study.pk}-1.zip"

    def rows(self, name: str) -> list[Row]:
        """A table of the release, which the export has, too, with moments for days."""
        rows = read_tsv(self.release, name)
        assert of_days(read_tsv(self.folder / "stss.zip", name)) == rows
        return rows

    def tex(self, name: str = "tables.tex") -> str:
        return read_text(self.release, name)

    # -- Computed from the raw answers ----------------------------------------------------------

    @cached_property
    def ratings(self) -> dict[str, dict[str, float]]:
        """By pair and person: the answers that count, of the main block."""
        found: dict[str, dict[str, float]] = {}
        for row in self.rows("judgments.tsv"):
            if (row["status"], row["block"]) == ("counted", "main"):
                found.setdefault(row["item"], {})[row["annotator"]] = float(row["rating"])
        return found

    @cached_property
    def means(self) -> dict[str, float]:
        return {key: sum(of.values()) / len(of) for key, of in self.ratings.items()}

    @cached_property
    def raters(self) -> Numbers:
        """Each person's correlation with the mean of the others."""
        people = sorted({person for of in self.ratings.values() for person in of})
        found = []
        for person in people:
            own = [of[person] for of in self.ratings.values()]
            others = [
                sum(rating for other, rating in of.items() if other != person) / (len(of) - 1)
                for of in self.ratings.values()
            ]
            found.append(correlation(own, others))
        return found

    @cached_property
    def values(self) -> dict[str, Numbers]:
        """Each measure's values as uploaded or computed, rounded to three decimals."""
        rows = {row["id"]: row for row in self.rows("baselines.tsv")}
        names = [name for name in next(iter(rows.values())) if name != "id"]
        return {
            name: [float(f"{float(rows[key][name]):.3f}") for key in self.means] for name in names
        }

    def r(self, measure: str) -> float:
        return correlation(list(self.means.values()), self.values[measure])

    def comparison(self, first: str, second: str) -> Row:
        [row] = [
            row
            for row in self.rows("comparisons.tsv")
            if (row["first"], row["second"]) == (first, second)
        ]
        return row


def correlation(x: Numbers, y: Numbers) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = [sum((a - m) ** 2 for a in of) for of, m in ((x, mean_x), (y, mean_y))]
    return products / math.sqrt(squares[0] * squares[1])


def latex_rows(text: str, caption: str) -> list[list[str]]:
    """The cells of the table whose caption begins so."""
    _before, _mark, after = text.partition(rf"\caption{{{caption}")
    assert after, caption
    body = after.partition(r"\end{tabular}")[0]
    return [
        line.strip().removesuffix(r"\\").strip().split(" & ")
        for line in body.splitlines()
        if line.endswith(r"\\")
    ]


def first_number(cell: str) -> float:
    """The value of a cell that may have marks and an interval."""
    [number, *_interval] = re.findall(r"-?\d+\.\d+", cell.replace("$-$", "-"))
    return float(number)


def printed(text: str) -> float:
    return float(text.replace("$-$", "-").replace("−", "-"))


# -- The pairs ----------------------------------------------------------------------------------


def table_of_pairs(made: Made) -> None:
    """Every pair that counts with its texts, mean and standard deviation."""
    n_main, n_people = stss131.sizes(SCALE)
    rows = {row["id"]: row for row in made.rows("test_free.tsv")}
    assert rows.keys() == made.means.keys()
    assert len(rows) == n_main
    lines = made.tex("items.tex").splitlines()
    page = made.page("result_items")
    for key, of in made.ratings.items():
        mean = made.means[key]
        sd = math.sqrt(sum((one - mean) ** 2 for one in of.values()) / (n_people - 1))
        row = rows[key]
        assert len(of) == int(row["n"]) == n_people
        assert float(row["mean"]) == pytest.approx(mean, abs=1e-12)
        assert float(row["sd"]) == pytest.approx(sd, abs=1e-12)
        assert sorted(json.loads(row["ratings"])) == sorted(of.values())
        [line] = [line for line in lines if line.startswith(f"{key} & ")]
        _key, first, second, *figures = line.removesuffix(r" \\").split(" & ")
        assert (first, second) == (row["text_1"], row["text_2"])
        assert [float(one) for one in figures] == pytest.approx([mean, sd, n_people], abs=0.00501)
        assert row["text_1"] in page


def calibration_pairs(made: Made) -> None:
    """Both pairs that calibrate were asked of everybody, and are in no score."""
    asked = made.rows("calibration.tsv")
    _n_main, n_people = stss131.sizes(SCALE)
    assert len(asked) == len(stss131.CALIBRATION) * n_people
    assert {row["item"] for row in asked} == {*stss131.CALIBRATION}
    assert not {*stss131.CALIBRATION} & made.means.keys()
    assert not re.search(r"^c1 &", made.tex("items.tex"), re.MULTILINE)
    assert made.seen, "nobody came by the open link"
    assert "p00" not in made.tex("README.md")


def distribution_of_ratings(made: Made) -> None:
    """How many pairs have a mean in each twentieth of the scale."""
    rows = made.rows("figure_scores_1.tsv")
    expected = [0] * 20
    for mean in made.means.values():
        expected[min(int(mean / 0.2 + 1e-9), 19)] += 1
    assert [int(row["items"]) for row in rows] == expected
    assert (float(rows[0]["score from"]), float(rows[-1]["to"])) == (0, 4)
    # As the page prints them: 0.6 and not 0.6000000000000001.
    assert all(len(row[end]) <= len("0.20") for row in rows for end in ("score from", "to"))
    page = made.page("results")
    assert url(made.study, "plot", "scores-1", "svg") in page
    assert "<svg" in page


# -- Measures and people ------------------------------------------------------------------------


def table_of_correlations(made: Made) -> None:
    """Pearson's r of each measure with the means, and its p."""
    rows = {row["measure"]: row for row in made.rows("leaderboard.tsv")}
    assert {STASIS, LSA} < rows.keys() == made.values.keys()
    table = latex_rows(made.tex(), "Correlation of measures with people's scores, all.")
    latex = {row[0]: row for row in table}
    page = made.page("baselines")
    means = list(made.means.values())
    for name, values in made.values.items():
        r, p = scipy.stats.pearsonr(means, values)
        assert float(rows[name]["pearson"]) == pytest.approx(made.r(name), abs=1e-12)
        assert float(rows[name]["pearson"]) == pytest.approx(r, abs=1e-12)
        assert float(rows[name]["pearson_p"]) == pytest.approx(p, rel=1e-6)
        assert rows[name]["n"] == str(len(means))
        assert first_number(latex[name][1]) == pytest.approx(r, abs=0.000501)
        said = latex[name][2].replace("$<$", "<")
        assert (p < 0.001) if said.startswith("<") else float(said) == pytest.approx(p, abs=6e-4)
        # The file of the command is the same table.
        own = latex_rows((made.folder / "leaderboard.tex").read_text(), "Correlation of measures")
        assert own == table
        assert f">{name}</a>" in in_one_line(page)
        assert f"{r:.3f}" in page or f"{r + 1e-9:.3f}" in page


def rounding_to_three_decimals(made: Made) -> None:
    """The measures were rounded, as in the paper's literature, and each output says so."""
    said = "measures were rounded to 3 decimals before correlations were computed"
    for name in ("leaderboard.tsv", "differences.tsv", "comparisons.tsv"):
        assert {row["decimals"] for row in made.rows(name)} == {"3"}
    board = made.tex().split(r"\caption{Correlation of measures")[1].split(r"\end{table}")[0]
    assert said in board
    assert said in made.tex("README.md")
    assert said in made.page("baselines")
    assert said in (made.folder / "leaderboard.tex").read_text()


def typical_human(made: Made) -> None:
    """Each rater against the mean of the others: mean, best and worst."""
    raters = made.raters
    mean, best, worst = sum(raters) / len(raters), max(raters), min(raters)
    [row] = made.rows("typical_human.tsv")
    figures = [float(row[name]) for name in ("mean", "best", "worst")]
    assert figures == pytest.approx([mean, best, worst], abs=1e-12)
    assert float(row["sd"]) == pytest.approx(np.std(raters, ddof=1), abs=1e-12)
    of_each = [float(one["pearson"]) for one in made.rows("annotators.tsv")]
    assert sorted(of_each) == pytest.approx(sorted(raters), abs=1e-12)
    [_head, cells] = latex_rows(made.tex(), "Typical human")
    assert [float(cell) for cell in cells[1:]] == pytest.approx(
        [mean, float(row["sd"]), best, worst], abs=0.000501
    )
    shown = made.page("baselines").split('data-row="typical-human"')[1].split("</tr>")[0]
    assert printed(re.findall(r"\d\.\d{3}", shown)[0]) == pytest.approx(mean, abs=0.000501)
    assert len(re.findall(r"\d\.\d{3}", shown)) == 3


def two_measures(made: Made) -> None:
    """STASIS against LSA: what the paper calls Steiger's z is the test of Meng and others."""
    r12, r13 = made.r(STASIS), made.r(LSA)
    r23 = correlation(made.values[STASIS], made.values[LSA])
    square = (r12**2 + r13**2) / 2
    f = min(1, (1 - r23) / (2 * (1 - square)))
    h = (1 - f * square) / (1 - square)
    n = len(made.means)
    z = (math.atanh(r12) - math.atanh(r13)) * math.sqrt((n - 3) / (2 * (1 - r23) * h))

    row = made.comparison(STASIS, LSA)
    assert row["test"] == "meng"
    look_for(made, row, z, 2 * scipy.stats.norm.sf(abs(z)), r12 - r13)


def measures_and_the_typical_human(made: Made) -> None:
    """The one-sample test of the paper: raters' correlations against a measure's."""
    for name in (STASIS, LSA):
        expected = scipy.stats.ttest_1samp(made.raters, made.r(name))
        row = made.comparison(name, "typical human")
        assert (row["test"], int(row["df"])) == ("t", len(made.raters) - 1)
        difference = made.r(name) - sum(made.raters) / len(made.raters)
        look_for(made, row, -expected.statistic, expected.pvalue, difference)


def groups_of_raters(made: Made) -> None:
    """The two-sample test of the paper: raters against raters of another procedure."""
    other = stss131.OTHER_RATERS
    mean, sd = float(np.mean(made.raters)), float(np.std(made.raters, ddof=1))
    expected = scipy.stats.ttest_ind_from_stats(
        mean, sd, len(made.raters), other["mean"], other["sd"], other["n"]
    )
    row = made.comparison("typical human", "another group of raters")
    assert row["test"] == "t-two-samples"
    look_for(made, row, expected.statistic, expected.pvalue, mean - other["mean"])


def measures_and_published_values(made: Made) -> None:
    """A measure on our pairs against the same on the paper's, and against an exact value."""
    n = len(made.means)
    for name, published in stss131.PUBLISHED.items():
        apart = math.atanh(made.r(name)) - math.atanh(published)
        z = apart / math.sqrt(1 / (n - 3) + 1 / (stss131.N_PUBLISHED - 3))
        row = made.comparison(name, f"{name} (2013)")
        assert (row["test"], row["second_n"]) == ("fisher", str(stss131.N_PUBLISHED))
        look_for(made, row, z, 2 * scipy.stats.norm.sf(abs(z)), made.r(name) - published)
    z = (math.atanh(made.r(STASIS)) - math.atanh(stss131.PUBLISHED[STASIS])) * math.sqrt(n - 3)
    row = made.comparison(STASIS, "STASIS, as printed")
    assert (row["test"], row["second_n"]) == ("one-sample", "")
    look_for(
        made, row, z, 2 * scipy.stats.norm.sf(abs(z)), made.r(STASIS) - stss131.PUBLISHED[STASIS]
    )


def look_for(made: Made, row: Row, statistic: float, p: float, difference: float) -> None:
    """One test: the same in TSV, in LaTeX and on the page."""
    assert float(row["statistic"]) == pytest.approx(statistic, rel=1e-6)
    assert float(row["p_two_sided"]) == pytest.approx(p, rel=1e-6)
    assert float(row["difference"]) == pytest.approx(difference, abs=1e-12)
    assert float(row["low"]) < difference < float(row["high"])
    table = latex_rows(made.tex(), "Comparisons of Pearson's correlations")
    [cells] = [cells for cells in table if cells[:2] == [row["first"], row["second"]]]
    figures = [printed(cells[place]) for place in (4, 6, 7, 8, 9, 10)]
    expected = [float(row[name]) for name in ("first_r", "second_r", "difference", "low", "high")]
    assert figures == pytest.approx([*expected, statistic], abs=0.000501)
    page = made.page("baselines").split('id="difference-title"')[1]
    shown = [part for part in page.split('data-comparison="kept"')[1:] if row["second"] in part]
    assert any(f"{abs(statistic):.3f}" in part.split("</tr>")[0] for part in shown)


# The paper's tables and figures, by name.
def test_every_table_and_figure_of_stss131(tmp_path: Path, subtests: pytest.Subtests) -> None:
    made = Made(tmp_path)
    make_user("researcher")

    for step in stss131.steps(tmp_path, SCALE, partial(answer_through_pages, seen=made.seen)):
        step.run()
        analyse()

    check_all(subtests, CHECKS, made)


# -- The published pairs ------------------------------------------------------------------------


@pytest.fixture
def published(tmp_path: Path) -> list[Row]:
    """The published file with what is known of the pairs that calibrate, as pairs.tsv."""
    if not SOURCE.is_file():
        pytest.skip("the published pairs (shared/data) are not beside this checkout")
    rows = _table(SOURCE.read_text(encoding="utf-8"))
    for row in rows:
        row["expected"] = row["mean"] if row["calibration"] == "1" else ""
    with (tmp_path / "pairs.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    make_user("researcher")
    create = ("--create", "--title", "STSS-131", "--preset", "stss-131", "--owner", "researcher")
    call_command("import_items", "stss", str(tmp_path / "pairs.tsv"), *create)
    return rows


def _table(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def test_the_published_means_come_back(published: list[Row], tmp_path: Path) -> None:
    calibration = [row["pair_id"] for row in published if row["calibration"] == "1"]
    call_command("make_design", "stss", "--seed", "5", "--calibration", *calibration)
    call_command("open_study", "stss", "--contact", "Ada Example, ada@example.org")
    study = Study.objects.get(slug="stss")
    taste = draw_rating_taste(
        study, noise=0, seed=1, given={row["pair_id"]: float(row["mean"]) for row in published}
    )
    pks = dict(study.items.values_list("key", "pk"))
    spread = {pks[row["pair_id"]]: float(row["sd"]) for row in published}
    people = RatingTaste(taste.latent, spread, taste.scale, seed=131)

    done = through_services.answer(study=study, taste=people, n_annotators=32)
    analyse()
    output = tmp_path / "stss.zip"
    call_command("export", "stss", "--source", "simulated", "--output", str(output))

    assert (done.n_annotators, done.n_answers) == (32, 32 * 66)
    with zipfile.ZipFile(output) as archive:
        rated = {row["id"]: row for row in _table(archive.read("test_free.tsv").decode())}
    counting = [row for row in published if row["calibration"] == "0"]
    assert set(rated) == {row["pair_id"] for row in counting}
    assert {row["n"] for row in rated.values()} == {"32"}
    means = [float(row["mean"]) for row in counting]
    found = [float(rated[row["pair_id"]]["mean"]) for row in counting]
    assert float(pearson(means, found)) > 0.98
    assert len(read_tsv(output, "calibration.tsv")) == 2 * 32
    # As the file says them, from all ratings in it.
    first = rated["66"]
    assert float(first["mean"]) == pytest.approx(sum(json.loads(first["ratings"])) / 32)
    assert counted_judgments(study, "people").count() == 0


def test_measures_are_held_against_the_published_means(
    published: list[Row], tmp_path: Path
) -> None:
    counting = [row for row in published if row["calibration"] == "0"]
    means = [float(row["mean"]) for row in counting]
    assert sum(means) / len(means) == pytest.approx(2.023125, abs=1e-12)

    call_command(
        *("baseline", "stss", "--people", "column:mean:sd=sd:n=32"),
        *("--where", 'calibration == "0"', "--round", "3", "--resamples", "0"),
        *("--measure", "jaccard", "--tsv", str(tmp_path / "table.tsv")),
    )

    [row] = _table((tmp_path / "table.tsv").read_text())
    shares = []
    for pair in counting:
        first, second = (
            set(re.findall(r"\w+(?:'\w+)?", pair[name].casefold()))
            for name in ("sentence1", "sentence2")
        )
        shares.append(round(len(first & second) / len(first | second), 3))
    assert (row["n"], row["decimals"]) == ("64", "3")
    assert float(row["pearson"]) == pytest.approx(correlation(means, shares), abs=0.05)
