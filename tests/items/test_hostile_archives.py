"""ZIPs of Potato's folder that nobody packed in good faith: refused in words, and read quickly."""

import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.items.imports.foreign import folders, potato, potato_folder
from annotation.items.imports.foreign.entries import Remarks
from annotation.items.imports.problems import Problems
from annotation.kinds.registry import KINDS
from annotation.models import Judgment
from tests.items.test_finished_potato import ANNA, BERT, PAIRS, RATING, ratings_of
from tests.support.factories import make_user
from tests.support.finished_files import MAKE, imported, refused

pytestmark = pytest.mark.django_db

STATE = "out/anna/user_state.json"


@pytest.fixture(autouse=True)
def _researcher() -> None:
    make_user("researcher")


def packed(files: list[tuple[str, str]], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_file_of_any_compression_is_named(how: int, tmp_path: Path) -> None:
    whole = packed([(STATE, json.dumps(ANNA))], how)
    begins = 30 + len(STATE)
    file = tmp_path / "out.zip"
    # Behind what a compression says of itself.
    for place in range(begins + 16, begins + 56, 4):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        (problem,) = refused(file, "s", "potato", *MAKE, *RATING)
        assert problem == (
            f"{STATE} cannot be unpacked; pack the folder again, without a password"
        ), place


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "out.zip"
    whole = packed([("out/pärs.jsonl", PAIRS), (STATE, json.dumps(ANNA))])
    file.write_bytes(whole.replace("ä".encode(), b"\xff\xfe"))

    assert refused(file, "s", "potato", *MAKE, *RATING) == [
        "The ZIP is damaged: pack the folder again."
    ]


@pytest.mark.parametrize(
    "spent", [{"total_time_ms": 10**400}, {"time_string": f"Time spent: {'9' * 5000}d 0h 0m 0s"}]
)
def test_a_time_without_end_costs_no_answer(spent: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "out.zip"
    behaviour = {"instance_id_to_behavioral_data": {"p1": spent}}
    file.write_bytes(packed([("p.jsonl", PAIRS), (STATE, json.dumps({**ANNA, **behaviour}))]))

    imported(file, "s", "potato", *MAKE, *RATING)

    assert ratings_of("s") == [("anna", "p1", 2), ("anna", "p2", 0)]
    assert not Judgment.objects.exclude(active_ms=None).exists()


def entries_on_one_file(n: int) -> bytes:
    """A ZIP64 whose directory names one and the same empty file again and again."""
    local = b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    rest = struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0)
    directory = b"".join(b"PK\x01\x02%b%06x" % (rest, number) for number in range(n))
    size, at = len(directory), len(local) + len(directory)
    ends = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, n, n, size, len(local))
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, at, 1)
    # The number of entries at the end may be anything: here it is one.
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 2**32 - 1, 2**32 - 1, 0)
    return local + directory + ends + locator + end


