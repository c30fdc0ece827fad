"""Checks in files of items: what they may look like, and what is refused with its remedy."""

import html
import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.basics.errors import ImportProblemsError
from annotation.basics.scale import Scale
from annotation.items.imports import previews
from annotation.items.services import imports
from annotation.models import Check
from annotation.models.kinds import QuestionKind
from tests.support.checking import compared_texts, rated_pairs
from tests.support.item_files import (
    empty_study,
    import_text,
    jsonl,
    pair,
    problems,
    read,
    table,
    within,
)
from tests.support.researcher_pages import in_one_line, signed_in, text, url

RATED = "id\ttarget\tcandidate\texpected\tcheck\texplanation\ttolerance"
COMPARED = "id\ttext\tgroup\texpected\tcheck\texplanation"


def _of_table(*rows: str, header: str = RATED, kind: str = "rating", **options):
    return read(table(*rows, header=header), "items.tsv", kind=kind, **options)


def _refused(*rows: str, header: str = RATED, kind: str = "rating", **options) -> list[str]:
    return problems(table(*rows, header=header), filename="items.tsv", kind=kind, **options)


def test_a_table_names_checks_of_ratings() -> None:
    parsed = _of_table(
        "p1\tone\ttwo\t\t\t\t",
        "c1\tone\tone\t6\tTutorial\tIt is the same.\t0,5",
        "c2\tone\tten\t0\tsilent\t\t",
    )

    assert [item.check and item.check.style for item in parsed.items] == [
        None,
        "tutorial",
        "silent",
    ]
    check = parsed.items[1].check
    assert check
    assert (check.explanation, check.tolerance) == ("It is the same.", Decimal("0.5"))
    # None of it is metadata, not even where it is empty.
    assert [item.metadata for item in parsed.items] == [{}, {}, {}]
    assert parsed.n_check_items == 2


def test_json_lines_name_checks_of_pairs_in_their_contexts() -> None:
    parsed = read(
        jsonl(
            pair("p1", target=within()),
            pair("c1", target=within(1), check="loud", expected=6, explanation="Look twice."),
        )
    )

    check = parsed.items[1].check
    assert check
    assert (check.style, check.explanation) == ("loud", "Look twice.")
    assert parsed.items[1].target_at


def test_what_was_metadata_before_still_is_where_nothing_is_called_a_check() -> None:
    parsed = read(jsonl(pair(explanation="of mine", tolerance="much")))

    assert parsed.items[0].metadata == {"explanation": "of mine", "tolerance": "much"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "c\ta\tb\t6\tnoisy\t\t",
            "line 3: check is 'noisy'; write tutorial, loud or silent, or leave it empty",
        ),
        (
            "c\ta\tb\t\tloud\t\t",
            "line 3: expected is missing; write the known answer of the check",
        ),
        (
            "c\ta\tb\t6\tloud\t\t-1",
            (
                "line 3: tolerance is below 0; write how far a rating can be from the known "
                "answer and still be right"
            ),
        ),
        (
            "c\ta\tb\t6\t\tbecause\t",
            (
                "line 3: explanation is given, but check is empty; write tutorial, loud or "
                "silent into check, or leave both empty"
            ),
        ),
        (
            "c\ta\tb\tsix\tloud\t\t",
            (
                "line 3: expected is not a number from -9999 to 9999 with at most 3 decimals; "
                "write one such as 3 or 2.5, or leave it out"
            ),
        ),
    ],
)
def test_a_bad_value_is_refused_with_its_line_and_the_remedy(row: str, said: str) -> None:
    assert _refused("p\ta\tc\t\t\t\t", row) == [said]


def test_a_file_of_nothing_but_checks_is_refused() -> None:
    assert _refused("c\ta\tb\t6\tloud\t\t") == [
        "all items of the file are checks; add other items"
    ]


def test_a_check_needs_no_group_where_others_have_one() -> None:
    header = "id\ttarget\tcandidate\tgroup\texpected\tcheck"
    parsed = _of_table("p1\ta\tb\tg\t\t", "p2\ta\tc\tg\t\t", "c1\ta\ta\t\t6\tloud", header=header)

    assert [parsed.pools[item.pool].key for item in parsed.items] == ["g", "g", "all"]


