"""Running a command of `python -m scoring` in this process, and reading what it says."""

import csv
import io
import json
from collections.abc import Callable

# Person A answers twice, B once; "None" and "nan" are items.
SMALL = """\
Annotator,Item1,Item2,Item3,BestItem,WorstItem,Note
A,None,nan,"x, y",None,"x, y",first
B,nan,"x, y",None,None,nan,
A,nan,None,false,nan,false,last
"""

Run = Callable[..., tuple[int, str, str]]


def refusal(ran: tuple[int, str, str]) -> str:
    status, out, errors = ran
    assert (status, out, errors.count("\n")) == (1, "", 1)
    return errors.removeprefix("error: ").rstrip("\n")


def rows_of(ran: tuple[int, str, str]) -> list[list[str]]:
    status, out, errors = ran
    assert (status, errors) == (0, "")
    return list(csv.reader(io.StringIO(out), delimiter="\t"))


def json_of(ran: tuple[int, str, str]) -> dict:
    status, out, errors = ran
    assert (status, errors) == (0, "")
    return json.loads(out)
