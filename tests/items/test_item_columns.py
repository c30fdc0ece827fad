"""Tables whose columns have names of their own: how they are separated, and what each one is."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics.errors import ImportProblemsError
from annotation.core.services import jobs
from annotation.items.imports import text_columns, text_pairs
from annotation.items.imports.columns import UnknownColumnsError, of_json, parse, suggestions
from annotation.items.imports.lines import delimiter_of
from annotation.items.services import uploads
from annotation.kinds.registry import KINDS
from annotation.models import Job, Study
from tests.support.api import by_token
from tests.support.factories import make_study
from tests.support.item_files import problems, read
from tests.support.researcher_pages import signed_in, url

PAIRS = "Nr;answer1;answer2;gold;expected\n1;Yes, it is.;It is.;a;2,5\n2;No.;Never; ever.;b;\n"
# As a spreadsheet writes it.
GERMAN = PAIRS.replace("Never; ever.", '"Never; ever."')
CHOSEN = {"Nr": "id", "answer1": "target", "answer2": "candidate"}


def empty_study(preset: str = "stss-131") -> Study:
    return make_study(preset=preset, dialogues=0)


def upload(client: Client, study: Study, content: str, name: str = "answers.csv") -> Any:
    file = SimpleUploadedFile(name, content.encode())
    return client.post(url(study, "upload"), {"file": file})


def choices(response: Any, **roles: str) -> dict[str, str]:
    """What the page of columns sends: what it suggests, and what is chosen instead."""
    rows = response.context["form"].rows
    suggested = {field.html_name: column.suggested for field, column in rows}
    named = {column.name: field.html_name for field, column in rows}
    chosen = {named[name]: role for name, role in roles.items()}
    return {**suggested, **chosen, "filename": response.context["filename"]}


# -- Delimiters ---------------------------------------------------------------------------------

texts = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from([*' ,;"\n']), min_size=1
).map(
    # At least one character that people see.
    lambda text: f"{text}x"
)


@given(
    st.sampled_from(",;\t"),
    st.sampled_from([["id", "target", "candidate"], ["Nr", "answer1", "answer2"]]),
    st.lists(st.tuples(texts, texts), min_size=1, max_size=8, unique=True),
)
def test_texts_come_back_whole_whatever_separates_them(
    delimiter: str, header: list[str], pairs: list[tuple[str, str]]
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(header)
    writer.writerows([number, *pair] for number, pair in enumerate(pairs))

    roles = dict(zip(header, ("id", "target", "candidate"), strict=True))
    parsed = read(out.getvalue(), "pairs.csv", columns=None if header[0] == "id" else roles)

    assert [(item.target, item.candidate) for item in parsed.items] == pairs


@pytest.mark.parametrize(
    ("header", "following", "delimiter"),
    [
        ("answer1;answer2", [], ";"),
        ("answer1;answer2", ["Yes, it is.;No"], ";"),
        ("answer1,answer2", ["Yes; it is,No"], ","),
        ("a, first;b", ["x;y", "u, v, w;z"], ";"),
        ('"a;b",c', ["x,y"], ","),
        ("a;b\tc", ["x\ty"], "\t"),
        ("one; two", ["three", "four"], ","),
        ("a,b;c", ["x,y"], ","),
        ("a;b", [*["x;y"] * 19, "broken"], ";"),
        ("id;target;note, if any", [], ";"),
    ],
)
def test_the_delimiter_is_what_makes_columns(
    header: str, following: list[str], delimiter: str
) -> None:
    assert delimiter_of(header, following) == delimiter


def test_a_table_with_tabs_is_one_whatever_its_name_ends_with() -> None:
    with pytest.raises(UnknownColumnsError):
        read("sentence_a\tsentence_b\nx\ty\n", "pairs.txt", kind="best_worst")

    parsed = read("a\ttab\nin no other line\n", "texts.txt", kind="best_worst")
    assert (parsed.shape, len(parsed.items)) == ("single", 2)


def test_texts_to_sample_and_to_train_with_may_be_separated_by_semicolons() -> None:
    content = b"Yes, it is.;No, it is not.\nMaybe.;Never.\n"

    columns = text_columns.read(io.BytesIO(content), limit_bytes=1000)
    pairs = text_pairs.read(io.BytesIO(content))

    assert (columns.target.texts, columns.candidate.texts) == (
        ["Yes, it is.", "Maybe."],
        ["No, it is not.", "Never."],
    )
    assert pairs == [("Yes, it is.", "No, it is not."), ("Maybe.", "Never.")]


# -- Roles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "kind", "roles"),
    [
        ("answer1 answer2", "rating", "target candidate"),
        ("sentence_a sentence_b gold", "rating", "target candidate metadata"),
        ("Premise Hypothesis label", "label", "target candidate metadata"),
        ("reference candidate question", "rating", "target candidate question"),
        ("s1 s2 text", "best_worst", "target candidate metadata"),
        ("nr word", "best_worst", "id text"),
        ("word gruppe", "rating", "metadata group"),
        ("question1 question2", "rating", "target candidate"),
        ("context_1 context_2", "label", "target_context candidate_context"),
    ],
)
def test_a_sensible_role_is_suggested(names: str, kind: str, roles: str) -> None:
    assert suggestions(names.split(), KINDS[kind].items) == roles.split()


@pytest.mark.parametrize("kind", ["rating", "label", "best_worst"])
@pytest.mark.parametrize(
    "content",
    [
        "answer1;answer2\na;b\n",
        "id,premise,hypothesis\n1,a,b\n",
        "id,target\n1,a\n",
        "target,candidate\na,b\n",
        "cat,dog\n",
    ],
)
def test_a_table_whose_columns_are_unknown_is_never_read_as_texts(content: str, kind: str) -> None:
    with pytest.raises(UnknownColumnsError) as caught:
        read(content, "items.csv", kind=kind)

    [sentence] = caught.value.problems
    header = content.splitlines()[0]
    assert all(name in sentence for name in re.split("[,;]", header))


def test_two_columns_of_texts_are_not_taken_for_one() -> None:
    with pytest.raises(UnknownColumnsError):
        read("id,text,text2\n1,a,b\n", "items.csv", kind="best_worst")

    parsed = read(
        "id,text,text2\n1,a,b\n", "items.csv", kind="best_worst", columns={"text": "text"}
    )
    assert (parsed.shape, parsed.items[0].metadata) == ("single", {"text2": "b"})


def test_columns_get_their_roles_and_the_others_are_metadata_or_left_out() -> None:
    columns = {**CHOSEN, "gold": "leave_out"}

    parsed = read(GERMAN, "pairs.csv", columns=columns)

    assert [(i.key, i.target, i.candidate, i.metadata) for i in parsed.items] == [
        ("1", "Yes, it is.", "It is.", {}),
        ("2", "No.", "Never; ever.", {}),
    ]
    assert str(parsed.items[0].expected) == "2.500"
    assert read(GERMAN, "pairs.csv", columns=CHOSEN).items[1].metadata == {"gold": "b"}


def test_without_a_column_of_ids_items_are_called_by_their_lines() -> None:
    parsed = read('a;b\n"x\ny";z\nu;v\n', "pairs.csv", columns={"a": "target", "b": "candidate"})

    assert [item.key for item in parsed.items] == ["line-2", "line-4"]


def test_a_column_that_is_called_like_a_role_and_is_another_is_kept_apart() -> None:
    columns = {"text1": "target", "text2": "candidate", "target": "metadata"}

    parsed = read("id,text1,text2,target\n1,a,b,0\n", "pairs.csv", columns=columns)

    assert (parsed.items[0].target, parsed.items[0].metadata) == ("a", {"original_target": "0"})


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"answer1": "target"}, "no column is chosen as candidate"),
        ({"answer1": "target", "answer2": "target"}, "are all assigned to target"),
        ({"answer3": "target", "answer2": "candidate"}, "has no column 'answer3'"),
        ({"answer1": "text"}, "'text' is not a possible role of a column"),
        ({"answer1": "first"}, "'first' is not a possible role of a column"),
    ],
)
def test_roles_that_do_not_fit_are_refused(columns: dict[str, str], sentence: str) -> None:
    assert sentence in problems(GERMAN, "pairs.csv", columns=columns)[0]


def test_a_pair_and_a_single_text_cannot_both_be_chosen() -> None:
    columns = {"answer1": "target", "answer2": "candidate", "gold": "text"}

    assert len(problems(GERMAN, "pairs.csv", kind="label", columns=columns)) == 1


@pytest.mark.parametrize(
    ("content", "n"),
    [("", 1), ("answer1;answer2\n", 1), ("answer1;answer1\na;b\n", 1), ('{"id": "a"}', 1)],
)
def test_files_without_pairs_are_refused_with_roles_too(content: str, n: int) -> None:
    columns = {"answer1": "target", "answer2": "candidate"}

    assert len(problems(content, "pairs.csv", columns=columns)) == n


def test_a_header_with_a_name_twice_is_refused_before_anybody_is_asked() -> None:
    [sentence] = problems("answer;answer;x\na;b;c\n", "pairs.csv")

    assert "'answer' occurs twice" in sentence


@pytest.mark.parametrize("part", ["target", "=answer1", "target=", "target=a\x00"])
def test_a_part_that_is_no_role_and_column_is_refused(part: str) -> None:
    with pytest.raises(ImportProblemsError):
        parse([part])


def test_one_column_cannot_have_two_roles() -> None:
    with pytest.raises(ImportProblemsError) as caught:
        parse(["target=answer1", "candidate=answer1"])

    assert "'answer1'" in caught.value.problems[0]
    assert parse(["target=a=b", "leave_out=c", "leave_out=d"]) == {
        "a=b": "target",
        "c": "leave_out",
        "d": "leave_out",
    }


@pytest.mark.parametrize("text", ["[", "[]", '{"a": 1}', '{"a\\u0000": "id"}', '"x"'])
def test_what_a_page_hands_on_is_looked_at(text: str) -> None:
    with pytest.raises(Exception, match="Choose them again"):
        of_json(text)


# -- The page -----------------------------------------------------------------------------------

on_pages = pytest.mark.django_db


@on_pages
def test_columns_are_chosen_before_the_preview_and_kept_until_the_import() -> None:
    study = empty_study()
    client = signed_in(study.owner)

    page = client.get(upload(client, study, GERMAN)["Location"])
    found = [(c.name, c.values[0], c.suggested) for _field, c in page.context["form"].rows]
    address = url(study, "import_columns", page.context["name"])
    preview = client.post(address, choices(page, gold="leave_out"))
    client.post(
        url(study, "import_start", page.context["name"]),
        {"filename": "answers.csv", "columns": preview.context["columns"]},
    )
    jobs.run(Job.objects.get().pk)

    assert found[:3] == [
        ("Nr", "1", "id"),
        ("answer1", "Yes, it is.", "target"),
        ("answer2", "It is.", "candidate"),
    ]
    assert preview.status_code == 200
    assert preview.context["parsed"].shape == "pairs"
    assert [
        (i.key, i.target, i.candidate, i.metadata) for i in study.items.order_by("number")
    ] == [
        ("1", "Yes, it is.", "It is.", {}),
        ("2", "No.", "Never; ever.", {}),
    ]


@on_pages
def test_a_table_whose_columns_are_known_is_not_asked_about() -> None:
    study = empty_study()
    client = signed_in(study.owner)

    known = upload(client, study, "id;target;candidate\n1;a;b\n")["Location"]

    assert known.startswith(url(study, "import_preview", "x").removesuffix("x/"))
    page = client.get(known)
    assert page.status_code == 200
    again = client.get(page.context["columns_url"])
    assert [c.suggested for _f, c in again.context["form"].rows] == ["id", "target", "candidate"]


@pytest.mark.slow
@on_pages
def test_wrong_choices_stay_on_the_page_with_the_file() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    page = client.get(upload(client, study, GERMAN)["Location"])
    address = url(study, "import_columns", page.context["name"])

    twice = client.post(address, choices(page, gold="target"))
    no_numbers = client.post(address, choices(page, gold="expected", expected="metadata"))
    forged = client.post(address, choices(page, gold="nothing"))
    right = client.post(address, choices(page))

    assert [r.status_code for r in (twice, no_numbers, forged, right)] == [400, 400, 400, 200]
    assert len(twice.context["problems"]) == 1
    assert twice.context["form"]["column-3"].value() == "target"
    assert [sentence.split(":")[0] for sentence in no_numbers.context["problems"]] == [
        "line 2",
        "line 3",
    ]
    assert forged.context["form"].errors


@on_pages
def test_the_preview_of_an_unknown_table_leads_to_its_columns() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    name = client.get(upload(client, study, GERMAN)["Location"]).context["name"]

    looked = client.get(url(study, "import_preview", name), {"filename": "answers.csv"})

    assert looked.status_code == 302
    assert url(study, "import_columns", name) in looked["Location"]


@on_pages
def test_columns_that_are_no_longer_readable_are_not_imported() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    name = client.get(upload(client, study, GERMAN)["Location"]).context["name"]

    client.post(
        url(study, "import_start", name), {"filename": "answers.csv", "columns": '{"\\u0000": 1}'}
    )

    assert not Job.objects.exists()


@on_pages
def test_what_becomes_of_earlier_items_is_asked_without_losing_the_columns() -> None:
    study = make_study(preset="labels", dialogues=1)
    client = signed_in(study.owner)
    page = client.get(upload(client, study, PAIRS.replace("; ever", ""))["Location"])
    address = url(study, "import_columns", page.context["name"])
    columns = client.post(address, choices(page, expected="metadata")).context["columns"]

    asked = client.post(
        url(study, "import_start", page.context["name"]),
        {"filename": "answers.csv", "columns": columns},
    )

    assert asked.status_code == 400
    assert asked.context["columns"] == columns
    assert not Job.objects.exists()


@on_pages
def test_a_file_of_no_columns_has_no_page_of_them() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)
    stored = uploads.store_upload(
        study=study, file=io.BytesIO(b'{"id": "a"}'), filename="a.jsonl", by=study.owner
    )

    page = client.get(url(study, "import_columns", stored["path"]), {"filename": "a.jsonl"})

    assert page.status_code == 400
    assert len(page.context["problems"]) == 1


# -- Command and API ----------------------------------------------------------------------------


def command(*arguments: object) -> None:
    call_command(*map(str, arguments), stdout=io.StringIO(), stderr=io.StringIO())


@on_pages
def test_a_command_says_which_column_is_what(tmp_path: Path) -> None:
    study = empty_study()
    file = tmp_path / "answers.csv"
    file.write_text(GERMAN)
    roles = ["--column", "target=answer1", "--column", "candidate=answer2"]

    command("import_items", study.slug, file, *roles, "--column", "leave_out=gold")

    assert [(i.key, i.target, i.metadata) for i in study.items.order_by("number")] == [
        ("line-2", "Yes, it is.", {"Nr": "1"}),
        ("line-3", "No.", {"Nr": "2"}),
    ]


@on_pages
@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ([], "--column ROLE=COLUMN"),
        (["target=answer1", "candidate=answer1"], "answer1"),
        (["target=answer1", "candidate=nowhere"], "nowhere"),
        (["target=answer1"], "candidate"),
        (["target"], "ROLE=COLUMN"),
    ],
)
def test_a_command_refuses_what_it_cannot_do(
    tmp_path: Path, roles: list[str], expected: str
) -> None:
    study = empty_study()
    file = tmp_path / "answers.csv"
    file.write_text(GERMAN)

    with pytest.raises(CommandError, match=expected):
        command("import_items", study.slug, file, *(f"--column={role}" for role in roles))

    assert not study.items.exists()


@on_pages
def test_a_script_says_which_column_is_what() -> None:
    study = empty_study()
    client = by_token(study.owner)
    address = f"/api/v1/studies/{study.slug}/items/"

    def send(where: str, **said: str) -> Any:
        file = SimpleUploadedFile("answers.csv", GERMAN.encode())
        return client.post(where, {"file": file, **said})

    unsaid = send(address)
    wrong = send(address, columns="target=answer1\ncandidate=answer1")
    roles = "id=Nr\ntarget=answer1\ncandidate=answer2\nleave_out=gold"
    checked = send(f"{address}check/", columns=roles)
    started = send(address, columns=roles)
    jobs.run(Job.objects.get().pk)

    assert [r.status_code for r in (unsaid, wrong, checked, started)] == [400, 400, 200, 202]
    assert "answer1" in json.dumps(unsaid.json())
    assert checked.json()["shape"] == "pairs"
    assert [item.key for item in study.items.order_by("number")] == ["1", "2"]


@pytest.mark.django_db
def test_a_table_of_very_many_columns_is_refused_without_a_form_for_each() -> None:
    study = make_study()
    client = signed_in(study.owner)
    content = ",".join(f"c{n}" for n in range(10_000)) + "\n" + ",".join("x" * 10_000) + "\n"

    page = upload(client, study, content)
    if page.status_code == 302:
        page = client.get(page["Location"])

    assert page.status_code == 400
    assert len(page.content) < 200_000
    assert "10000" in str(page.context["problems"])
