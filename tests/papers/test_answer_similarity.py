"""Answer similarity at a tenth of its size: every table and figure of the paper by name.

[Mustafazade2022] has pairs of answers with labels 0, 1, 2 from three or five people. The study is
run on texts of our own, then the case of labels that were published: a table that is imported.

Left out, with the reason: the figures of SQuAD and NQ-open, which are not published with their
pairs (GermanQuAD's are compared where `shared/data` is there); METEOR with WordNet's synonyms,
which there are not for German; the models themselves, for which tiny ones stand in.
"""

import csv
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import LazySettings
from django.core.management import call_command
from scipy import stats

from annotation.models import Study
from benchmarks.papers import answer_similarity as paper
from tests.papers.checking import Check, check_all, read_text, read_tsv
from tests.scoring.conftest import SHARED_DATA
from tests.scoring.neural.conftest import packages, prepared  # noqa: F401 - fixtures
from tests.scoring.neural.making import make_bert
from tests.support.factories import make_user
from tests.support.researcher_pages import signed_in, url
from tests.support.tables import analyse

# Every table and figure, and what looks for it; the functions follow below.
CHECKS: dict[str, Check] = {
    "Table 1: label shares, lengths, pairs with and without overlap": lambda made: table_1(made),
    "Table 3 and its siblings: correlations with labels, by overlap": lambda made: table_3(made),
    "Scatter and box plot of each measure against the labels": lambda made: measures_by_label(
        made
    ),
    "Discrepancies by thresholds and their error categories": lambda made: discrepancies(made),
    "Inter-rater agreement": lambda made: agreement(made),
}
CHECKS_OF_MODELS: dict[str, Check] = {
    "Table 3: bi-encoder, BERTScore and cross-encoder against the labels": lambda made: (
        models_beside_labels(made)
    ),
    "Figure 3: correlation of each layer of BERTScore, by overlap": lambda made: figure_3(made),
    "Training: a bi-encoder on pairs that a cross-encoder labelled": lambda made: training_table(
        made
    ),
}

pytestmark = pytest.mark.django_db

Row = dict[str, str]
PUBLISHED_DATA = SHARED_DATA / "answer_similarity"
COEFFICIENTS = ("pearson", "spearman", "kendall")


@dataclass
class Made:
    """What came of the steps: files of releases, tables of commands, pages of the researcher."""

    folder: Path
    # What a page answered, by its address: nothing changes any more.
    read: dict[str, Any] = field(default_factory=dict)

    def study(self, slug: str) -> Study:
        return Study.objects.get(slug=slug)

    def page(self, slug: str, name: str, *arguments: object) -> Any:
        study = self.study(slug)
        address = url(study, name, *arguments)
        if address not in self.read:
            response = signed_in(study.owner).get(address)
            assert response.status_code == 200, (name, response.status_code)
            self.read[address] = response
        return self.read[address]

    def text(self, slug: str, name: str, *arguments: object) -> str:
        return self.page(slug, name, *arguments).content.decode()

    def release(self, slug: str) -> Path:
        return self.folder / "releases" / f"{self.study(slug).pk}-1.zip"

    def rows(self, slug: str, name: str) -> list[Row]:
        return read_tsv(self.release(slug), name)

    def tex(self, slug: str) -> str:
        return read_text(self.release(slug), "tables.tex")

    def table(self, slug: str, name: str) -> list[Row]:
        """One that a command wrote, of a study that has no release."""
        return tsv_rows((self.folder / f"tables-{slug}" / f"{name}.tsv").read_text("utf-8"))

    def measure(self, slug: str, name: str) -> Mapping[str, float]:
        """The values of one measure by item, as the page hands them out."""
        rows = tsv_rows(self.text(slug, "baseline_values"))
        return {row["id"]: float(row[name]) for row in rows if row[name]}

    # -- The raw data ---------------------------------------------------------------------------

    @cached_property
    def ratings(self) -> dict[str, dict[str, list[int]]]:
        """The ratings of each item, by study."""
        found: dict[str, dict[str, list[int]]] = {}
        for slug in (paper.THREE, paper.FIVE):
            of_item: dict[str, list[int]] = defaultdict(list)
            for row in self.rows(slug, "judgments.tsv"):
                if row["status"] == "counted":
                    of_item[row["item"]].append(int(float(row["rating"])))
            found[slug] = dict(of_item)
        return found

    def labels(self, slug: str) -> dict[str, int]:
        """The published label of each item, or the most frequent rating; ties have none."""
        if slug == paper.PUBLISHED:
            return {key: int(row["label"]) for key, row in self.texts(slug).items()}
        found = {}
        for item, ratings in self.ratings[slug].items():
            (first, n), *others = Counter(ratings).most_common()
            if not others or others[0][1] < n:
                found[item] = first
        return found

    def texts(self, slug: str) -> dict[str, Row]:
        """The imported file."""
        file = {paper.THREE: "answers", paper.FIVE: "five", paper.PUBLISHED: "published"}[slug]
        rows = tsv_rows((self.folder / f"{file}.tsv").read_text("utf-8"))
        return {row["id"]: row for row in rows}

    def f1(self, slug: str) -> dict[str, float]:
        return {
            key: squad_f1(row["target"], row["candidate"]) for key, row in self.texts(slug).items()
        }

    def subsets(self, slug: str) -> dict[str, list[str]]:
        """Keys of all pairs, and of those with an F1 of 0 and above it."""
        f1 = self.f1(slug)
        return {
            "all": list(f1),
            "f1_eq_0": [key for key, value in f1.items() if value == 0],
            "f1_ne_0": [key for key, value in f1.items() if value > 0],
        }

    def files(self, slug: str, name: str) -> tuple[list[Row], str]:
        """One table as TSV and the LaTeX that it stands in: of the release, where there is one."""
        if slug == paper.PUBLISHED:
            return self.table(slug, name), self.text(slug, "baseline_further", name, "tex")
        return self.rows(slug, f"{name}.tsv"), self.tex(slug)


