"""Runs what READMEs of releases tell readers to do, each in its unpacked folder, and tells what
came out. A program of its own: nothing of the project is loaded, and there is no network."""

import json
import logging
import os
import re
import socket
import sys
import warnings
from pathlib import Path
from typing import Any


def refuse(*_arguments: Any, **_options: Any) -> None:
    raise OSError("no network")


socket.socket.connect = refuse  # type: ignore[method-assign, assignment]
socket.getaddrinfo = refuse  # type: ignore[assignment]
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = sys.argv[1]

import datasets  # noqa: E402
import mlcroissant  # noqa: E402
from absl import logging as absl_logging  # noqa: E402

said: list[str] = []


class Listening(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        said.append(record.getMessage())


absl_logging.get_absl_logger().addHandler(Listening(logging.WARNING))
datasets.disable_progress_bars()
# Of what others depend on; what a reader would see of our own files are errors.
warnings.filterwarnings("ignore", category=DeprecationWarning)

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    # Nothing is equal to nan.
    return None if value != value else value  # noqa: PLR0124


def read(folder: Path) -> dict[str, Any]:
    os.chdir(folder)
    blocks = _BLOCK.findall((folder / "README.md").read_bytes().decode())
    found: dict[str, Any] = {"n_blocks": len(blocks)}
    for name, block in zip(("pandas", "datasets", "croissant"), blocks, strict=True):
        # What it prints is for readers.
        space: dict[str, Any] = {"print": lambda *_said: None}
        exec(block, space)
        data = space["data"]
        rows = data.to_dict("records") if name == "pandas" else list(data)
        found[name] = [{key: plain(value) for key, value in row.items()} for row in rows]
    croissant = mlcroissant.Dataset("croissant.json")
    issues = croissant.metadata.ctx.issues
    found["problems"] = [*issues.errors, *issues.warnings]
    found["records"] = {
        one.id: len(list(croissant.records(one.id))) for one in croissant.metadata.record_sets
    }
    # Every configuration, not only the one of the example.
    found["configs"] = {
        name: sum(len(part) for part in datasets.load_dataset(str(folder), name).values())
        for name in datasets.get_dataset_config_names(str(folder))
    }
    return found


if __name__ == "__main__":
    answer = {Path(folder).name: read(Path(folder).resolve()) for folder in sys.argv[2:]}
    Path(sys.argv[1], "found.json").write_text(json.dumps({**answer, "said": said}))
