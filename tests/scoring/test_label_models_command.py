"""The command label-models of python -m scoring."""

import pytest

from tests.scoring.commands import Run, json_of, refusal

TABLE = """\
annotator,unit,categories
ann,one,same
ben,one,same
cy,one,other
ann,two,other
ben,two,other
cy,two,other
ann,three,same
cy,three,other
ann,one,other
"""


def test_label_models_prints_all_models_by_name(command: Run) -> None:
    figures = json_of(command("label-models", table=TABLE))

    assert figures["annotators_named"] == ["ann", "ben", "cy"]
    assert figures["units_named"] == ["one", "two", "three"]
    assert figures["categories_named"] == ["same", "other"]
    # The repeat does not count; the third unit is a tie.
    assert figures["mode"] == [0, 1, None]
    assert list(figures["models"]) == ["dawid-skene", "mace", "glad"]
    for model in figures["models"].values():
        assert model["label"][:2] == [0, 1]
        assert model["differs"] == []
        assert model["reason"] is None
        assert len(model["posterior"]) == len(model["ability"]) == 3


def test_label_models_names_the_units_where_a_model_differs_from_the_mode(command: Run) -> None:
    # Two people label well; three click, and outvote them about the unit "odd".
    names = ("ann", "ben", "x", "y", "z")
    rows = [f"{name},{i},{'ab'[i % 2]}" for i in range(40) for name in names[:2]]
    rows += [f"{name},{i},{'ab'[i // 2 % 2]}" for i in range(0, 40, 3) for name in names[2:3]]
    rows += [f"{name},{i},{'ab'[i // 4 % 2]}" for i in range(0, 40, 3) for name in names[3:]]
    rows += [f"{name},odd,{category}" for name, category in zip(names, "aabbb", strict=True)]

    figures = json_of(
        command("label-models", table="\n".join(["annotator,unit,categories", *rows]))
    )

    odd = figures["units_named"].index("odd")
    assert odd in figures["models"]["glad"]["differs"]
    assert figures["models"]["glad"]["label"][odd] == figures["categories_named"].index("a")


def test_label_models_says_why_there_are_none(command: Run) -> None:
    figures = json_of(command("label-models", table="annotator,unit,categories\nann,one,same\n"))

    assert figures["mode"] == [0]
    for model in figures["models"].values():
        assert model["reason"] == "There are fewer than two categories."
        assert model["label"] == [None]
        assert model["ability"] == [None]


def test_label_models_counts_categories_that_nobody_chose(command: Run) -> None:
    table = "annotator,unit,categories\nann,one,same\n"

    figures = json_of(command("label-models", "--categories", "other|same", table=table))

    assert figures["models"]["mace"]["label"] == [1]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "ben,one,same",
            "ben,one,same|other",
            "line 3: 'same|other' names several categories, but the models are for answers of one"
            " category",
        ),
        ("ben,one,same", "ben,one,", "line 3: categories is empty"),
    ],
)
def test_label_models_refuses_what_it_cannot_read_by_line(
    command: Run, before: str, after: str, message: str
) -> None:
    assert refusal(command("label-models", table=TABLE.replace(before, after))) == message
