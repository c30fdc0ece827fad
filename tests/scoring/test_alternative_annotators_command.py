import numpy as np
import pytest

from scoring import Ratings, alternative_annotator_test
from tests.scoring.commands import Run, json_of, refusal


def table(column: str, values: list[str]) -> str:
    """Four people and a model about forty units: the value of unit n is the n-th, moved a bit."""
    rows = [
        f"{who},u{n},{values[(n + (n % 5 == shift)) % len(values)]}"
        for n in range(40)
        for shift, who in enumerate(("ann", "gpt", "ben", "cy", "dan"))
    ]
    return "\n".join([f"annotator,unit,{column}", *rows])


def test_the_model_is_one_of_the_annotators_and_not_among_the_people(command: Run) -> None:
    arguments = ("alternative-annotator", "--model", "gpt", "--epsilon", "0.2")
    found = json_of(command(*arguments, table=table("value", [str(n) for n in range(7)])))

    person, unit = np.tile([0, 1, 2, 3], 40), np.repeat(np.arange(40), 4)
    shift = np.array([0, 2, 3, 4])[person]
    people = Ratings(person, unit, (unit + (unit % 5 == shift)) % 7, 4, 40)
    units = np.arange(40)
    test = alternative_annotator_test(people, (units + (units % 5 == 1)) % 7, epsilon=0.2)
    assert found["annotators_named"] == ["ann", "gpt", "ben", "cy", "dan"]
    assert found["winning_rate"] == test.winning_rate
    assert [p for p in found["p"] if p is not None] == pytest.approx(test.p)
    assert found["p"][1] is None
    assert found["n_answers"] == [40, 0, 40, 40, 40]


def test_labels_are_compared_by_name(command: Run) -> None:
    labels = table("categories", ["same", "related", "other"])

    found = json_of(command("alternative-annotator", "--model", "gpt", table=labels))

    assert found["n_tested"] == 4
    assert found["is_above_chance"]


def test_bad_arguments_are_refused_in_a_sentence(command: Run) -> None:
    rows = table("value", ["1", "2"])

    for arguments, words in (
        (("--model", "nobody"), "'nobody' is not among the annotators"),
        (("--model", "gpt", "--epsilon", "2"), "between 0 and 1"),
    ):
        assert words in refusal(command("alternative-annotator", *arguments, table=rows))
