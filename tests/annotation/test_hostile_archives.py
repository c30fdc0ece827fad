"""ZIPs of Potato's folder that nobody packed in good faith: refused in words, and read quickly."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.imports.foreign import potato_folder
from annotation.imports.foreign.entries import Remarks
from annotation.imports.problems import Problems
from annotation.models import Judgment
from tests.annotation.finished_files import MAKE, imported, refused
from tests.annotation.test_finished_potato import ANNA, BERT, PAIRS, RATING, ratings_of
from tests.factories import make_user

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
        found = potato_folder.read(folder, problems, Remarks(), limit_bytes=10**6, kind="rating")
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
    content = potato_folder.Packed.content

    def counted(folder: potato_folder.Packed, name: str) -> bytes:
        read.append(name)
        return content(folder, name)

    monkeypatch.setattr(potato_folder.Packed, "content", counted)
    imported(file, "s", "potato", *MAKE, *RATING)

    assert ratings_of("s") == [("bert", "p1", 1)]
    assert read == ["p.jsonl", STATE]
