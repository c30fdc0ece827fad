"""Forms with files: what browsers and programs send is read, what is slow to read is not."""

from io import BytesIO

import pytest
import requests

from config import sent_forms
from config.sent_forms import MAX_PARTS, has_readable_parts

TYPE = "multipart/form-data; boundary=b"


def part(disposition: bytes, more: bytes = b"") -> bytes:
    return b"--b\r\nContent-Disposition: form-data" + disposition + more + b"\r\n\r\nx\r\n"


def is_read(*parts: bytes, content_type: str = TYPE) -> bool:
    return has_readable_parts(BytesIO(b"".join(parts) + b"--b--\r\n"), content_type)


@pytest.mark.parametrize(
    "parts",
    [
        [part(b'; name="a"')] * 100,
        [part(b'; name="file"; filename="dialogues.jsonl"', b"\r\nContent-Type: text/plain")],
        [part('; name="a"; filename="Übung; (2) a*b.csv"'.encode(), b"\r\nContent-Type: */*")],
        [part(b"; name=\"a\"; filename*=utf-8''%C3%9C.csv")],
        [part(b'; name="a"; filename="' + b"x" * 255 + b'.csv"')],
        [],
    ],
)
def test_usual_forms_are_read(parts: list[bytes]) -> None:
    assert is_read(*parts)


def test_what_a_program_sends_is_read() -> None:
    sent = requests.Request(
        "POST", "http://a/", data={"format": "nrc"}, files={"file": ("ž.csv", b"x" * 3_000_000)}
    ).prepare()

    assert has_readable_parts(BytesIO(sent.body), sent.headers["Content-Type"])


@pytest.mark.parametrize(
    "slow",
    [
        part(b"; " + b";" * 900),
        part(b'; name="' + b"\\" * 300 + b";" * 600),
        part(b'; name="a"', b"\r\nX: a" + b'""' * 300),
        part(b"; name*=punycode''" + b"a" * 900),
        part(b"; name*0*=idna''" + b"a" * 900),
        part(b"; name *\t= hex''61"),
        part(b'; filename="a"') * (MAX_PARTS + 1),
        b"--b" * (MAX_PARTS + 1),
    ],
    ids=[
        "semicolons",
        "backslashes",
        "quotes",
        "punycode",
        "pieces",
        "blanks",
        "nameless",
        "many",
    ],
)
@pytest.mark.parametrize("n_before", [None, 0, 1, 1000, 2 * 1024 * 1024])
def test_forms_that_are_slow_to_read_are_refused(slow: bytes, n_before: int | None) -> None:
    before = b"" if n_before is None else b"--b\r\n\r\n" + b"x" * n_before + b"\r\n"

    assert not is_read(before, slow)


def test_what_stands_before_the_first_separator_is_looked_at() -> None:
    assert not is_read(part(b";" * 900).removeprefix(b"--b\r\n"))


@pytest.mark.parametrize("n_block_bytes", range(1, 80, 3))
def test_a_part_that_is_read_in_two_blocks_is_seen_whole(
    monkeypatch: pytest.MonkeyPatch, n_block_bytes: int
) -> None:
    monkeypatch.setattr(sent_forms, "_BLOCK_BYTES", n_block_bytes)
    slow = part(b'; name="a"' + b";" * 30)

    assert is_read(part(b'; name="a"'), part(b'; name="b"'))
    assert not is_read(part(b'; name="a"'), slow)
    assert not is_read(slow, part(b'; name="a"'))
    assert not is_read(*[part(b'; name="a"')] * (MAX_PARTS + 1))


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/mixed; boundary=b",
        "multipart/form-data; boundary*=utf-8''b",
        "multipart/form-data; x=y; boundary=b",
        'multipart/form-data; boundary="b;"',
    ],
)
def test_a_form_whose_separator_is_hidden_is_refused(content_type: str) -> None:
    assert not is_read(part(b'; name="a"'), content_type=content_type)
