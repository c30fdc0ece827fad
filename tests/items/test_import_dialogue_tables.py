"""Tables of dialogues: one candidate in each row, turns in columns; read as JSON Lines are."""

import csv
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.forms.fields import dialogue_text
from annotation.core.services import jobs
from annotation.items.imports.columns import UnknownColumnsError
from annotation.items.imports.parsed import ParsedItems
from annotation.kinds import default_texts
from annotation.models import Job, Study
from annotation.models.kinds import QuestionKind
from tests.support.api import by_token
from tests.support.item_files import empty_study, jsonl, problems, read
from tests.support.researcher_pages import signed_in, text, url

HEADER = ["dialogue", "turn1", "turn2", "turn3", "candidate"]
SHOP = ["Ann: Is the shop open?", "Ben: Until six, I think.", "Ann: Then let us hurry."]
ROWS = [
    ["d1", *SHOP, "We should be quick."],
    ["d1", "", "", "", "It closes at six."],
    ["d1", *SHOP, "Six it is."],
    ["d2", "No names: here.", ": 10:30, it says.", "", "One."],
    ["d2", "", "", "", "Two."],
    ["d2", "", "", "", "Three."],
]
SAME = [
    {
        "id": "d1",
        "turns": [
            {"speaker": "Ann", "text": "Is the shop open?"},
            {"speaker": "Ben", "text": "Until six, I think."},
            {"speaker": "Ann", "text": "Then let us hurry."},
        ],
        "candidates": [
            {"text": "We should be quick."},
            {"text": "It closes at six."},
            {"text": "Six it is."},
        ],
    },
    {
        "id": "d2",
        "turns": [{"speaker": "No names", "text": "here."}, {"text": "10:30, it says."}],
        "candidates": [{"text": "One."}, {"text": "Two."}, {"text": "Three."}],
    },
]


def written(
    rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER, mark: str = "\t"
) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def read_rows(
    rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER, **options: Any
) -> ParsedItems:
    return read(
        written(rows, header), "d.tsv", **{"kind": "best_worst", "tuple_size": 3, **options}
    )


def places(
    rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER, **options: Any
) -> list[tuple[int, str]]:
    """The line of each problem, and its text."""
    given_options = {"kind": "best_worst", "tuple_size": 3, **options}
    found = problems(written(rows, header), "d.tsv", **given_options)
    matches = [re.fullmatch(r"line (\d+): (.+)", problem) for problem in found]
    assert all(matches), found
    return [(int(match[1]), match[2]) for match in matches if match]


@pytest.mark.parametrize("kind", ["best_worst", "ranking", "rating", "label"])
@pytest.mark.parametrize(
    ("mark", "filename"),
    [("\t", "d.tsv"), (",", "d.csv"), (";", "d.csv"), ("\t", "d.txt"), (";", "d.txt")],
)
def test_a_table_is_read_as_the_equal_json_lines(kind: str, mark: str, filename: str) -> None:
    options = {"kind": kind, "tuple_size": 3}

    assert read(written(ROWS, mark=mark), filename, **options) == read(
        jsonl(*SAME), "d.jsonl", **options
    )


@pytest.mark.parametrize(
    "header",
    [
        ["group", "turn1", "turn2", "turn3", "candidate"],
        [" Dialogue", "Turn 1", "TURN_2", "turn03 ", "Candidate"],
    ],
)
def test_spellings_of_the_columns(header: list[str]) -> None:
    assert read_rows(ROWS, header) == read_rows(ROWS)


def test_turns_may_stand_in_any_order_of_columns_and_in_any_row_of_the_dialogue() -> None:
    rows = [[row[4], row[3], row[0], row[2], row[1]] for row in ROWS]
    rows[3][4], rows[4][4] = "", rows[3][4]
    rows[3][3], rows[4][3] = "", rows[3][3]

    assert read_rows(rows, ["candidate", "turn3", "dialogue", "turn2", "turn1"]) == read_rows(ROWS)


def test_the_id_may_stand_in_the_first_row_alone() -> None:
    rows = [row if any(row[1:4]) else ["", *row[1:]] for row in ROWS]
    assert [row[0] for row in rows].count("") == 3

    assert read_rows(rows) == read_rows(ROWS)


