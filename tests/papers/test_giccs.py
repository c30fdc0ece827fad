"""GiCCS at a tenth of its size: every table and figure of the paper, and where it is found.

What the paper draws or prints, with what else this kind of study has. Each is looked for on a
page, in a TSV file and in LaTeX, and compared with figures that are computed here from the answers
as they were exported. Left out is nothing; Figure 1 is a picture of the annotator's page, so that
there is no LaTeX of it.
"""

import csv
import io
import json
import math
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, partial
from html import unescape
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import simplemma
from django.conf import LazySettings
from scipy import stats

from annotation.models import Study
from annotation.simulation.browser import Page
from benchmarks.papers import giccs
from tests.papers.checking import Check, check_all, read_text, read_tsv
from tests.papers.on_pages import answer_through_pages
from tests.scoring.neural.conftest import packages, prepared  # noqa: F401 - fixtures
from tests.scoring.neural.language_models import save_tiny_language_model
from tests.scoring.neural.making import make_bert
from tests.support.factories import make_user
from tests.support.researcher_pages import signed_in, url
from tests.support.tables import analyse

# Every table and figure, and what looks for it; the functions follow below.
CHECKS: dict[str, Check] = {
    "Figure 1: a screen with two dialogues and their candidates": lambda made: figure_1(made),
    "Table 1: alpha and strong agreement by source and number of turns": lambda made: table_1(
        made
    ),
    "Table 2: lexical statistics by source and number of turns": lambda made: table_2(made),
    "Table 3: split-half reliability by source and number of turns": lambda made: table_3(made),
    "The scores of the data set": lambda made: scores(made),
    "The distribution of scores in steps of .2": lambda made: distribution(made),
    "Table 4: scores that experts contradict": lambda made: table_4(made),
    "Correlations with encoders, with and without the dialogue": lambda made: correlations(made),
    "Rankings within a dialogue": lambda made: rankings(made),
}
CHECKS_OF_MODELS: dict[str, Check] = {
    "Figure 2: the prompt of multiple choice": lambda made: figure_2(made),
    "Correlations with sentence encoders, with and without the dialogue": lambda made: (
        correlations_of_models(made)
    ),
    "Table 6: multiple choice, with and without the dialogue": lambda made: table_6(made),
}

pytestmark = pytest.mark.django_db

SOURCES, TURNS = ("geschrieben", "gesprochen"), ("3", "5")
Row = dict[str, str]


@dataclass
class Made:
    """What came of the steps: files of the release, and pages of the researcher."""

    folder: Path
    # Pages that annotators were shown.
    seen: list[Page] = field(default_factory=list)
    # What a page said, by its address: nothing changes any more.
    read: dict[str, str] = field(default_factory=dict)

    @cached_property
    def study(self) -> Study:
        return Study.objects.get(slug=giccs.STUDY)

    @cached_property
    def check(self) -> Study:
        return Study.objects.get(slug=giccs.CHECK)

    def page(self, name: str, *arguments: object, of: Study | None = None) -> str:
        study = of or self.study
        address = url(study, name, *arguments)
        if address not in self.read:
            response = signed_in(study.owner).get(address)
            assert response.status_code == 200, name
            self.read[address] = response.content.decode()
        return self.read[address]

    def release(self, study: Study) -> Path:
        return self.folder / "releases" / f"{study.pk}-1.zip"

    def rows(self, name: str, of: Study | None = None) -> list[Row]:
        return read_tsv(self.release(of or self.study), name)

    def tex(self, name: str = "tables.tex", of: Study | None = None) -> str:
        return read_text(self.release(of or self.study), name)

    # -- The raw data, as they were exported ----------------------------------------------------

    @cached_property
    def answers(self) -> list[Row]:
        return [row for row in self.rows("judgments.tsv") if row["status"] == "counted"]

    @cached_property
    def items(self) -> dict[str, Row]:
        return {row["id"]: row for row in self.rows("items.tsv")}

    @cached_property
    def slots(self) -> dict[str, list[str]]:
        """The items of each tuple in their stored order."""
        return {
            row["tuple"]: [row[f"item{n}"] for n in (1, 2, 3)] for row in self.rows("tuples.tsv")
        }

    @cached_property
    def place(self) -> dict[str, tuple[str, str]]:
        """Source and number of turns of each item."""
        return {
            key: (row["source"], str(row["dialogue_json"].count('"text":')))
            for key, row in self.items.items()
        }

    def answers_of(self, source: str, turns: str) -> list[Row]:
        """Of one cell, or of a margin where either is empty."""
        return [
            row
            for row in self.answers
            for place in [self.place[row["best"]]]
            if source in {"", place[0]} and turns in {"", place[1]}
        ]

    @cached_property
    def scores(self) -> dict[str, float]:
        return {key: (score + 1) / 2 for key, score in counted(self.answers, self.slots).items()}

    def crossing(self, statistic: str) -> dict[tuple[str, str], float]:
        """A statistic as the release's table has it, by source and turns."""
        return {
            (row["source"], row["turns"]): float(row["value"])
            for row in self.rows("statistics_by_source_and_turns.tsv")
            if row["statistic"] == statistic and not row["part"].startswith("mean")
        }

    def mean_of_cells(self, statistic: str) -> float:
        [found] = [
            float(row["value"])
            for row in self.rows("statistics_by_source_and_turns.tsv")
            if (row["statistic"], row["part"]) == (statistic, "mean_of_cells")
        ]
        return found


