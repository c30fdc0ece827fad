"""Whatever `scoring` says of measures is a message, so that pages can translate it."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest

from annotation.baselines.queries import baseline_subsets
from annotation.baselines.queries.measure_figures import dialogues_name
from annotation.baselines.services import specifications
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Sentence, error_message, in_words
from annotation.kinds.queries import score_reasons
from annotation.models import Study
from scoring.arrays import refuse_infinite
from scoring.baselines import Pair, Specification, choices, labelled_pairs, runs, subsets
from scoring.baselines.compared import compare
from scoring.baselines.expression import FUNCTIONS, DescribedPair, compile_condition
from scoring.baselines.lexical import LEXICAL, lexical_values
from scoring.baselines.questions import Question, StatedCorrelation
from scoring.baselines.report import RESAMPLED, TypicalHuman, baseline_report
from scoring.bootstrap import Bootstrap
from scoring.decimals import in_words as decimals_in_words
from scoring.measures import correlation_samples, sample_tests
from scoring.measures.correlation_tests import TESTS, DependentTest, number_of_items
from scoring.measures.difference_intervals import DEFINITIONS
from scoring.measures.noise_ceiling import SOURCES, noise_ceiling_of_deviations
from scoring.measures.pool_ranking import rank_within_pools
from scoring.ratings.rating_ceiling import noise_ceiling_of_ratings
from scoring.ratings.ratings import Ratings
from shell.messages import Message, as_data, message, ngettext, of_data

# Names that are the same in every language.
PROPER_NAMES = {
    "BLEU-4",
    "Jaccard",
    "METEOR (exact, Porter stem)",
    "ROUGE-L",
    "SQuAD F1",
    "chrF2",
}

# Two people who agree in nothing, and one alone.
NEGATIVE, UNKNOWN = (
    noise_ceiling_of_ratings(
        Ratings(np.tile(np.arange(k), 3), np.arange(3).repeat(k), np.array(values), k, 3)
    )
    for k, values in ((2, [1.0, 3.0, 3.0, 2.0, 2.0, 1.0]), (1, [1.0, 2.0, 3.0]))
)


def assert_messages(*texts: object) -> None:
    assert texts
    assert [text for text in texts if not isinstance(text, Message)] == []


def refusal(work: Callable[[], object]) -> Any:
    """What a piece of work is refused with."""
    with pytest.raises(ValueError, match=r".") as caught:
        work()
    return caught.value.args[0]


def texts_in(value: Any, key: str = "") -> Iterator[str]:
    """Every definition and every reason of some figures."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from texts_in(inner, "definition" if key == "definitions" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, key)
    elif (key == "definition" or key.endswith("reason")) and value:
        yield value


def test_lexical_measures_are_described_in_messages() -> None:
    names = {measure.name for measure in LEXICAL.values()}

    assert {name for name in names if not isinstance(name, Message)} == PROPER_NAMES
    assert_messages(*(measure.definition for measure in LEXICAL.values()))


def test_the_name_of_a_measure_with_its_settings_is_a_plain_text() -> None:
    # It is stored as the name of a column, and chosen by.
    named = [measure.named({}) for measure in LEXICAL.values()]

    assert {type(name) for name in named} == {str}
    assert named == [measure.name for measure in LEXICAL.values()]


def test_the_parts_of_conditions_are_messages() -> None:
    assert_messages(*FUNCTIONS.values())


@pytest.mark.parametrize("test", get_args(DependentTest))
@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_definitions_and_reasons_of_a_leaderboard_are_messages(
    test: DependentTest, n: int
) -> None:
    rng = np.random.default_rng(5)
    people = rng.normal(size=n)
    measures = {
        "same": people,
        "twice": 2 * people,
        "Exact match": np.zeros(n),
        "nearly equal": np.full(n, 0.3) + 1e-16 * np.arange(n),
        "other": rng.normal(size=n),
        "none": np.full(n, np.nan),
    }
    is_first = np.arange(n) < n / 2
    ceilings = [
        None,
        NEGATIVE,
        {"all": UNKNOWN},
    ]

    texts = [
        text
        for ceiling in ceilings
        for pools in (None, np.zeros(n))
        for text in texts_in(
            baseline_report(
                people,
                measures,
                subsets={"first": is_first, "all": np.ones(n, dtype=bool)},
                pools=pools,
                ceilings=ceiling,
                n_resamples=20,
                test=test,
                decimals=12,
                rng=rng,
            ).as_dict()
        )
    ]

    assert len({*texts}) >= 8
    assert_messages(*texts, RESAMPLED, *TESTS.values())


def test_what_resamples_do_not_allow_is_a_message() -> None:
    few, many = np.zeros(3), np.zeros(9)
    undefined = np.full(9, np.nan)
    resamples = [
        Bootstrap(np.nan, many, many, "items"),
        Bootstrap(0.5, many, few, "items"),
        Bootstrap(0.5, many, few, "pools"),
        Bootstrap(0.5, undefined, many, "items"),
        Bootstrap(0.5, many, many, "items"),
    ]

    reasons = [one.interval("bca").reason for one in resamples]

    assert len({*reasons}) == len(resamples)
    assert_messages(*reasons)


