"""What `scoring.baselines` and `scoring.neural` say reaches every reader in their language."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest

from annotation import reported
from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.queries import baseline_subsets, human_scores
from annotation.reported_measures import KNOWN_OF_MEASURES
from annotation.sentences import Sentence
from annotation.services import specifications
from scoring.baselines import Pair, Specification, choices, runs, subsets
from scoring.baselines.compared import Question, StatedCorrelation, compare
from scoring.baselines.expression import FUNCTIONS, DescribedPair, compile_condition
from scoring.baselines.lexical import lexical_values
from scoring.baselines.report import TypicalHuman, baseline_report
from scoring.correlation_tests import DependentTest
from scoring.difference_intervals import DEFINITIONS
from scoring.neural.measures import Measure, all_measures, check
from scoring.noise_ceiling import (
    SOURCES,
    noise_ceiling_of_deviations,
    noise_ceiling_of_icc,
)
from scoring.pool_ranking import rank_within_pools

# Names that are the same in every language.
PROPER_NAMES = {
    "BLEU-4",
    "Jaccard",
    "METEOR (exact, Porter stem)",
    "ROUGE-L",
    "SQuAD F1",
    "chrF2",
}


def _assert_known(texts: set[str]) -> None:
    unknown = sorted(
        text for text in texts if not isinstance(reported.sentence_of(text), Sentence)
    )
    assert unknown == []
    # The English is theirs, but for the signs of numbers.
    plain = {text: reported.in_words(text).replace("−", "-") for text in texts}
    assert plain == {text: re.sub(r"(\d),(\d{3})\b", r"\1\2", text) for text in texts}


def _of_measure(measure: Measure) -> Iterator[str]:
    yield from (measure.name, measure.definition)
    for option in measure.options:
        yield from (option.name, option.definition, *filter(None, option.choices.values()))


def test_every_measure_and_all_that_can_be_set_of_it_are_known() -> None:
    said = {
        text
        for measure in all_measures().values()
        for text in _of_measure(measure)
        if not measure.needs_models
    }

    _assert_known(said - PROPER_NAMES)


def test_the_parts_of_conditions_are_known() -> None:
    _assert_known(set(FUNCTIONS.values()))


def _texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, "definition" if key == "definitions" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)
    elif key in {"definition", "reason"} and value:
        yield value


@pytest.mark.parametrize("test", get_args(DependentTest))
@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_definitions_and_reasons_of_a_leaderboard_are_known(test: DependentTest, n: int) -> None:
    rng = np.random.default_rng(5)
    people = rng.normal(size=n)
    measures = {
        "same": people,
        "twice": 2 * people,
        "Exact match": np.zeros(n),
        "other": rng.normal(size=n),
        "none": np.full(n, np.nan),
    }
    is_first = np.arange(n) < n / 2
    ceilings = [
        None,
        noise_ceiling_of_icc(-0.25),
        {"all": noise_ceiling_of_icc(np.nan)},
    ]

    said = {
        text
        for ceiling in ceilings
        for pools in (None, np.zeros(n))
        for text in _texts(
            baseline_report(
                people,
                measures,
                subsets={"first": is_first, "all": np.ones(n, dtype=bool)},
                pools=pools,
                ceilings=ceiling,
                n_resamples=20,
                test=test,
                rng=rng,
            ).as_dict()
        )
    }

    assert len(said) >= 8
    _assert_known(said)


def test_what_is_said_of_comparisons_is_known() -> None:
    human = np.arange(9.0)
    measures = {"a": human**2, "b": np.sin(human), "flat": np.ones(9)}
    subsets = {"all": np.ones(9, dtype=bool), "few": human < 3}
    raters = [
        None,
        TypicalHuman(0.8, 0.1, 0.9, 0.7, 5),
        TypicalHuman(0.8, 0.0, 0.8, 0.8, 5),
        TypicalHuman(0.8, np.nan, 0.8, 0.8, 1),
        TypicalHuman(*[np.nan] * 4, 0, human_scores.RATED_ALL_ITEMS),
    ]
    stated = StatedCorrelation("x", 0.5)
    sides = ["a", "b", "flat", None]
    asked: list[Any] = [*sides, stated, StatedCorrelation("x", 0.5, 9)]
    asked += [StatedCorrelation("x", 0.5, 3), StatedCorrelation("x", 0.5, 9, 0.1)]
    asked += [StatedCorrelation("x", 0.5, None, 0.1), "gone"]

    said = set()
    for one in raters:
        for first, second, part in product(sides, asked, (*subsets, "gone")):
            figures = baseline_report(
                human, measures, subsets=subsets, n_resamples=0, typical_human=one
            ).as_dict()
            for subset in figures["subsets"]:
                if part == "few" and second == "b":
                    subset["differences"][0].pop("between", None)
            try:
                found = compare(figures, Question(first, second, part))
            except ValueError as error:
                said.add(str(error))
            else:
                said |= {found.definition, found.reason or "", found.interval.reason or ""}
                said.add(DEFINITIONS.get(found.interval.method, ""))

    assert len(said) > 15
    _assert_known(said - {""})


def test_a_measure_in_a_reason_keeps_its_name() -> None:
    text = "Exact match has no correlation with people's scores: there are no such pairs"

    found = reported.sentence_of(text)

    assert isinstance(found, Sentence)
    assert found.values["measure"] == "Exact match"


def test_reasons_against_a_noise_ceiling_are_known() -> None:
    means, none = np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4)
    found = [
        noise_ceiling_of_deviations(means, none, None),
        noise_ceiling_of_deviations(means[:2], none[:2], 4),
        noise_ceiling_of_deviations(none, none, 4),
        noise_ceiling_of_deviations(means, none + 9, 2),
        noise_ceiling_of_icc(np.nan),
        noise_ceiling_of_icc(-0.5),
    ]

    _assert_known({*SOURCES.values(), *(str(one.reason) for one in found)})


def test_reasons_against_figures_of_choices_and_runs_are_known() -> None:
    of_choices = [choices.choice_accuracy([0] * n, [{0}] * n).as_dict() for n in (0, 1)]
    of_runs = [runs.over_runs(values) for values in ([], [np.nan, 1.0], [1.0])]

    _assert_known({*_texts(of_choices), *(str(one.reason) for one in of_runs)})


def test_what_is_said_of_rankings_within_pools_is_known() -> None:
    found = rank_within_pools([], [], [])

    _assert_known({found.definition, str(found.reason)})


def _said(work: Callable[[], object]) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        work()
    return str(caught.value)


CONDITIONS = [
    "",
    "x" * 501,
    "first ==",
    "first; second",
    "n_words(first)\n> 3",
    r'contains(first, "\d")',
    "(" * 90 + "1" + ")" * 90,
    "not " * 60 + "True",
    f"n_words(first) in ({'1,' * 220})",
    "n_words(first)",
    "n_words(first) and True",
    "first if True else second",
    "1e999 > 2",
    "None",
    "abs",
    "eval(first)",
    "abs(*first)",
    "abs(1, 2)",
    "column(first)",
    "known(first)",
    "matches(first, second)",
    "first is second",
    "first in ()",
    "first == 3",
    "3 == first",
    "first == True",
    "True == first",
    "True == 3",
    "3 == True",
    "abs(first) > 3",
    "abs(True) > 3",
    "contains(first, 3)",
    "contains(first, True)",
    f'matches(first, "{"x" * 201}")',
    'matches(first, "x{")',
    'matches(first, "(?R)")',
    'matches(first, "(x{999}){999}")',
    'matches(first, "(")',
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_wrong_with_a_condition_is_known(condition: str) -> None:
    said = _said(lambda: compile_condition(condition))

    _assert_known({said})
    found = reported.sentence_of(said)
    assert isinstance(found, Sentence)
    if "problem" in found.values:
        assert isinstance(found.values["problem"], Sentence), said


def test_what_is_wrong_with_a_condition_while_it_is_asked_is_known() -> None:
    condition = compile_condition('matches(first, "(x+x+)+y")')
    item = DescribedPair("x" * 5000, "", {})

    _assert_known({_said(lambda: condition.select([item]))})


def test_what_is_wrong_with_subsets_is_known() -> None:
    mask = np.ones(1, dtype=np.bool_)
    many = {str(n): mask for n in range(60)}

    _assert_known(
        {
            _said(lambda: subsets.by_label("domain", [str(n) for n in range(60)])),
            _said(lambda: subsets.together({"all": mask}, n_items=1)),
            _said(lambda: subsets.together({"a": mask}, {"a": mask}, n_items=1)),
            _said(lambda: subsets.together(many, n_items=1)),
        }
    )


SPECIFICATIONS: list[tuple[str, dict[str, Any]]] = [
    ("squad_f1", {"stemmer": "none"}),
    ("meteor", {"stem": "none"}),
    ("meteor", {"stemmer": "latin"}),
]


@pytest.mark.parametrize(("key", "given"), SPECIFICATIONS)
def test_what_is_wrong_with_a_measure_is_known(key: str, given: dict[str, Any]) -> None:
    _assert_known({_said(lambda: check(Specification(key, given)))})


def test_what_is_wrong_with_a_lexical_measure_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def ensure_loaded(self) -> None:
            raise LookupError

    monkeypatch.setattr("nltk.corpus.wordnet", Missing())
    pairs = [Pair("a", "a")]

    _assert_known(
        {
            _said(lambda: lexical_values("none", pairs)),
            _said(lambda: lexical_values("meteor", pairs, settings={"synonyms": "wordnet"})),
        }
    )


def test_errors_keep_their_sentence_for_who_reads_it_later() -> None:
    study = Study(language="en")
    refused = (
        lambda: baseline_subsets.refuse_unreadable("first =="),
        lambda: specifications.checked(Specification("squad_f1", {"a": "b"}), study),
    )

    for work in refused:
        with pytest.raises(AnnotationError) as caught:
            work()
        assert all(isinstance(said, Sentence) for said in caught.value.said)


def test_a_plural_is_said_of_numbers_alone() -> None:
    assert reported.sentence_of("these are no turns") == "these are no turns"


def test_no_sentence_is_known_twice() -> None:
    every = [known.singular for known in reported.KNOWN]

    assert {one.singular for one in KNOWN_OF_MEASURES} <= {*every}
    assert [one for one in KNOWN_OF_MEASURES if every.count(one.singular) > 1] == []