def test_a_group_is_a_check_of_what_is_compared() -> None:
    parsed = read(compared_texts(["loud"]), "items.tsv", kind="best_worst", tuple_size=4)

    assert [pool.key for pool in parsed.pools] == ["all", "g1"]
    assert parsed.n_check_items == 3


def _compared(*rows: str) -> list[str]:
    main = [f"t{n}\ttext {n}\tmain\t\t\t" for n in range(1, 5)]
    return _refused(*main, *rows, header=COMPARED, kind="best_worst", tuple_size=4)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ["a\tone\tg\t1\tloud\t", "b\ttwo\tg\t2\t\t"],
            (
                "line 7: 'g' mixes a check's items with others; write the same value into "
                "check for all of them, or give the check its own group"
            ),
        ),
        (
            ["a\tone\tg\t1\tloud\t", "b\ttwo\tg\t2\tsilent\t"],
            (
                "line 7: 'g' has two kinds of checks; write the same value into check for all "
                "of its items"
            ),
        ),
        (
            ["a\tone\tg\t1\tloud\t", "b\ttwo\tg\t\tloud\t"],
            "line 6: 'g' is a check with fewer than two known answers; write expected at least for"
            " the best of its items (the highest) and for the worst (the lowest)",
        ),
        (
            ["a\tone\tg\t1\tloud\t", "b\ttwo\tg\t3\tloud\t", "c\tthree\tg\t3\tloud\t"],
            (
                "line 6: 'g' is a check with two best or two worst items; give one item the "
                "highest value of expected and one the lowest"
            ),
        ),
        (
            [f"i{n}\tword {n}\tg\t{n}\tloud\t" for n in range(9)],
            "line 6: 'g' has 9 items, but a check shows all of them at once; give it from 2 to 8",
        ),
        (
            ["a\tone\tg\t1\tloud\tx", "b\ttwo\tg\t2\tloud\ty"],
            "line 6: 'g' is a check with two explanations; write it once, or the same for all of"
            " its items",
        ),
        (
            ["a\tone\t\t1\tloud\t", "b\ttwo\t\t2\tloud\t"],
            (
                "line 6: 'all': a check must have its own pool; give the items of a check their "
                "own group"
            ),
        ),
    ],
)
def test_what_is_compared_is_a_check_as_a_whole_or_refused(rows: list[str], said: str) -> None:
    assert _compared(*rows) == [said]


def test_a_dialogue_is_a_check_with_all_of_its_candidates() -> None:
    def dialogue(key: str, **columns: object) -> dict[str, object]:
        return {"id": key, "turns": [{"text": f"Of {key}."}], **columns}

    parsed = read(
        jsonl(
            dialogue("d1", candidates=[{"text": "one"}, {"text": "two"}, {"text": "three"}]),
            dialogue(
                "d2",
                check="tutorial",
                explanation="One is more.",
                candidates=[{"text": "one", "expected": 2}, {"text": "two", "expected": 1}],
            ),
        ),
        kind="best_worst",
        tuple_size=3,
    )

    assert [item.check and item.check.style for item in parsed.items] == [None] * 3 + [
        "tutorial"
    ] * 2
    assert [item.expected for item in parsed.items[3:]] == [2, 1]
    assert parsed.contexts[1].metadata == {}


LABELLED = "id\ttarget\tcandidate\texpected\tcheck"


def test_the_known_answer_of_a_label_is_the_names_of_categories() -> None:
    parsed = _of_table(
        "p1\ta\tb\tnothing known\t",
        "c1\ta\ta\tsame | alike\tloud",
        header=LABELLED,
        kind="label",
        categories=["same", "alike", "other"],
    )

    assert parsed.items[1].check
    assert parsed.items[1].check.categories == ("same", "alike")
    assert parsed.items[1].expected is None
    assert parsed.items[0].metadata == {"expected": "nothing known"}