@pytest.mark.parametrize("limit", ["MAX_ENTRIES", "MAX_DIRECTORY_BYTES"])
def test_a_zip_has_so_many_files(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    class Counted(zipfile.ZipInfo):
        def __init__(self, *given: Any) -> None:
            made.append(given)
            super().__init__(*given)

    monkeypatch.setattr(folders, limit, 100)
    monkeypatch.setattr(zipfile, "ZipInfo", Counted)
    file = tmp_path / "out.zip"
    file.write_bytes(entries_on_one_file(101))

    (problem,) = refused(file, "s", "potato", *MAKE, *RATING)

    assert f"{folders.MAX_ENTRIES:,}" in problem
    # Where the directory is too large, nothing is made of it.
    assert len(made) == (101 if limit == "MAX_ENTRIES" else 0)


@pytest.mark.slow
def test_a_zip_of_thousands_of_people_is_read() -> None:
    """What a ZIP may have is far beyond them: five files and a folder for each."""
    n_people = 3000
    names = ["user_state.json", "assigned_user_data.json", "order.txt", "log.txt", "notes.txt"]
    whole = packed(
        [(f"annotation_output/{n:024x}/{name}", "") for n in range(n_people) for name in names]
        + [(f"annotation_output/{n:024x}/", "") for n in range(n_people)],
        zipfile.ZIP_STORED,
    )

    folder = folders.PackedFolder(io.BytesIO(whole), 10**6)

    assert len(folder.names) == 5 * n_people
    assert len(folder.folders) == n_people


def test_the_texts_of_an_instance_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an instance with many texts costs as much again for each of its answers."""
    read_rows = potato.texts_of_instance
    n_texts = []

    def counted(row: Mapping[str, Any]) -> dict[str, str]:
        texts = read_rows(row)
        n_texts.append(len(texts))
        return texts

    monkeypatch.setattr(potato, "texts_of_instance", counted)
    rows = [{"id": "p1", "user": f"u{n}", "label_annotations": {"a": {"v": 1}}} for n in range(50)]
    state = {**ANNA, "instance_id_to_label_to_value": {"p1": [[{"schema": "a", "name": "v"}, 1]]}}
    folder = _Folder(
        {
            "p.jsonl": json.dumps({"id": "p1", "text": "q", "more": ["a"] * 500}),
            "b/annotated_instances.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
            **{f"u{n}/user_state.json": json.dumps(state) for n in range(50)},
        }
    )

    found = [
        *potato_folder.read(
            folder, Problems(), Remarks(), limit_bytes=10**6, kind=KINDS["rating"].items
        )
    ]

    assert len(found) == 100
    assert sum(n > 500 for n in n_texts) == 1
    assert sum(n_texts) < 1000
    assert {entry.shown["more 500"] for entry in found} == {"a"}
    assert {entry.shown["text"] for entry in found} == {"q"}


@pytest.mark.parametrize(
    ("limit", "n", "data"),
    [
        ("json_lines.MAX_VALUES", 30, '{"a": [' + "[]," * 30 + "[]]}"),
        ("json_lines.MAX_OBJECT_LENGTH", 2000, '{"a": "' + "a" * 2000 + '"}'),
        ("foreign.entries.MAX_TEXTS", 20, '{"id": "p1", "text": [' + '"a",' * 20 + '"a"]}'),
        ("foreign.potato_folder.MAX_INSTANCES", 2, PAIRS + PAIRS.replace('"p', '"q')),
        ("problems.MAX_VALUES_READ", 60, '{"id": "p1"}\n' * 30),
        ("problems.MAX_VALUES_READ", 60, "id,text\n" + "p1,a\n" * 30),
    ],
)
def test_a_data_file_that_is_too_large_is_named(
    limit: str, n: int, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"annotation.items.imports.{limit}", n)
    file = tmp_path / "out.zip"
    file.write_bytes(packed([("log.json", data), ("p.jsonl", PAIRS), (STATE, json.dumps(ANNA))]))

    (problem,) = refused(file, "s", "potato", *MAKE, *RATING)

    assert problem.startswith("log.json: line ")
    assert f"{n:,}" in problem


def test_the_files_of_a_folder_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.items.imports.problems.MAX_VALUES_READ", 100)
    file = tmp_path / "out.zip"
    states = [(f"u{n}/user_state.json", json.dumps({**ANNA, "user_id": n})) for n in range(20)]
    file.write_bytes(packed([("p.jsonl", PAIRS), *states]))

    (problem,) = refused(file, "s", "potato", *MAKE, *RATING)

    assert "/user_state.json: line 1: " in problem


class _Counted(list[str]):
    """Names that know how often all of them were gone through."""

    n = 0

    def __iter__(self) -> Iterator[str]:
        self.n += 1
        return super().__iter__()

    def __contains__(self, name: object) -> bool:
        self.n += 1
        return super().__contains__(name)


class _Folder:
    def __init__(self, files: dict[str, str]) -> None:
        self.names: list[str] = _Counted(files)
        self._files = files

    @property
    def folders(self) -> list[str]:
        return []

    def content(self, name: str) -> bytes:
        return self._files[name].encode()


def test_the_names_are_not_gone_through_for_each_person() -> None:
    """A ZIP that may be imported has room for half a million people."""
    n_times = []
    for n_people in (2, 20):
        folder = _Folder(
            {"p.jsonl": PAIRS}
            | {
                f"u{n}/user_state.json": json.dumps({**ANNA, "user_id": n})
                for n in range(n_people)
            }
        )
        problems = Problems()
        found = potato_folder.read(
            folder, problems, Remarks(), limit_bytes=10**6, kind=KINDS["rating"].items
        )
        assert len([*found]) == 2 * n_people
        assert not problems
        n_times.append(folder.names.n)  # type: ignore[attr-defined]
    assert n_times[0] == n_times[1]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_files_of_one_name_the_last_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a short file that is there a thousand times has the last one read as often."""
    file = tmp_path / "out.zip"
    file.write_bytes(
        packed(
            [("p.jsonl", "")] * 5 + [("p.jsonl", PAIRS), (STATE, "{"), (STATE, json.dumps(BERT))]
        )
    )
    read = []
    content = folders.PackedFolder.content

    def counted(folder: folders.PackedFolder, name: str) -> bytes:
        read.append(name)
        return content(folder, name)

    monkeypatch.setattr(folders.PackedFolder, "content", counted)
    imported(file, "s", "potato", *MAKE, *RATING)

    assert ratings_of("s") == [("bert", "p1", 1)]
    assert read == ["p.jsonl", STATE]