def test_further_columns_belong_to_the_dialogue_or_to_the_candidate() -> None:
    header = [*HEADER[:2], "candidate", "id", "intended_class", "domain", "source", "mood"]
    rows = [
        ["d1", "A: Hi.", "One.", "x", "1", "travel", "", "glad"],
        ["d1", "", "Two.", "", "", "travel", "", ""],
        ["d1", "", "Three.", "", "3", "", "written", ""],
    ]
    same = {
        "id": "d1",
        "domain": "travel",
        "source": "written",
        "turns": [{"speaker": "A", "text": "Hi."}],
        "candidates": [
            {"id": "x", "text": "One.", "intended_class": "1", "mood": "glad"},
            {"text": "Two."},
            {"text": "Three.", "intended_class": "3"},
        ],
    }

    assert read_rows(rows, header) == read(jsonl(same), kind="best_worst", tuple_size=3)


def test_a_dialogue_may_be_a_check() -> None:
    header = ["dialogue", "check", "explanation", "expected", "turn1", "candidate"]
    check = [
        ["c", "tutorial", "So it is.", "2", "A: Hi.", "Hello."],
        ["c", "", "", "1", "", "Go away."],
    ]
    others = [["d", "", "", "", "A: Yes?", f"Yes {n}."] for n in range(3)]

    parsed = read_rows([*check, *others], header)

    assert [item.check is not None for item in parsed.items] == [True, True, False, False, False]
    assert parsed.items[1].check == parsed.items[0].check
    unexplained = [["d", "", "Why?", "", "A: Yes?", "Yes."], *others[1:]]
    assert {line for line, _problem in places([*check, *unexplained], header)} == {4, 5, 6}


def test_where_items_are_not_compared_a_candidate_may_be_a_check() -> None:
    header = ["dialogue", "turn1", "candidate", "check", "expected"]
    rows = [["d", "A: Hi.", "Hello.", "silent", "6"], ["d", "", "Go away.", "", ""]]

    parsed = read_rows(rows, header, kind="rating")

    assert [item.check is not None for item in parsed.items] == [True, False]


def test_a_table_with_candidates_but_without_turns_stays_one_of_pairs() -> None:
    assert read_rows(
        [[str(n), "A", f"B{n}"] for n in range(3)], ["id", "target", "candidate"]
    ).shape == ("pairs")
    with pytest.raises(UnknownColumnsError):
        read_rows([["1", "A", "B"]], ["id", "turn1", "turn2"], kind="rating")


@pytest.mark.parametrize(
    ("header", "named"),
    [
        (["id", "turn1", "candidate"], "dialogue"),
        (["dialogue", "group", "turn1", "candidate"], "group"),
        (["dialogue", "turn1", "candidate", "target"], "target"),
        (["dialogue", "turn1", "candidate", "text"], "text"),
        (["dialogue", "turn0", "turn1", "candidate"], "0, 1"),
        (["dialogue", "turn1", "turn3", "candidate"], "1, 3"),
        (["dialogue", "turn1", "Turn 1", "candidate"], "turn1"),
        (["dialogue", "turn1", "candidate1", "Candidate 2"], "column candidate"),
    ],
)
def test_a_header_that_does_not_fit_is_one_problem(header: list[str], named: str) -> None:
    ((line, problem),) = places([["x"] * len(header)] * 3, header)

    assert line == 1
    assert named in problem
    assert "; " in problem


def changed(changes: Mapping[tuple[int, int], str]) -> list[list[str]]:
    """The rows with other cells, by their line in the file and their column."""
    rows = [list(row) for row in ROWS]
    for (line, column), cell in changes.items():
        rows[line - 2][column] = cell
    return rows


@pytest.mark.parametrize(
    ("changes", "line", "named"),
    [
        # A row with turns may begin another dialogue, and the first one does.
        ({(4, 0): ""}, 4, "dialogue"),
        ({(2, 0): ""}, 2, "dialogue"),
        ({(3, 4): " "}, 3, "candidate"),
        ({(3, 4): "Six it is."}, 4, "line 3"),
        ({(4, 2): "Ben: Until seven."}, 4, "turn2"),
        ({(4, 3): ""}, 4, "turn3"),
        ({(6, 3): "Only this one."}, 6, "turn1"),
        ({(5, 1): "", (5, 2): ""}, 5, "turns"),
        ({(5, 1): ""}, 5, "turn1"),
        ({(5, 2): "Ben:"}, 5, "turn2"),
        ({(5, 1): f"{'x' * 201}: y"}, 5, "turn1"),
        ({(5, 0): "d1 ", (6, 0): "d1 ", (7, 0): "d1 "}, 5, "dialogue"),
        ({(7, 0): "d1"}, 7, "line 2"),
        ({(7, 4): "x" * 50_001}, 7, "candidate"),
    ],
)
def test_problems_name_the_row_and_the_column(
    changes: dict[tuple[int, int], str], line: int, named: str
) -> None:
    found = places(changed(changes), tuple_size=2)

    assert [place for place, _problem in found] == [line]
    assert named in found[0][1]
    assert "[" not in found[0][1]
    assert "; " in found[0][1]


