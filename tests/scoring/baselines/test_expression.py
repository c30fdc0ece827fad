import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.baselines import expression_values
from scoring.baselines.expression import FUNCTIONS, DescribedPair, compile_condition

ITEMS = [
    DescribedPair("House 3", "a house", {"domain": "politics", "turns": "5", "Source URL": "x"}),
    DescribedPair("not me", "don't", {"domain": "", "turns": 7, "flag": True, "n": "3"}),
    DescribedPair("", "", {"turns": "many", "domain": None, "n": float("nan")}),
]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("has_digit(first)", [0]),
        ("not has_digit(first)", [1, 2]),
        ("n_words(second) > 1 and first != second", [0]),
        ("n_words(first) == n_words(second)", [0, 2]),
        ("n_chars(first) - n_chars(second) >= 1", [1]),
        ("shares_word(first, second)", [0]),
        (r'matches(first, r"\bnot\b")', [1]),
        (r'matches(first, "\\bnot\\b")', [1]),
        ('matches(first, "(?i)HOUSE")', [0]),
        ('contains(second, "ou") or starts_with(second, "don")', [0, 1]),
        ('"House" in first', [0]),
        ('"House" not in first', [1, 2]),
        ('lower(first) == "house 3"', [0]),
        ('ends_with(first, "")', [0, 1, 2]),
        ("first in ('', \"not me\")", [1, 2]),
        ("first == second", [2]),
        ('"a" < "b" < "c"', [0, 1, 2]),
        ('"a" < "b" < "a"', []),
        ("1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and -7 / 2 == -3.5", [0, 1, 2]),
        ("min(1, 2) + max(1, 2) == abs(-3)", [0, 1, 2]),
        ("1 / 0 == 1 or 1 / 0 != 1", []),
        ("1e308 * 10 > 1", []),
        ("True and not False", [0, 1, 2]),
        # Metadata, read as what they are compared with
        ('domain == "politics"', [0]),
        ("turns == 5 or turns == 7", [0, 1]),
        ('turns == "7"', [1]),
        ("turns in (5, 6)", [0]),
        ("3 < turns < 6", [0]),
        ("turns * 2 - 1 >= 10", [1]),
        ("n_words(turns) == 1", [0, 1, 2]),
        ('column("Source URL") == "x"', [0]),
        ("flag == True", [1]),
        ("known(domain)", [0]),
        ("not known(n)", [0, 2]),
        ("  has_digit( first )  ", [0]),
    ],
)
def test_which_items_a_condition_holds_for(condition: str, holds: list[int]) -> None:
    mask = compile_condition(condition).mask(ITEMS)

    assert mask.dtype == np.bool_
    assert np.flatnonzero(mask).tolist() == holds


@pytest.mark.parametrize(
    ("condition", "holds", "n_without"),
    [
        ('domain == "politics"', [0], {"domain": 2}),
        ('domain != "politics"', [], {"domain": 2}),
        ('domain not in ("sport", "news")', [0], {"domain": 2}),
        ('domain in ("politics", n)', [], {"domain": 2, "n": 2}),
        ('not domain == "politics"', [1, 2], {"domain": 2}),
        ("turns > 1", [0, 1], {"turns": 1}),
        # Asked for, whatever stands before it
        ("first == first or nowhere > 3", [0, 1, 2], {"nowhere": 3}),
        ("first != first and nowhere > 3", [], {"nowhere": 3}),
        ('domain == column("Source URL")', [], {"domain": 2, "Source URL": 2}),
        ("known(domain)", [0], {}),
        ("has_digit(first)", [0], {}),
    ],
)
def test_what_is_not_known_fails_every_comparison_and_is_counted(
    condition: str, holds: list[int], n_without: dict[str, int]
) -> None:
    selected = compile_condition(condition).select(ITEMS)

    assert np.flatnonzero(selected.mask).tolist() == holds
    assert selected.n_without == n_without


def test_a_condition_names_the_metadata_it_uses() -> None:
    condition = compile_condition('turns > 3 and domain == "a" and column("x y") != domain')

    assert condition.names == ("turns", "domain", "x y")


