"""Two columns of texts to draw pairs from, and a stand-in for what encodes them."""

import sys
import textwrap
from pathlib import Path

import pytest

from annotation.core.services import model_process as baseline_process

WORDS = ["red", "blue", "green", "stone", "river", "cloud"]
NUMBERS = {
    **{"n_pairs": "5", "measure": "words", "n_bins": "5", "max_uses": "2"},
    **{"threshold": "0.85", "seed": "3"},
}


def columns_of(path: Path) -> Path:
    """Texts that share from none to all but one of their words; one is there twice."""
    lines = ["target\tcandidate"]
    for n in range(6):
        right = " ".join([*WORDS[:n], *(f"w{n}{k}" for k in range(6 - n))])
        lines.append(f"{' '.join(WORDS)} {' '.join(f'q{n}{k}' for k in range(5))}\t{right}")
    path.write_text("\n".join([*lines, "\tW00 w01 w02  w03 w04 w05"]), encoding="utf-8")
    return path


# The vector of a text: how many of each letter it has.
LETTERS = """
    import json, string, sys
    import numpy as np
    command, request = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
    texts = [json.loads(line)["text"] for line in open(request["texts"], encoding="utf-8")]
    def say(**said):
        print(json.dumps(said), flush=True)
    def refuse(template):
        say(refused={"template": template, "values": {}})
        sys.exit(2)
    def encode():
        signs = string.ascii_lowercase + string.digits
        return np.array([[text.count(sign) for sign in signs] for text in texts], np.float32)
    def done(vectors):
        np.save(request["vectors"], vectors)
        say(done={"device": "cpu", "revision": "abc", "n_encoded": len(texts), "n_kept": 0})
"""


class StandIn:
    """A program that is run in the place of `python -m scoring.neural`."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._path = path
        monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(path)))
        self.does("assert command == 'encode'; done(encode())")

    def does(self, body: str) -> None:
        self._path.write_text(textwrap.dedent(LETTERS) + body, encoding="utf-8")