def test_other_values_of_a_dialogue_are_a_problem_of_the_row_that_has_them() -> None:
    header = [*HEADER, "domain"]
    domains = ["", "travel", "food", "a", "a", "b"]
    rows = [[*row, domain] for row, domain in zip(ROWS, domains, strict=True)]

    found = places(rows, header)

    assert [line for line, _problem in found] == [4, 7]
    assert all("domain" in problem for _line, problem in found)


def test_too_few_candidates_are_a_problem_of_the_dialogue() -> None:
    ((line, problem),) = places(ROWS[:5])

    assert line == 5
    assert "'d2'" in problem


def test_ids_of_candidates_are_unique_in_the_file() -> None:
    rows = [[*row, key] for row, key in zip(ROWS, ["a", "b", "c", "a", "e", "f"], strict=True)]

    ((line, problem),) = places(rows, [*HEADER, "id"])

    assert line == 5
    assert problem.startswith("id 'a'")
    assert "line 2" in problem


def test_a_row_that_cannot_be_read_says_nothing_of_the_dialogues_around_it() -> None:
    rows = [*ROWS[:2], ["d1", "too short"], *ROWS[3:]]

    assert [line for line, _problem in places(rows)] == [4]


def test_after_a_row_that_cannot_be_read_nobody_knows_whose_the_next_one_is() -> None:
    rows = [*ROWS[:2], ["d9", "too short"], ["", "", "", "", "Whose?"], *ROWS[3:]]

    assert [line for line, _problem in places(rows)] == [4, 5]


def test_rows_that_are_empty_are_passed_over() -> None:
    assert read_rows([*ROWS[:3], [""] * 5, *ROWS[3:], [""] * 5]) == read_rows(ROWS)


def test_a_study_that_takes_no_dialogues_refuses_the_table() -> None:
    (problem,) = problems(written(ROWS), "d.tsv", kind="selection")

    assert "dialogues" in problem


def test_of_a_beginning_the_dialogue_that_may_go_on_is_left_out() -> None:
    content = written(ROWS)

    first, last = content.splitlines()[0], content.splitlines()[-1]
    for n_bytes in range(len(first) + 2, len(content) - len(last) - 1):
        parsed = read(content, "d.tsv", kind="best_worst", tuple_size=3, beginning_bytes=n_bytes)
        assert [pool.key for pool in parsed.pools] in ([], ["d1"])
        assert len(parsed.items) == 3 * len(parsed.pools)


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), max_size=8).map(
    lambda cell: f"a {cell}b"
)
TURNS = st.fixed_dictionaries(
    {"text": LINES}, optional={"speaker": LINES.map(lambda cell: cell.replace(":", "."))}
)
DIALOGUES = st.lists(
    st.fixed_dictionaries(
        {
            "turns": st.lists(TURNS, min_size=1, max_size=4),
            "candidates": st.lists(LINES, min_size=1, max_size=4, unique=True),
            "repeats": st.booleans(),
        }
    ),
    min_size=1,
    max_size=3,
)


@given(DIALOGUES, st.sampled_from("\t,;"))
def test_dialogues_come_back_from_a_table(dialogues: list[dict[str, Any]], mark: str) -> None:
    width = max(len(dialogue["turns"]) for dialogue in dialogues)
    rows, entries = [], []
    for number, dialogue in enumerate(dialogues, start=1):
        cells = [dialogue_text([turn]) for turn in dialogue["turns"]]
        cells += [""] * (width - len(cells))
        for place, candidate in enumerate(dialogue["candidates"]):
            turns = cells if dialogue["repeats"] or not place else [""] * width
            rows.append([f"d{number}", *turns, candidate])
        entries.append(
            {
                "id": f"d{number}",
                "turns": dialogue["turns"],
                "candidates": [{"text": candidate} for candidate in dialogue["candidates"]],
            }
        )
    header = ["dialogue", *(f"turn{n}" for n in range(1, width + 1)), "candidate"]

    assert read(written(rows, header, mark), "d.csv", kind="best_worst") == read(
        jsonl(*entries), kind="best_worst"
    )