def test_no_items_make_an_empty_mask() -> None:
    assert compile_condition("has_digit(first)").mask([]).shape == (0,)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("", "the condition is empty"),
        ("  ", "the condition is empty"),
        ("first", "column 1: this is neither true nor false"),
        ("  domain", "column 3: this is neither true nor false"),
        ("has_digit(first) and n_words(first)", "column 22: this is neither true nor false"),
        ("has_digit(first", "cannot be read at column 10"),
        ("has_digit(first) second", "cannot be read at column"),
        ("5 > ", "cannot be read at column"),
        ('"é" == first and foo(second)', "column 18: this function does not exist; use has_d"),
        (
            "has_digit(first, second)",
            "column 1: wrong number of arguments for has_digit: 2 instead of 1",
        ),
        ("has_digit(5)", "column 11: a text is needed here, not a number"),
        ("abs(first) > 1", "column 5: a number is needed here, not a text"),
        ("first + second == first", "column 1: a number is needed here, not a text"),
        ('n_words(first) > "5"', "column 18: a number is compared with a text"),
        ("has_digit", "column 1: has_digit is a function: write has_digit"),
        ("first in ()", "column 10: there is nothing in these brackets"),
        ("matches(first, second)", "column 16: matches takes a regular expression in quotes"),
        ('matches(first, "(")', "column 16: the regular expression cannot be read"),
        ("column(first) == 1", "column 8: column takes the name of metadata in quotes"),
        ('known("domain")', "column 7: known takes the name of metadata"),
        (r'matches(first, "\bnot\b")', r'column 17: write r before the quotes .* as in r"\\b"'),
        ('first == "\\n"', "column 11: write r before the quotes"),
        ("has_digit(first)\nor 1 > 2", "column 17: write the condition on one line"),
        ('first == "never closed', "cannot be read at column 10, '\"'"),
    ],
)
def test_a_mistake_is_named_with_its_column(condition: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_condition(condition)


@pytest.mark.parametrize(
    "condition",
    [
        '__import__("os").system("true")',
        "__import__",
        '__import__("os")',
        "first.__class__ == 1",
        "first.upper() == first",
        "(lambda: 1)() == 1",
        "[x for x in first] == 1",
        "first if second else first",
        'f"{first}" == first',
        'b"a" == first',
        "first[0] == first",
        "2 ** 9999999 > 1",
        "1 << 9 > 1",
        "9 // 2 > 1",
        "9 % 2 > 1",
        "~1 > 1",
        "first @ second",
        "first is second",
        "first := second",
        "has_digit(*first)",
        "has_digit(text=first)",
        "has_digit(first)(second)",
        "... == 1",
        "None == first",
        "1j > 2",
        "0x10 > 2",
        "1_000 > 2",
        "5and 1",
        "{1} == 1",
        "await first",
        "yield",
        "print(first)",
        "eval(first)",
        '"a" * 999999999 == first',
        "9" * 400 + " > 1",
        "1e999 > 1",
        "x" * 501,
        "(" * 200 + "first" + ")" * 200,
        "(" * 499,
        "-" * 400 + "1 > 2",
        "not " * 100 + "has_digit(first)",
        "1" + "+1" * 200 + " > 2",
        "abs(" * 60 + "1" + ")" * 60 + " > 1",
        "first == '\0'",
        "first == \N{NO-BREAK SPACE}second",
        "has_digit(first) # no",
        "has_digit(first); second",
    ],
)
def test_nothing_but_conditions_is_read(condition: str) -> None:
    with pytest.raises(ValueError, match=r"column|condition"):
        compile_condition(condition)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?R)",
        "(a(?1))",
        "(?P>a)",
        "(?&a)",
        "(*SKIP)",
        "a{e<=3}",
        "(?:a{999}){999}",
        "((a{99}){99}){99}",
        "a{99999}",
        "(?e)a",
        "a" * 201,
    ],
)
def test_regular_expressions_that_could_take_all_memory_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"column 16: .*regular expression"):
        compile_condition(f'matches(first, "{pattern}")')


def test_a_regular_expression_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expression_values, "SECONDS_OF_TEXT", 0.05)
    condition = compile_condition('matches(first, "((a{0,99}){0,99})*$")')

    with pytest.raises(ValueError, match=r"'\(\(a.*' takes too long: avoid repetitions inside"):
        condition.mask([DescribedPair("a" * 5000 + "b", "", {})])