@pytest.mark.slow
def test_what_is_said_of_comparisons_are_messages() -> None:
    human = np.arange(9.0)
    measures = {"a": human**2, "b": np.sin(human), "flat": np.ones(9)}
    parts = {"all": np.ones(9, dtype=bool), "few": human < 3}
    raters = [
        None,
        TypicalHuman(0.8, 0.1, 0.9, 0.7, 5),
        TypicalHuman(0.8, 0.0, 0.8, 0.8, 5),
        TypicalHuman(0.8, np.nan, 0.8, 0.8, 1),
        TypicalHuman(*[np.nan] * 4, 0, score_reasons.RATED_ALL_ITEMS),
    ]
    stated = StatedCorrelation("x", 0.5)
    sides = ["a", "b", "flat", None]
    asked: list[Any] = [*sides, stated, StatedCorrelation("x", 0.5, 9)]
    asked += [StatedCorrelation("x", 0.5, 3), StatedCorrelation("x", 0.5, 9, 0.1)]
    asked += [StatedCorrelation("x", 0.5, None, 0.1), "gone"]

    texts: list[Any] = []
    for one in raters:
        for first, second, part in product(sides, asked, (*parts, "gone")):
            figures = baseline_report(
                human, measures, subsets=parts, n_resamples=0, typical_human=one
            ).as_dict()
            for subset in figures["subsets"]:
                if part == "few" and second == "b":
                    subset["differences"][0].pop("between", None)
            try:
                comparison = compare(figures, Question(first, second, part))
            except ValueError as error:
                texts.append(error.args[0])
            else:
                texts += [
                    comparison.definition,
                    comparison.reason,
                    comparison.interval.reason,
                    DEFINITIONS.get(comparison.interval.method),
                ]

    assert len({*texts}) > 15
    assert_messages(*(text for text in texts if text is not None))


def test_a_measure_in_a_reason_keeps_its_name() -> None:
    human = np.arange(9.0)
    measures = {"Exact match": np.zeros(9), "other": human}

    report = baseline_report(human, measures, n_resamples=0)

    reason = report.subsets[0].differences[0].test.reason
    assert isinstance(reason, Message)
    assert reason.values["measure"] == "Exact match"
    assert type(reason.values["measure"]) is str
    assert_messages(reason.values["reason"])


def test_reasons_against_a_noise_ceiling_are_messages() -> None:
    means, none = np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4)
    found = [
        noise_ceiling_of_deviations(means, none, None),
        noise_ceiling_of_deviations(means[:2], none[:2], 4),
        noise_ceiling_of_deviations(none, none, 4),
        noise_ceiling_of_deviations(means, none + 9, 2),
        UNKNOWN,
        NEGATIVE,
    ]

    assert_messages(*SOURCES.values(), *(one.reason for one in found))
    assert found[-1].reason.template.startswith("ICC(%(kind)s) is negative")


def test_columns_that_have_no_noise_ceiling_are_refused_in_messages() -> None:
    means = np.array([1.0, 2.0, 3.0])
    wrong = [
        refusal(lambda: noise_ceiling_of_deviations(means, means - 2, 4)),
        refusal(lambda: noise_ceiling_of_deviations(means, means, 1)),
        refusal(lambda: noise_ceiling_of_deviations(means, means, 2.5)),
        refusal(lambda: noise_ceiling_of_deviations(means, means * np.inf, 4)),
        refusal(lambda: refuse_infinite("human", np.array([0, -np.inf]))),
        refusal(lambda: number_of_items("n", 3)),
    ]

    assert_messages(*wrong)
    assert wrong[2] == (
        "an item has 2.5 ratings, but a standard deviation takes a whole number of at least 2"
    )
    assert wrong[4] == "human[1] is -inf; a missing value is nan"
    assert in_words(wrong[4]) == wrong[4].replace("-", "−")


def test_why_people_s_scores_lack_something_is_a_message() -> None:
    reasons = [value for name, value in vars(score_reasons).items() if name.isupper()]

    assert len(reasons) == 7
    assert_messages(*reasons)


@pytest.mark.parametrize("scale", get_args(sample_tests.SampleScale))
def test_tests_of_samples_say_messages(scale: Any) -> None:
    samples = ([0.1, 0.2], [0.3], [0.3, 0.3])
    results = [
        correlation_samples.one_sample_t_test(sample, 0.5, scale=scale) for sample in samples
    ]
    results += [
        correlation_samples.two_sample_t_test(
            sample, sample, equal_variances=equal_variances, scale=scale
        )
        for sample in samples
        for equal_variances in (True, False)
    ]

    assert len({one.definition for one in results}) == 3
    assert_messages(*(one.definition for one in results))
    assert_messages(*(one.reason for one in results if one.reason is not None))