def tsv_rows(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def squad_f1(first: str, second: str) -> float:
    """By plain loops: these texts have no punctuation."""
    words = [
        [word for word in text.lower().split() if word not in {"a", "an", "the"}]
        for text in (first, second)
    ]
    shared = sum((Counter(words[0]) & Counter(words[1])).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(words[0]), shared / len(words[1])
    return 2 * precision * recall / (precision + recall)


def correlations(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    return (
        float(np.corrcoef(x, y)[0, 1]),
        float(stats.spearmanr(x, y).statistic),
        float(stats.kendalltau(x, y).statistic),
    )


# -- The checks ---------------------------------------------------------------------------------


def table_1(made: Made) -> None:
    """Shares of the labels, lengths, and pairs with and without overlap, by set."""
    for slug in (paper.THREE, paper.PUBLISHED):
        labels, f1, texts = made.labels(slug), made.f1(slug), made.texts(slug)
        rows, tex = made.files(slug, "labelled_pairs")
        by_subset = {row["subset"]: row for row in rows}
        assert {"all", "source: encyclopedia", "source: news", "f1_eq_0", "f1_ne_0"} == set(
            by_subset
        )
        board = made.page(slug, "baselines").context["board"]
        shown = dict(zip(by_subset, [cells for _name, cells in board.labelled_pairs], strict=True))
        for subset, row in by_subset.items():
            keys = [
                key
                for key, item in texts.items()
                if subset == "all"
                or subset == f"source: {item['source']}"
                or subset == ("f1_ne_0" if f1[key] else "f1_eq_0")
            ]
            n_labelled = sum(key in labels for key in keys)
            assert (int(row["pairs"]), int(row["labelled"])) == (len(keys), n_labelled)
            shares = []
            for label in (0, 1, 2):
                n = sum(labels.get(key) == label for key in keys)
                shares.append(n / n_labelled)
                assert int(row[f"n_{label}"]) == n
                assert float(row[f"share_{label}"]) == pytest.approx(n / n_labelled)
            assert int(row["overlapping"]) == sum(f1[key] > 0 for key in keys)
            assert int(row["without_overlap"]) == sum(f1[key] == 0 for key in keys)
            both = [len(texts[key][side]) for key in keys for side in ("target", "candidate")]
            words = [
                len(texts[key][side].split()) for key in keys for side in ("target", "candidate")
            ]
            assert float(row["mean_characters_both"]) == pytest.approx(np.mean(both))
            assert float(row["mean_words_both"]) == pytest.approx(np.mean(words))
            assert [
                float(cell.removesuffix("\u00a0%")) for cell in shown[subset][2:5]
            ] == pytest.approx([100 * share for share in shares], abs=0.0501)
            assert f"{subset} & {len(keys)} & {n_labelled} &".replace("_", r"\_") in tex


def table_3(made: Made) -> None:
    """Correlations of every measure with the labels: all pairs, F1 = 0 and F1 > 0."""
    for slug in (paper.THREE, paper.FIVE, paper.PUBLISHED):
        labels, subsets = made.labels(slug), made.subsets(slug)
        if slug == paper.PUBLISHED:
            rows = tsv_rows((made.folder / f"board-{slug}.tsv").read_text("utf-8"))
            tex = (made.folder / f"board-{slug}.tex").read_text("utf-8")
        else:
            rows, tex = made.rows(slug, "leaderboard.tsv"), made.tex(slug)
        measures = list(dict.fromkeys(row["measure"] for row in rows))
        assert {"SQuAD F1", "BLEU-4", "ROUGE-L"} <= set(measures)
        assert any(name.startswith("METEOR") for name in measures)
        if slug == paper.THREE:
            assert set(paper.ENCODERS) <= set(measures)
        by_key = {(row["subset"], row["measure"]): row for row in rows}
        page = made.page(slug, "baselines")
        shown = {row.name: row for row in page.context["board"].rows}
        for measure in measures:
            values = made.measure(slug, measure)
            assert measure in tex.replace(r"\_", "_")
            for subset, of_subset in subsets.items():
                keys = [key for key in of_subset if key in labels and key in values]
                row = by_key[subset, measure]
                assert int(row["n"]) == len(keys)
                x, y = [labels[key] for key in keys], [values[key] for key in keys]
                if len(keys) < 3 or len(set(y)) < 2 or len(set(x)) < 2:
                    assert row["pearson"] == ""
                    assert row["reason"]
                    continue
                expected = correlations(x, y)
                found = [float(row[name]) for name in COEFFICIENTS]
                assert found == pytest.approx(expected, abs=1e-9), (slug, measure, subset)
                if subset == "all":
                    cells = [cell.value for cell in shown[measure].cells]
                    assert cells == pytest.approx(expected, abs=1e-9)
        # F1 itself is constant where it is 0: the paper prints 0, we print why.
        assert by_key["f1_eq_0", "SQuAD F1"]["reason"]


def measures_by_label(made: Made) -> None:
    """The scatter and the box plot of each measure against the labels."""
    for slug in (paper.THREE, paper.PUBLISHED):
        labels = made.labels(slug)
        rows, tex = made.files(slug, "measures_by_label")
        for one in made.study(slug).baselines.all():
            values = made.measure(slug, one.name)
            of_measure = [row for row in rows if row["measure"] == one.name]
            page = made.page(slug, "baseline", one.pk)
            assert [row["label"] for row in of_measure] == ["0", "1", "2"]
            for row, drawn in zip(of_measure, page.context["boxes"].data, strict=True):
                of_label = [
                    values[key] for key, label in labels.items() if label == int(row["label"])
                ]
                ends = np.quantile(of_label, (0, 0.25, 0.5, 0.75, 1))
                assert int(row["n"]) == len(of_label)
                assert float(row["mean"]) == pytest.approx(np.mean(of_label))
                assert float(row["sd"]) == pytest.approx(np.std(of_label, ddof=1))
                assert drawn[4:] == pytest.approx(list(ends))
            assert len(page.context["plot"].data) == len(labels)
        # The same two plots are drawn of every measure.
        for plot in ("boxes", "scatter"):
            assert made.page(slug, "baseline_plot", f"{plot}-{one.pk}", "tsv").content
        assert "quartile 1 & median & quartile 3" in tex


def discrepancies(made: Made) -> None:
    """Pairs on which a measure is sure of the opposite of the labels, by error category."""
    texts = made.texts(paper.PUBLISHED)
    expected = {}
    for key, row in texts.items():
        value, label = float(row["cross_encoder"]), int(row["label"])
        if value < 0.25 and label >= 2:
            expected[key] = "people"
        elif value > 0.75 and label <= 0:
            expected[key] = "measure"
    rows = made.rows(paper.REVIEW, "discrepancies.tsv")
    assert expected
    assert {row["item"]: row["higher"] for row in rows} == expected
    rule = "measure < 0.25 and people >= 2; measure > 0.75 and people <= 0"
    assert {row["rule"] for row in rows} == {rule}
    assert all(float(row["label"]) == int(texts[row["item"]]["label"]) for row in rows)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    people: dict[str, set[str]] = defaultdict(set)
    for row in made.rows(paper.REVIEW, "judgments.tsv"):
        if row["status"] == "counted":
            people[row["item"]].add(row["annotator"])
            votes[row["item"]].update(name for name in row["categories"].split("|") if name)
    names = made.study(paper.REVIEW).categories["names"]
    counts = {
        row["category"]: row for row in made.rows(paper.REVIEW, "discrepancy_categories.tsv")
    }
    table = dict(made.page(paper.REVIEW, "results").context["review"].counts.rows)
    tex = made.tex(paper.REVIEW)
    for name in names:
        chosen = [key for key in expected if votes[key][name] * 2 > len(people[key])]
        by_side = [sum(expected[key] == side for key in chosen) for side in ("people", "measure")]
        row = counts[name]
        assert [int(row["people_higher"]), int(row["measure_higher"])] == by_side
        assert int(row["all"]) == len(chosen)
        assert [int(table[name][0]), int(table[name][2]), int(table[name][4])] == [
            *by_side,
            len(chosen),
        ]
        assert f"{name} & {by_side[0]} &" in tex
    assert int(counts["(labelled items)"]["all"]) == len(expected)


def agreement(made: Made) -> None:
    """Krippendorff's alpha of three and of five raters, on the page and in the release."""
    for slug in (paper.THREE, paper.FIVE):
        ratings = made.ratings[slug]
        n_raters = 3 if slug == paper.THREE else 5
        assert {len(given) for given in ratings.values()} == {n_raters}
        expected = interval_alpha(list(ratings.values()))
        facts = json.loads(read_text(made.release(slug), "study.json"))
        summary = facts["statistics"]["phases"][0]["summary"]
        assert summary["alpha"]["interval"]["alpha"] == pytest.approx(expected, abs=1e-9)
        assert f"{expected:.3f}" in made.text(slug, "results")
        assert f"{expected:.3f}" in made.tex(slug)


def interval_alpha(units: Sequence[Sequence[int]]) -> float:
    """Krippendorff's alpha by its definition: squared differences within units and in all."""
    n = sum(len(unit) for unit in units)
    within = sum((a - b) ** 2 / (len(unit) - 1) for unit in units for a in unit for b in unit)
    every = [value for unit in units for value in unit]
    between = sum((a - b) ** 2 for a in every for b in every) / (n - 1)
    return 1 - within / between


@pytest.fixture
def made(tmp_path: Path, settings: LazySettings) -> Made:
    settings.DATA = tmp_path
    make_user("researcher", is_superuser=True)
    return Made(tmp_path)


def test_every_table_and_figure_of_answer_similarity(
    made: Made, subtests: pytest.Subtests
) -> None:
    for step in paper.steps(made.folder, 0.1):
        step.run()
        analyse()

    check_all(subtests, CHECKS, made)


# -- With models --------------------------------------------------------------------------------

MODELS = (
    "bi_encoder:bi-encoder",
    "bertscore:bi-encoder:layer=1",
    "bertscore:bi-encoder:idf=true",
    "cross_encoder:cross-encoder",
    "cross_encoder:cross-encoder:order=both",
)


def models_beside_labels(made: Made) -> None:
    """Bi-encoder, BERTScore, with idf, and the cross-encoder, in both orders."""
    labels = made.labels(paper.PUBLISHED)
    rows = tsv_rows((made.folder / "board.tsv").read_text("utf-8"))
    by_measure = {row["measure"]: row for row in rows if row["subset"] == "all"}
    kinds = Counter(one.measure for one in made.study(paper.PUBLISHED).baselines.all())
    assert (kinds["bi_encoder"], kinds["bertscore"], kinds["cross_encoder"]) == (1, 2, 2)
    page = {row.name: row for row in made.page(paper.PUBLISHED, "baselines").context["board"].rows}
    for name, row in by_measure.items():
        values = made.measure(paper.PUBLISHED, name)
        if len(set(values.values())) == 1:
            assert row["reason"]
            continue
        expected = correlations([labels[key] for key in values], list(values.values()))
        assert [float(row[one]) for one in COEFFICIENTS] == pytest.approx(expected, abs=1e-9)
        assert [cell.value for cell in page[name].cells] == pytest.approx(expected, abs=1e-9)
    assert any("idf" in name for name in by_measure)
    assert any("both orders" in name for name in by_measure)


def figure_3(made: Made) -> None:
    """BERTScore by layer, by overlap: the page, TSV, LaTeX; each layer computed alone."""
    labels = made.labels(paper.PUBLISHED)
    one = next(
        b
        for b in made.study(paper.PUBLISHED).baselines.filter(measure="bertscore")
        if "layer" in b.settings
    )
    # A model's layers are those of each setting, named without the layer that was asked for.
    table = made.table(paper.PUBLISHED, "layers")
    name = one.name.replace(", layer 1", "")
    assert {row["measure"] for row in table} == {name, f"{name}, idf"}
    assert len({(row["measure"], row["subset"], row["layer"]) for row in table}) == len(table)
    rows = {(row["subset"], int(row["layer"])): row for row in table if row["measure"] == name}
    values = made.measure(paper.PUBLISHED, one.name)
    plots = made.page(paper.PUBLISHED, "baselines").context["layer_plots"]
    plot = next(plot for plot in plots if plot.key == f"layers-{one.pk}")
    tex = made.text(paper.PUBLISHED, "baseline_further", "layers", "tex")
    assert {layer for _subset, layer in rows} == {0, 1, 2, 3}
    for subset, keys in made.subsets(paper.PUBLISHED).items():
        # The values that are kept are those of layer 1.
        expected = correlations([labels[key] for key in keys], [values[key] for key in keys])
        row = rows[subset, 1]
        assert int(row["n"]) == len(keys)
        assert [float(row[name]) for name in COEFFICIENTS] == pytest.approx(expected, abs=1e-6)
    assert plot.data[1][1] == pytest.approx(float(rows["all", 1]["pearson"]))
    assert rf"\caption{{{name}: Pearson" in tex.replace(r"\_", "_")
    assert tex.count(r" \\") >= 2 * 5


def training_table(made: Made) -> None:
    """A bi-encoder trained on pairs that people and a cross-encoder labelled."""
    study = made.study(paper.PUBLISHED)
    [training] = study.trainings.all()
    [row] = tsv_rows(made.text(paper.PUBLISHED, "baseline_further", "trainings", "tsv"))
    assert (row["kind"], row["name"], row["runs"]) == ("bi_encoder", "augmented", "2")
    known = {(one["target"], one["candidate"]) for one in made.texts(paper.PUBLISHED).values()}
    further = tsv_rows((made.folder / "further.tsv").read_text("utf-8"))
    n_new = sum((one["target"], one["candidate"]) not in known for one in further)
    assert int(row["n_labelled"]) == n_new
    assert int(row["n_train"]) > n_new
    assert int(row["n_test"]) == math.floor(study.items.count() / 2)
    over_runs = list(training.figures["tests"].values())
    assert float(row["pearson"]) == pytest.approx(over_runs[0]["pearson"]["mean"])
    tex = made.text(paper.PUBLISHED, "baseline_further", "trainings", "tex")
    assert "augmented & bi-encoder &" in tex
    assert "augmented" in made.text(paper.PUBLISHED, "trainings")


def test_what_models_find_in_answer_similarity(
    made: Made,
    subtests: pytest.Subtests,
    prepared: None,  # noqa: F811 - the fixture
    settings: LazySettings,
) -> None:
    settings.MODELS = made.folder / "models"
    make_bert(settings.MODELS / "bi-encoder")
    make_bert(settings.MODELS / "cross-encoder", n_labels=1)
    paper.write_files(made.folder, 0.1)
    for step in paper.published(made.folder):
        step.run()
        analyse()

    models = [word for model in MODELS for word in ("--model", model)]
    files = (
        "--tsv",
        f"{made.folder}/board.tsv",
        "--tables",
        f"{made.folder}/tables-published",
    )
    people = ("--people", "column:label", "--by", "f1_zero", "--resamples", "20")
    call_command("baseline", paper.PUBLISHED, *models, *people, *files)
    paper.train(made.folder, labeller="cross-encoder", start="bi-encoder")

    check_all(subtests, CHECKS_OF_MODELS, made)


# -- The published data -------------------------------------------------------------------------


def test_published_answer_pairs_have_the_figures_of_the_paper(
    made: Made, subtests: pytest.Subtests
) -> None:
    """Tables 1 and 3 of GermanQuAD, with the values of the paper's own measures in columns.

    A study of imported values may have a pair twice, as the table does. Two of its rows have no
    texts and no label, and are left out.
    """
    if not PUBLISHED_DATA.exists():
        pytest.skip("the published answer pairs (shared/data) are not beside this checkout")
    expected = json.loads((PUBLISHED_DATA / "germanquad_expected.json").read_text("utf-8"))
    with (PUBLISHED_DATA / "germanquad.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["answer1"]]
    measures = list(expected["correlations_with_label"]["all"])[1:]
    with (made.folder / "germanquad.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", "target", "candidate", "label"])
        writer.writerows([f"q{r['id']}", r["answer1"], r["answer2"], r["label"]] for r in rows)
    with (made.folder / "values.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["id", *measures])
        writer.writerows([f"q{r['id']}", *(r[name] for name in measures)] for r in rows)
    create = (
        "--create",
        "--imported",
        "--title",
        "G",
        "--preset",
        "answer-similarity",
        "--owner",
        "researcher",
    )
    call_command("import_items", "germanquad", made.folder / "germanquad.tsv", *create)
    study = made.study("germanquad")
    with (made.folder / "values.tsv").open("rb") as file:
        sent = signed_in(study.owner).post(url(study, "baseline_upload"), {"file": file})
    assert sent.status_code == 302
    files = ("--tsv", f"{made.folder}/board.tsv", "--tables", str(made.folder))
    people = ("--people", "column:label", "--by", "f1_zero", "--resamples", "0")
    call_command("baseline", "germanquad", *people, *files)

    board = {
        (row["subset"], row["measure"]): row
        for row in tsv_rows((made.folder / "board.tsv").read_text("utf-8"))
    }
    labelled = [row for row in rows if row["label"]]
    for subset, of_measures in expected["correlations_with_label"].items():
        of_subset = [
            row
            for row in labelled
            if subset == "all" or (float(row["f1"]) == 0) == (subset == "f1_eq_0")
        ]
        labels = [int(row["label"]) for row in of_subset]
        for measure in measures:
            with subtests.test(f"Table 3: {measure}, {subset}"):
                row = board[subset, measure]
                assert of_measures["n"] == int(row["n"]) == len(of_subset)
                if of_measures[measure]["pearson"] is None:
                    assert row["reason"]
                    continue
                found = [float(row[name]) for name in COEFFICIENTS]
                values = [float(one[measure]) for one in of_subset]
                assert found == pytest.approx(correlations(labels, values), abs=1e-9)
                printed = [of_measures[measure][name] for name in COEFFICIENTS]
                assert found == pytest.approx(printed, abs=0.0005001)
    with subtests.test("Table 1: GermanQuAD"):
        of_all = tsv_rows((made.folder / "labelled_pairs.tsv").read_text("utf-8"))[0]
        shares = [100 * float(of_all[f"share_{label}"]) for label in (0, 1, 2)]
        # Printed are 27.3, 51.5 and 21.1 % of 423 pairs, and 124 without overlap.
        assert shares == pytest.approx([27.3, 51.5, 21.1], abs=0.3)
        assert int(of_all["without_overlap"]) == sum(float(row["f1"]) == 0 for row in rows)