def test_regular_expressions_have_a_time_for_all_texts_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([10.0, 13.0, 20.0, 50.0])
    monkeypatch.setattr(expression_values.time, "monotonic", lambda: next(clock))
    found, run = expression_values.search("a"), expression_values.Run()

    assert found(run, "a")
    assert run.seconds_left == expression_values.SECONDS_OF_ALL - 3 == 2
    assert not found(run, "b")
    # Used up: the next text has next to no time.
    assert run.seconds_left == 0.001


def test_a_part_between_two_others_is_read_and_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    takes, gives, _function = expression_values.OF_FUNCTION["lower"]
    monkeypatch.setitem(
        expression_values.OF_FUNCTION,
        "lower",
        (takes, gives, lambda text: asked.append(text) or text.lower()),
    )
    text = "lower(first) == 'x'"
    for _n in range(9):
        text = f"True==({text})==True"

    condition = compile_condition(text)
    condition.mask(ITEMS)

    # Read at each place, it would be asked 2 ** 9 times.
    assert len(asked) == len(ITEMS)
    asked.clear()
    compile_condition("lower(first) in ('a', 'b', 'c', 'd')").mask(ITEMS)
    assert len(asked) == len(ITEMS)


def test_a_condition_of_too_many_parts_is_refused() -> None:
    assert compile_condition(f"n_words(first) in ({'1,' * 190})").mask(ITEMS).shape == (3,)
    with pytest.raises(ValueError, match="column 414: a condition has at most 200 parts"):
        compile_condition(f"n_words(first) in ({'1,' * 220})")


def test_metadata_between_two_others_are_read_as_either() -> None:
    assert compile_condition("'5' == turns == 5").mask(ITEMS).tolist() == [True, False, False]
    assert compile_condition("'o' in lower(first) == 'not me'").mask(ITEMS).tolist() == [
        False,
        True,
        False,
    ]


def test_the_list_of_functions_is_that_of_what_is_read() -> None:
    called = {
        "text": "first",
        "part": '"a"',
        "pattern": '"a"',
        "number": "1",
        "name": "x",
        '"name"': '"x"',
    }

    for signature in FUNCTIONS:
        name, _, kinds = signature.rstrip(")").partition("(")
        call = f"{name}({', '.join(called[kind] for kind in kinds.split(', '))})"
        read = [f"{call} > 1", f'{call} == "a"', call]
        assert any(_is_read(condition) for condition in read), signature


def _is_read(condition: str) -> bool:
    try:
        compile_condition(condition)
    except ValueError:
        return False
    return True


@given(st.text(st.sampled_from("firstnod()[]\"'\\ 19.<>=+-*/,{}\n#é_rR"), max_size=40))
@example("")
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_is_a_condition_or_a_sentence(text: str) -> None:
    said = "read"

    try:
        compile_condition(text).mask(ITEMS)
    except ValueError as error:
        said = str(error)

    assert said == "read" or "column" in said or "condition" in said


@pytest.mark.parametrize(
    ("condition", "holds", "n_without_b"),
    [
        # A number is neither above nor below a text; what is lacking fails every comparison.
        ("a > b", [1, 3], 2),
        ("a < b", [0], 2),
        ("b > a", [0], 2),
        ("a <= b", [0, 2], 2),
        ("1 < a < b", [0], 2),
        # It differs from every text.
        ("a == b", [2], 1),
        ("a != b", [0, 1, 3, 4], 1),
        ('a in (b, "x")', [2], 1),
    ],
)
def test_two_metadata_are_numbers_if_both_are(
    condition: str, holds: list[int], n_without_b: int
) -> None:
    metadata: list[dict[str, object]] = [
        {"a": "9", "b": "10"},
        {"a": 10, "b": "9"},
        {"a": "2.0", "b": 2},
        {"a": "pear", "b": "apple"},
        {"a": "9", "b": "ten"},
        {"a": "9"},
    ]

    selected = compile_condition(condition).select(
        [DescribedPair("", "", values) for values in metadata]
    )

    assert np.flatnonzero(selected.mask).tolist() == holds
    assert selected.n_without["b"] == n_without_b