def test_figures_of_choices_and_runs_say_messages() -> None:
    of_choices = [choices.choice_accuracy([0] * n, [{0}] * n).as_dict() for n in (0, 1)]
    of_runs = [runs.over_runs(values) for values in ([], [np.nan, 1.0], [1.0])]

    assert_messages(*texts_in(of_choices), *(one.reason for one in of_runs))


def test_the_names_of_subsets_of_dialogues_stay_messages_when_they_are_stored() -> None:
    turns = [ngettext("%(n)s turn", "%(n)s turns", "n", n=n) for n in (1, 3, 1)]
    figures = choices.choice_accuracy([0, 0, 1], [{0}] * 3, subsets=[*turns]).as_dict()

    stored = json.loads(json.dumps(as_data(figures)), object_hook=of_data)

    names = [dialogues_name(key, share) for key, share in stored["by_subset"].items()]
    assert names == ["1 turn", "3 turns"]
    assert_messages(*names)
    # As earlier versions stored it.
    assert dialogues_name("3 turns", {"n": 1}) == "3 turns"


def test_rankings_within_pools_and_labelled_pairs_say_messages() -> None:
    pools = [0, 0, 1, 1]
    found = [
        rank_within_pools([], [], []),
        rank_within_pools([1.0, 2, 1, 2], [1.0, 1, 1, 1], pools),
        rank_within_pools([1.0, 2, 1, 2], [1.0, 2, 1, 1], pools),
    ]

    assert len({one.reason for one in found}) == len(found)
    assert_messages(*(one.reason for one in found), found[0].definition)
    assert_messages(labelled_pairs.DEFINITION)


def test_how_measures_were_rounded_is_a_message() -> None:
    said = [decimals_in_words(n) for n in (1, 3)]

    assert_messages(*said)
    assert said == [
        "The values of the measures were rounded to 1 decimal before correlations were computed.",
        "The values of the measures were rounded to 3 decimals before correlations were computed.",
    ]


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
def test_what_is_wrong_with_a_condition_is_a_message(condition: str) -> None:
    problem = refusal(lambda: compile_condition(condition))

    assert_messages(problem)
    if "problem" in problem.values:
        assert_messages(problem.values["problem"])


@pytest.mark.slow
def test_what_is_wrong_with_a_condition_while_it_is_evaluated_is_a_message() -> None:
    condition = compile_condition('matches(first, "(x+x+)+y")')
    item = DescribedPair("x" * 5000, "", {})

    assert_messages(refusal(lambda: condition.select([item])))


def test_what_is_wrong_with_subsets_is_a_message() -> None:
    mask = np.ones(1, dtype=np.bool_)
    many = {str(n): mask for n in range(60)}

    assert_messages(
        refusal(lambda: subsets.by_label("domain", [str(n) for n in range(60)])),
        refusal(lambda: subsets.together({"all": mask}, n_items=1)),
        refusal(lambda: subsets.together({"a": mask}, {"a": mask}, n_items=1)),
        refusal(lambda: subsets.together(many, n_items=1)),
    )


def test_what_is_wrong_with_a_report_is_a_message() -> None:
    infinite = refusal(lambda: baseline_report([1.0, 2.0], {"a": [1.0, np.inf]}, n_resamples=0))

    assert_messages(
        refusal(lambda: baseline_report([1.0], {}, n_resamples=0)),
        infinite,
        infinite.values["problem"],
    )


def test_what_is_wrong_with_a_lexical_measure_is_a_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def synonyms(error: type[Exception]) -> object:
        class Missing:
            def ensure_loaded(self) -> None:
                raise error("no such file")

        monkeypatch.setattr("nltk.corpus.wordnet", Missing())
        return refusal(lambda: lexical_values("meteor", pairs, settings={"synonyms": "wordnet"}))

    pairs = [Pair("a", "a")]
    measure = LEXICAL["meteor"]

    assert_messages(
        refusal(lambda: lexical_values("none", pairs)),
        refusal(lambda: LEXICAL["squad_f1"].checked({"stemmer": "none"})),
        refusal(lambda: measure.checked({"stem": "none"})),
        refusal(lambda: measure.checked({"stemmer": "latin"})),
        refusal(lambda: measure.values(pairs, stemmer="latin")),
        refusal(lambda: measure.values(pairs, synonyms="latin")),
        synonyms(LookupError),
        synonyms(OSError),
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


def test_an_error_says_what_it_was_raised_with() -> None:
    translatable = error_message(ValueError(message("%(name)s is there", name="a")))

    assert isinstance(translatable, Sentence)
    assert translatable.singular == "%(name)s is there"
    assert error_message(ValueError("of a library")) == "of a library"
    assert error_message(OSError(2, "No such file")) == "[Errno 2] No such file"
    assert error_message(ValueError()) == ""