def counted(answers: Sequence[Row], slots: dict[str, list[str]]) -> dict[str, float]:
    """Times best less times worst, by appearances."""
    shown, net = Counter[str](), Counter[str]()
    for row in answers:
        shown.update(slots[row["tuple"]])
        net[row["best"]] += 1
        net[row["worst"]] -= 1
    return {item: net[item] / n for item, n in shown.items()}


def by_tuple(answers: Sequence[Row]) -> dict[str, list[Row]]:
    found = defaultdict(list)
    for row in answers:
        found[row["tuple"]].append(row)
    return found


def latex_rows(text: str, caption: str) -> list[list[str]]:
    """The cells of the table whose caption begins so."""
    _before, _mark, after = text.partition(rf"\caption{{{caption}")
    assert after, caption
    body = after.partition(r"\end{tabular}")[0]
    return [
        _unescaped(line.strip().removesuffix(r"\\").strip()).split(" & ")
        for line in body.splitlines()
        if line.endswith(r"\\")
    ]


def _unescaped(row: str) -> str:
    return row.replace(r"\%", "%").replace("$-$", "-").replace("{[}", "[")


def page_rows(page: str, mark: str, end: str = "</tbody>") -> list[list[str]]:
    """The cells of the rows between a mark and the end of that part of a table."""
    _before, found, after = page.partition(mark)
    assert found, mark
    return [
        [
            " ".join(re.sub(r"<[^>]*>", " ", cell).split()).replace("−", "-")
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", after.partition(end)[0], re.DOTALL)
    ]


def look_for(made: Made, statistic: str, caption: str, write: Callable[[float], str]) -> None:
    """A statistic by source and turns: the same on the results page, in TSV and in LaTeX."""
    table = made.crossing(statistic)
    expected = [
        [write(table[source, turns]) for turns in (*TURNS, "")] for source in (*SOURCES, "")
    ]
    # Below them stands the mean of the cells.
    mean = ["", "", write(made.mean_of_cells(statistic))]

    _title, *shown = page_rows(made.page("results"), f'data-statistic="{statistic}"')
    _head, *printed = latex_rows(made.tex("statistics_by_source_and_turns.tex"), caption)

    assert [without_intervals(row[1:]) for row in shown] == [*expected, mean]
    assert [without_intervals(row[1:]) for row in printed] == [*expected, mean]
    cells = [table[source, turns] for source in SOURCES for turns in TURNS]
    assert made.mean_of_cells(statistic) == pytest.approx(sum(cells) / 4, abs=1e-12)


def without_intervals(cells: list[str]) -> list[str]:
    """The paper prints none: the figures alone."""
    return [cell.partition(" [")[0] for cell in cells]


def three(value: float, digits: int = 3) -> str:
    """A half is rounded away from 0."""
    exact = Decimal(repr(float(value)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"


def share(value: float) -> str:
    exact = 100 * Decimal(repr(float(value)))
    return f"{exact.quantize(Decimal('.1'), ROUND_HALF_UP):f} %"


# -- Figure 1 -----------------------------------------------------------------------------------


def figure_1(made: Made) -> None:
    """Two dialogues a screen, one of three and one of five turns, with three candidates each."""
    screens = [
        page for page in made.seen if sum("-best" in n for f in page.forms for n in f.radios)
    ]
    assert screens
    by_text = {row["candidate"]: key for key, row in made.items.items()}
    for page in screens[:20]:
        form = next(form for form in page.forms if form.radios)
        shown = [key for text, key in by_text.items() if text in unescape(page.text)]
        pools = {made.items[key]["pool"] for key in shown}
        lengths = sorted(made.place[f"{pool}-1"][1] for pool in pools)
        assert lengths == ["3", "5"]
        questions = [name for name in form.radios if name.endswith("-best")]
        assert [len(form.radios[name]) for name in questions] == [3, 3]
        for pool in pools:
            for turn in _turns(made.items[f"{pool}-1"]):
                assert turn in unescape(page.text)


def _turns(row: Row) -> list[str]:
    return [turn["text"] for turn in json.loads(row["dialogue_json"])]


# -- Table 1 ------------------------------------------------------------------------------------


def table_1(made: Made) -> None:
    """Krippendorff's alpha and strong agreement of each source and number of turns."""
    values: dict[str, Callable[[Row], object]] = {
        "best": lambda row: made.slots[row["tuple"]].index(row["best"]),
        "worst": lambda row: made.slots[row["tuple"]].index(row["worst"]),
    }
    values["joint"] = lambda row: (values["best"](row), values["worst"](row))
    called = {"best": "best", "worst": "worst", "joint": "best and worst together"}
    for on, value in values.items():
        found = made.crossing(f"alpha.{on}.slot")
        for source, turns in found:
            expected = nominal_alpha(made.answers_of(source, turns), value)
            assert found[source, turns] == pytest.approx(expected, abs=1e-10)
        look_for(made, f"alpha.{on}.slot", f"Alpha, {called[on]}, slot coding", three)
    for on in ("best", "worst"):
        found = made.crossing(f"strong_agreement.{on}")
        for source, turns in found:
            groups = by_tuple(made.answers_of(source, turns)).values()
            most = [max(Counter(row[on] for row in rows).values()) for rows in groups]
            assert found[source, turns] == pytest.approx(sum(n >= 4 for n in most) / len(most))
        look_for(made, f"strong_agreement.{on}", f"Strong agreement, {on}", share)


def nominal_alpha(answers: Sequence[Row], value: Callable[[Row], object]) -> float:
    """Pair by pair: within tuples what disagrees, over all answers what chance would give."""
    totals: Counter[object] = Counter()
    disagreement, n = 0.0, 0
    for rows in by_tuple(answers).values():
        said = [value(row) for row in rows]
        if len(said) < 2:
            continue
        totals.update(said)
        n += len(said)
        differ = sum(one != other for one, other in combinations(said, 2))
        disagreement += 2 * differ / (len(said) - 1)
    expected = n * n - sum(count * count for count in totals.values())
    return 1 - (n - 1) * disagreement / expected


# -- Table 2 ------------------------------------------------------------------------------------


def table_2(made: Made) -> None:
    """Turns, tokens, lemmas, RTTR and MTLD of the dialogues by source and number of turns."""
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    # Cell after cell, which MTLD of all of them depends on.
    for key, row in sorted(made.items.items(), key=lambda item: (made.place[item[0]], item[0])):
        if key.endswith("-1"):
            for place in {(s, t) for s in (row["source"], "") for t in (made.place[key][1], "")}:
                texts[place] += _turns(row)
    rows = {
        (row["source"], row["turns"]): row
        for row in made.rows("lexical.tsv")
        if row["part"] == "contexts"
    }
    shown = {row[0]: row[1:] for row in page_rows(made.page("items"), 'data-lexical="contexts"')}
    printed = {row[0]: row[1:] for row in latex_rows(made.tex(), "Lexical statistics of the cont")}

    assert set(rows) == set(texts)
    for (source, turns), turns_of_place in texts.items():
        row = rows[source, turns]
        words = [word for turn in turns_of_place for word in words_of(turn)]
        n_tokens = sum(len(turn.split()) for turn in turns_of_place)
        assert int(row["n_turns"]) == len(turns_of_place)
        assert int(row["n_tokens"]) == n_tokens
        assert float(row["rttr"]) == pytest.approx(len(set(words)) / math.sqrt(len(words)))
        assert float(row["mtld"]) == pytest.approx(mtld(words))
        assert int(row["n_lemmas"]) == len(lemmas_of(turns_of_place))
        label = f"{source or 'all'}, {turns or 'all'}" if source or turns else "all"
        figures = [
            row["n_texts"],
            str(len(turns_of_place)),
            f"{n_tokens:,}",
            three(n_tokens / len(turns_of_place), 1),
            row["n_lemmas"],
            *(three(float(row[name]), 2) for name in ("rttr", "mtld", "mean_rttr", "mean_mtld")),
        ]
        assert shown[label] == figures
        assert printed[label] == figures


def words_of(text: str) -> list[str]:
    plain = "".join(one for one in text.lower() if not one.isdigit() and one != "-")
    for mark in string.punctuation:
        plain = plain.replace(mark, " ")
    return plain.split()


def lemmas_of(turns: Sequence[str]) -> set[str]:
    """What simplemma finds of each word, with its capital letter where German has one."""
    edges = string.punctuation + "„“”‚‘’…–"
    words = (token.strip(edges) for turn in turns for token in turn.split())
    found = {simplemma.lemmatize(word, lang="de") for word in words if word}
    return {lemma for lemma in found if any(map(str.isalpha, lemma))}


def mtld(words: Sequence[str]) -> float:
    def one_way(read: Sequence[str]) -> float:
        factors, start = 0.0, 0
        for end in range(1, len(read) + 1):
            if len(set(read[start:end])) / (end - start) <= 0.72:
                factors, start = factors + 1, end
        if start < len(read):
            factors += (1 - len(set(read[start:])) / (len(read) - start)) / 0.28
        return len(read) / factors

    return (one_way(words) + one_way(words[::-1])) / 2


# -- Table 3 ------------------------------------------------------------------------------------


def table_3(made: Made) -> None:
    """Split-half reliability: GiCCS's rule and that of the reference programs."""
    rng = np.random.default_rng(3)
    n_here, n_there = 60, 100
    table = made.rows("statistics_by_source_and_turns.tsv")
    for rule, called in (("random", "random halves"), ("fixed", "as in GiCCS")):
        for name, coefficient in (("Spearman", stats.spearmanr), ("Pearson", stats.pearsonr)):
            statistic = f"split_half.{rule}.{name.lower()}"
            for row in table:
                if row["statistic"] != statistic or row["part"] not in {"cell", "all"}:
                    continue
                tuples = list(by_tuple(made.answers_of(row["source"], row["turns"])).values())
                values = [
                    float(coefficient(*halves(tuples, made.slots, rule, rng))[0])
                    for _ in range(n_here)
                ]
                error = float(row["sd"]) * math.sqrt(1 / n_here + 1 / n_there)
                assert abs(np.mean(values) - float(row["value"])) < 5 * error, row
            caption = f"Split-half reliability, {called}, {name}"
            look_for(made, statistic, caption, three)


def halves(
    tuples: Sequence[list[Row]], slots: dict[str, list[str]], rule: str, rng: np.random.Generator
) -> tuple[list[float], list[float]]:
    first: list[Row] = []
    second: list[Row] = []
    for rows in tuples:
        order = rng.permutation(len(rows)).tolist()
        n_first = len(rows) // 2
        if rule == "random" and len(rows) % 2:
            n_first += int(rng.integers(2))
        first += [rows[n] for n in order[:n_first]]
        second += [rows[n] for n in order[n_first:]]
    one, other = counted(first, slots), counted(second, slots)
    return [one[key] for key in one], [other[key] for key in one]


# -- The scores ---------------------------------------------------------------------------------


def scores(made: Made) -> None:
    assert len(made.answers) == 400
    for key, row in made.items.items():
        assert float(row["rescaled"]) == pytest.approx(made.scores[key], abs=1e-12)


def distribution(made: Made) -> None:
    """In steps of .2; a step has its lower end, the last one both."""
    # In whole thirtieths of answers, so that no score falls beside its step.
    counts = [0] * 5
    for value in made.scores.values():
        counts[min(round(value * 60) // 12, 4)] += 1
    n = len(made.scores)

    rows = made.rows("score_distribution.tsv")
    assert [int(row["items"]) for row in rows] == counts
    assert [float(row["share"]) for row in rows] == pytest.approx([one / n for one in counts])
    printed = latex_rows(made.tex("score_distribution.tex"), "Items by score")[1:]
    assert printed == [
        [f"{k / 5:.1f} to {(k + 1) / 5:.1f}", str(one), share(one / n)]
        for k, one in enumerate(counts)
    ]
    assert url(made.study, "result_table", "score_distribution", "tex") in made.page("results")
    drawn = list(
        csv.reader(io.StringIO(made.page("plot", "rescaled-scores", "tsv")), delimiter="\t")
    )
    assert [int(row[-1]) for row in drawn[1:]] == counts


# -- Table 4 ------------------------------------------------------------------------------------


def table_4(made: Made) -> None:
    """Scores that two experts, who do not see them, contradict."""
    above, below = made.check.categories["names"]
    votes: dict[str, list[str]] = defaultdict(list)
    for row in made.rows("judgments.tsv", made.check):
        votes[row["item"]].append(row["categories"])
    assert {len(said) for said in votes.values()} == {2}
    contradicted, n = [], 0
    for key, said in votes.items():
        n_above, score = said.count(above), made.scores[key]
        if said.count(below) == n_above or abs(score - 0.5) < 1e-9:
            continue
        n += 1
        if (n_above == 2) != (score > 0.5):
            contradicted.append(key)
    contradicted.sort(key=lambda key: -abs(made.scores[key] - 0.5))
    assert contradicted

    rows = made.rows("expert_check.tsv", made.check)
    listed = [row["item"] for row in rows if row["status"] == "contradicted"]
    distances = [abs(made.scores[key] - 0.5) for key in listed]
    assert sorted(listed) == sorted(contradicted)
    assert distances == sorted(distances, reverse=True)
    page = made.page("results", of=made.check)
    shown = page_rows(
        page.partition("Scores that the experts contradict")[2], '<tbody role="rowgroup">'
    )
    assert [row[0].split()[0] for row in shown if len(row) > 4] == listed
    assert f"{len(contradicted)} of {n}." in page
    tex = made.tex(of=made.check)
    printed = latex_rows(tex, "Scores that the experts contradict")
    assert printed[1][:4] == ["all", str(n), str(len(contradicted)), share(len(contradicted) / n)]
    [of_all, *_parts] = made.rows("expert_check_shares.tsv", made.check)
    assert (of_all["items"], of_all["contradicted"]) == (str(n), str(len(contradicted)))
    methods = made.tex("METHODS.md", of=made.check)
    assert made.study.title in methods
    assert f"contradict {len(contradicted)} of {n} scores" in methods
    items = latex_rows(tex, "Items whose score the experts contradict")[1:]
    assert [row[0] for row in items] == listed
    assert [row[3] for row in items] == [three(float(row["score"])) for row in rows[: len(listed)]]


# -- Measures -----------------------------------------------------------------------------------


def correlations(made: Made) -> None:
    """Encoders with and without the dialogue: Pearson and Spearman, also by number of turns."""
    expect_correlations(made, giccs.ENCODERS)


def expect_correlations(made: Made, names: Sequence[str]) -> None:
    values = {row["id"]: row for row in made.rows("baselines.tsv")}
    rows = {(row["subset"], row["measure"]): row for row in made.rows("leaderboard.tsv")}
    tex = made.tex()
    for subset, place in (("all", None), ("turns: 3", "3"), ("turns: 5", "5")):
        keys = [key for key in made.items if place in {None, made.place[key][1]}]
        printed = {
            row[0]: row[1:]
            for row in latex_rows(tex, f"Correlation of measures with people's scores, {subset}.")
        }
        for name in names:
            said = [float(values[key][name]) for key in keys]
            people = [made.scores[key] for key in keys]
            pearson, spearman = stats.pearsonr(said, people)[0], stats.spearmanr(said, people)[0]
            row = rows[subset, name]
            assert float(row["pearson"]) == pytest.approx(pearson, abs=1e-10)
            assert float(row["spearman"]) == pytest.approx(spearman, abs=1e-10)
            # Rounded from the same digits: both may end with a 5.
            pearson, spearman = float(row["pearson"]), float(row["spearman"])
            assert int(printed["$n$"][0]) == len(keys)
            heads = printed["measure"]
            places = [
                next(n for n, head in enumerate(heads) if head.startswith(coefficient))
                for coefficient in ("Pearson", "Spearman")
            ]
            cells = [printed[name][place].replace("$-$", "-") for place in places]
            said_there = [re.findall(r"-?\d\.\d{3}", cell)[0] for cell in cells]
            assert said_there == [three(pearson), three(spearman)]
            if subset == "all":
                shown = page_rows(made.page("baselines"), 'id="leaderboard-title"')
                [on_page] = [
                    cells
                    for cells in shown
                    if re.sub(" (best|not shown to be worse)$", "", cells[0]) == name
                ]
                for figure in (three(pearson), three(spearman)):
                    assert any(cell.startswith(figure) for cell in on_page[2:])


def rankings(made: Made) -> None:
    """Precision at 1, NDCG and Spearman within each dialogue."""
    values = {row["id"]: row for row in made.rows("baselines.tsv")}
    pools: dict[str, list[str]] = defaultdict(list)
    for key, row in made.items.items():
        pools[row["pool"]].append(key)
    lowest = min(made.scores.values())
    rows = {(row["subset"], row["measure"]): row for row in made.rows("within_pools.tsv")}
    printed = {
        row[0]: row[1:] for row in latex_rows(made.tex(), "Ranking of the items of each pool")
    }
    shown = {
        row[0]: row[1:]
        for row in page_rows(made.page("baselines"), 'aria-labelledby="within-pools-title"')
    }
    for name in giccs.ENCODERS:
        figures: dict[str, list[float]] = defaultdict(list)
        for keys in pools.values():
            order = sorted(keys, key=lambda key: -float(values[key][name]))
            people = [made.scores[key] for key in order]
            gains = [score - lowest for score in people]
            figures["precision_at_1"].append(float(people[0] == max(people)))
            figures["ndcg"].append(dcg(gains) / dcg(sorted(gains, reverse=True)))
            said = [float(values[key][name]) for key in order]
            figures["spearman"].append(float(stats.spearmanr(said, people)[0]))
        row = rows["all", name]
        cells = []
        for figure, of_pools in figures.items():
            mean, error = np.mean(of_pools), stats.sem(of_pools)
            assert float(row[figure]) == pytest.approx(mean, abs=1e-10)
            assert float(row[f"{figure}_standard_error"]) == pytest.approx(error, abs=1e-10)
            cells.append(
                (three(float(row[figure])), three(float(row[f"{figure}_standard_error"])))
            )
        for row, form in ((printed[name], "{} ({})"), (shown[name], "{} ± {}")):
            written = [form.format(*cell) for cell in cells]
            assert row == [str(len(pools)), *written[:2], str(len(pools)), written[2]]


def dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


# -- With models --------------------------------------------------------------------------------

CAUSAL = "multiple_choice:causal:style=giccs:likelihood=sum:shuffles=1"
MODELS = (
    "bi_encoder:bi-encoder",
    "bi_encoder:bi-encoder:context=front",
    CAUSAL,
    f"{CAUSAL}:with_dialogue=false",
    CAUSAL.replace("style=giccs:", ""),
)
CHOOSING = (
    "Multiple choice causal, GiCCS prompt, sum, with dialogue, shuffles 1",
    "Multiple choice causal, GiCCS prompt, sum, without dialogue, shuffles 1",
    "Multiple choice causal, sum, with dialogue, shuffles 1",
)


def figure_2(made: Made) -> None:
    """The prompt: numbered turns, then candidates after A., B.; and ours beside it."""
    prompts = {row["model"]: row for row in made.rows("prompts.tsv")}
    assert list(prompts) == list(CHOOSING)
    first = made.items["d01-1"]
    turns = _turns(first)
    candidates = [row["candidate"] for row in made.items.values() if row["pool"] == "d01"]
    lines = prompts[CHOOSING[0]]["prompt"].splitlines()
    assert lines[1:4] == [f"{n}. {turn}" for n, turn in enumerate(turns, start=1)]
    listed = [line for line in lines if re.match(r"[A-E]\. ", line)]
    assert [line[:2] for line in listed] == ["A.", "B.", "C.", "D.", "E."]
    assert sorted(line[3:] for line in listed) == sorted(candidates)
    assert turns[0] not in prompts[CHOOSING[1]]["prompt"]
    assert "A. " not in prompts[CHOOSING[2]]["prompt"]
    for name in CHOOSING:
        one = made.study.baselines.get(name=name)
        assert prompts[name]["prompt"] in unescape(made.page("baseline", one.pk))
        assert rf"\caption{{Prompt of the first dialogue: {name}.}}" in made.tex()
    assert rf"1. {turns[0]}\\" in made.tex()


def table_6(made: Made) -> None:
    """Accuracy with its standard error over dialogues, by number of turns, for each prompt."""
    values = {row["id"]: row for row in made.rows("baselines.tsv")}
    pools: dict[str, list[str]] = defaultdict(list)
    for key, row in made.items.items():
        pools[row["pool"]].append(key)
    rows = {(row["model"], row["subset"]): row for row in made.rows("choices.tsv")}
    printed = {
        tuple(row[:2]): row[2:] for row in latex_rows(made.tex(), "Multiple choice: accuracy of")
    }
    shown = {
        tuple(row[:2]): row[2:]
        for row in page_rows(made.page("baselines"), 'aria-labelledby="choices-title"')
    }
    for name in CHOOSING:
        for subset, turns in (("all", None), ("3 turns", "3"), ("5 turns", "5")):
            right = []
            for keys in pools.values():
                if turns in {None, made.place[keys[0]][1]}:
                    chosen = max(keys, key=lambda key: float(values[key][name]))
                    best = max(made.scores[key] for key in keys)
                    right.append(float(made.scores[chosen] == pytest.approx(best, abs=1e-9)))
            n, accuracy = len(right), sum(right) / len(right)
            error = math.sqrt(sum((one - accuracy) ** 2 for one in right) / (n - 1) / n)
            row = rows[name, subset]
            assert (int(row["dialogues"]), float(row["right"])) == (n, sum(right))
            assert float(row["accuracy"]) == pytest.approx(accuracy, abs=1e-12)
            assert float(row["standard_error"]) == pytest.approx(error, abs=1e-12)
            assert shown[name, subset][:3] == [str(n), three(accuracy), three(error)]
            assert printed[name, subset][2:4] == [three(accuracy), three(error)]


def correlations_of_models(made: Made) -> None:
    expect_correlations(made, ("Bi-encoder bi-encoder", "Bi-encoder bi-encoder, context in front"))


@pytest.fixture
def made(tmp_path: Path, settings: LazySettings) -> Made:
    settings.DATA = tmp_path
    make_user("researcher", is_superuser=True)
    return Made(tmp_path)


def test_every_table_and_figure_of_giccs(made: Made, subtests: pytest.Subtests) -> None:
    answer = partial(answer_through_pages, seen=made.seen)

    for step in giccs.steps(made.folder, 0.1, answer):
        step.run()
        analyse()

    check_all(subtests, CHECKS, made)


def test_what_language_models_find_in_giccs(
    made: Made,
    subtests: pytest.Subtests,
    prepared: None,  # noqa: F811 - the fixture
    settings: LazySettings,
) -> None:
    settings.MODELS = made.folder / "models"
    make_bert(settings.MODELS / "bi-encoder")
    # It reads whole dialogues, one byte after the other.
    save_tiny_language_model(settings.MODELS / "causal", window=2048)
    for step in giccs.until_scored(made.folder, 0.1):
        step.run()
        analyse()

    giccs.measure(made.folder, *MODELS)
    for step in giccs.release(made.folder, giccs.STUDY):
        step.run()
        analyse()

    check_all(subtests, CHECKS_OF_MODELS, made)