def test_a_category_that_the_study_does_not_have_is_refused() -> None:
    said = _refused(
        "p1\ta\tb\t\t",
        "c1\ta\ta\tsme\tloud",
        "c2\ta\tc\t \tloud",
        header=LABELLED,
        kind="label",
        categories=["same", "other"],
    )

    assert said == [
        (
            "line 3: expected has 'sme', which is not a category of the study; choose from "
            "same, other"
        ),
        "line 4: expected is missing; write the right category; separate several with |",
    ]


@pytest.mark.django_db
def test_checks_are_stored_with_the_items_and_go_with_them(tmp_path: Path) -> None:
    study = empty_study()
    rows = ["p1\tone\ttwo\t\t\t\t", "c1\tone\tone\t6\tloud\tIt is the same.\t1"]
    import_text(study, tmp_path, table(*rows, header=RATED), "items.tsv")

    (check,) = study.checks.all()
    assert str(check.item) == "c1"
    assert (check.style, check.explanation, check.tolerance) == ("loud", "It is the same.", 1)
    assert [item.key for item in study.items.without_checks()] == ["p1"]

    import_text(study, tmp_path, table("p1\tone\ttwo"), "items.tsv")
    assert not Check.objects.exists()


@pytest.mark.django_db
def test_of_what_is_compared_one_check_is_stored_for_the_pool(tmp_path: Path) -> None:
    study = empty_study(QuestionKind.BEST_WORST)

    import_text(study, tmp_path, compared_texts(["silent"], items=8), "items.tsv")

    (check,) = study.checks.all()
    assert (str(check.pool), check.item, check.style) == ("g1", None, "silent")
    assert study.items.without_checks().count() == 8


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["best_worst", "rating", "label"])
def test_what_the_page_shows_as_an_example_can_be_imported(kind: str, tmp_path: Path) -> None:
    study = empty_study(QuestionKind(kind))
    page = signed_in(study.owner).get(url(study, "items")).content.decode()
    (example,) = [
        html.unescape(code)
        for code in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
        if "check" in code.splitlines()[0]
    ]
    if kind == "best_worst":
        # Not as many as a question shows at once.
        example += "".join(f"\nw{n}\t\t\t\t\tword {n}" for n in range(2, 9))

    import_text(study, tmp_path, f"{example}\n", "items.tsv")

    assert study.checks.count() == (1 if kind == "best_worst" else 2)
    shown = text(signed_in(study.owner).get(url(study, "items")))
    assert "tutorial: explains the answer" in shown


@pytest.mark.django_db
def test_the_preview_says_how_many_items_belong_to_checks() -> None:
    study = empty_study()
    file = SimpleUploadedFile("items.tsv", rated_pairs().encode())

    page = signed_in(study.owner).post(url(study, "upload"), {"file": file}, follow=True)

    assert "7 pairs of target and candidate. 3 of the items are part of checks." in text(page)


@pytest.mark.django_db
def test_the_preview_shows_a_check_of_each_style_with_its_answer() -> None:
    study = empty_study(kind="rating")
    table = rated_pairs(["loud", "tutorial", "loud"])
    file = SimpleUploadedFile("items.tsv", table.encode())

    page = text(signed_in(study.owner).post(url(study, "upload"), {"file": file}, follow=True))

    seen = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert (
        "loud: asks again after a wrong answer · 2 checks, for example: Known target 1. /"
        " Known candidate 1. · right answer: 6 (tolerance 1) · explanation: Both say the same."
    ) in seen
    assert "tutorial: explains the answer · 1 check, for example: Known target 2." in seen
    assert "silent: only noted" not in seen
    assert "Kept as metadata" not in seen


@pytest.mark.django_db
def test_the_preview_shows_what_is_best_and_worst_of_a_check() -> None:
    study = empty_study(kind="best_worst")
    file = SimpleUploadedFile("items.tsv", compared_texts(["silent"]).encode())

    page = text(signed_in(study.owner).post(url(study, "upload"), {"file": file}, follow=True))

    seen = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "silent: only noted · 1 check, for example: The best of 1. / The middle of 1." in seen
    assert "best: The best of 1. · worst: The worst of 1." in seen