# -- Pages, command and API ---------------------------------------------------------------------


def stored(study: Study) -> list[Any]:
    """Each item with its pool and all turns of its dialogue."""
    return [
        (
            item.key,
            item.pool.key,
            item.candidate,
            item.target_turn.position,
            [
                (turn.speaker, turn.text)
                for turn in item.target_turn.context.turns.order_by("position")
            ],
        )
        for item in study.items.order_by("number")
    ]


@pytest.mark.django_db
def test_a_page_imports_a_table_as_the_equal_json_lines() -> None:
    imported = []
    for content, name in ((written(ROWS, mark=";"), "d.csv"), (jsonl(*SAME), "d.jsonl")):
        study = empty_study(QuestionKind.BEST_WORST)
        client = signed_in(study.owner)
        file = SimpleUploadedFile(name, content.encode())
        there = client.post(url(study, "upload"), {"file": file})["Location"]
        preview = client.get(there)
        assert [len(question.turns) for question in preview.context["questions"]] == [3, 2]
        assert not preview.context["columns_url"]
        assert not preview.context["asks_about_dialogues"]
        key = there.split("/preview/")[1].split("/")[0]
        client.post(url(study, "import_start", key), {"filename": name})
        jobs.run(Job.objects.latest("pk").pk)
        imported.append(stored(study))

    assert len(imported[0]) == 6
    assert imported[0] == imported[1]


@pytest.mark.django_db(transaction=True)
def test_a_command_and_a_script_import_a_table(tmp_path: Path) -> None:
    by_command, by_script = (empty_study(QuestionKind.RANKING) for _kind in range(2))
    path = tmp_path / "dialogues.tsv"
    path.write_text(written(ROWS))
    client = by_token(by_script.owner)
    address = f"/api/v1/studies/{by_script.slug}/items/"

    out = io.StringIO()
    call_command("import_items", by_command.slug, str(path), "--json", stdout=out)
    checked, started = (
        client.post(where, {"file": SimpleUploadedFile("d.tsv", written(ROWS).encode())})
        for where in (f"{address}check/", address)
    )
    jobs.run(Job.objects.latest("pk").pk)

    assert json.loads(out.getvalue())["n_dialogues"] == 2
    assert checked.json()["shape"] == "dialogues"
    assert started.status_code == 202
    assert stored(by_command) == stored(by_script)
    assert len(stored(by_command)) == 6


@pytest.mark.django_db
@pytest.mark.parametrize(("preset", "is_first"), [("giccs", True), ("best-worst", False)])
def test_the_page_of_items_shows_a_sample_that_can_be_imported(
    preset: str, is_first: bool
) -> None:
    study = empty_study(QuestionKind.BEST_WORST)
    Study.objects.update(preset=preset)

    page = text(signed_in(study.owner).get(url(study, "items")))

    samples = [html.unescape(sample) for sample in re.findall(r"(?s)<pre[^>]*>(.+?)</pre>", page)]
    tables = [sample for sample in samples if sample.startswith(("dialogue\t", "id\tgroup"))]
    assert [sample.startswith("dialogue\t") for sample in tables] == [is_first, not is_first]
    parsed = read(tables[not is_first], "d.tsv", kind="best_worst", tuple_size=3)
    assert parsed.shape == "dialogues"
    assert parsed.contexts[0].turns[-1].speaker
    assert 'id="dialogue-table"' in page


@pytest.mark.django_db
def test_the_warning_that_turns_are_missing_leads_to_the_table_and_to_the_questions() -> None:
    study = empty_study(QuestionKind.BEST_WORST)
    texts = default_texts.of_dialogues("en")
    Study.objects.update(most_question=texts["most_question"])
    client = signed_in(study.owner)
    pairs = written([[str(n), "A", f"B{n}"] for n in range(5)], ["id", "target", "candidate"])
    file = SimpleUploadedFile("p.tsv", pairs.encode())

    page = text(client.get(client.post(url(study, "upload"), {"file": file})["Location"]))

    warning = page.partition("data-asks-about-dialogues")[2].partition("</div>")[0]
    addresses = re.findall('href="([^"]+)"', warning)
    assert addresses == [f"{url(study, 'items')}#dialogue-table", url(study, "describe")]