@pytest.mark.django_db
def test_the_preview_names_columns_that_are_only_metadata() -> None:
    study = empty_study(kind="rating")
    table = "id\ttarget\tcandidate\tchek\tquestion\na\tOne.\tTwo.\tloud\tWhy?\n"
    file = SimpleUploadedFile("items.tsv", table.encode())

    response = signed_in(study.owner).post(url(study, "upload"), {"file": file}, follow=True)
    page = in_one_line(text(response))

    assert (
        "Kept as metadata (annotators do not see it, but exported files contain it): "
        '<code dir="auto">chek</code></p>'
    ) in page


def test_what_is_said_of_parts_is_named_with_them() -> None:
    dialogue = {
        "id": "d1",
        "turns": [{"text": "Of d1.", "mood": "glad"}],
        "candidates": [{"text": "one", "of": 1}, {"text": "two", "of": 2}],
        "chek": "loud",
    }

    assert previews.metadata_names(read(jsonl(dialogue))) == ["chek", "turns.mood", "of"]


def test_what_a_candidate_that_is_no_check_expects_is_metadata_as_ever() -> None:
    parsed = read(
        jsonl(
            {
                "id": "d1",
                "turns": [{"text": "Of d1."}],
                "candidates": [{"text": "one", "expected": "much", "check": ""}],
            }
        ),
        kind="rating",
    )

    assert parsed.items[0].metadata == {"expected": "much"}


def test_where_sentences_are_selected_nothing_can_be_checked() -> None:
    incident = {
        "id": "i1",
        "summary": ["One."],
        "reports": [{"id": "r1", "sentences": ["A.", "B.", "C."]}],
        "check": "loud",
    }

    assert problems(jsonl(incident), kind="selection") == [
        "line 1: check is given, but a selection study has no known answers; leave it out"
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("low", "high", "step", "tolerance"),
    [("0", "2", "1", "1"), ("-1", "1", "0.5", "0.5"), ("0", "1", "1", "0")],
)
def test_examples_on_the_page_have_numbers_of_the_own_scale(
    low: str, high: str, step: str, tolerance: str
) -> None:
    study = empty_study(QuestionKind.RATING)
    study.scale = Scale(Decimal(low), Decimal(high), Decimal(step)).as_json
    study.save()

    page = html.unescape(text(signed_in(study.owner).get(url(study, "items"))))

    checks = [line.split("\t") for line in page.splitlines() if line.startswith(("c1", "c2"))]
    assert [(line[2], line[4]) for line in checks] == [(high, tolerance), (low, tolerance)]
    (known,) = re.findall(r'"expected": ([^}]*)}', page)
    assert known == high


# -- The scale ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [9, -1])
def test_a_known_answer_outside_the_scale_is_refused(value: int) -> None:
    scale = Scale.of({"low": "0", "high": "6", "step": "1"})

    [in_table] = _refused(f"p1\tone\ttwo\t{value}\t\t\t", scale=scale)
    [in_json] = problems(jsonl(pair(expected=value)), scale=scale)

    assert in_table.startswith("line 2: ")
    assert in_json.startswith("line 1: ")
    for problem in (in_table, in_json):
        assert all(number in problem for number in (str(value), "0", "6"))
    # Between two points it is the mean of an earlier study.
    for known in (0, 2.5, 6):
        assert read(jsonl(pair(expected=known)), scale=scale).items[0].expected == Decimal(
            str(known)
        )


@pytest.mark.django_db
def test_a_study_refuses_known_answers_outside_its_scale(tmp_path: Path) -> None:
    study = empty_study()
    study.scale = {"low": "0", "high": "6", "step": "1"}
    study.save()
    content = jsonl(pair(expected=9))

    with pytest.raises(ImportProblemsError):
        import_text(study, tmp_path, content, "pairs.jsonl")

    # Values that were collected elsewhere may be on another scale.
    path = tmp_path / "pairs.jsonl"
    imports.import_items(study=study, path=path, filename=path.name, will_be_imported=True)
    assert study.items.get().expected == 9
