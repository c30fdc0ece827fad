"""`python -m benchmarks.pair_sampling`: 500 pairs from two columns of 20,000 made-up texts."""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

N_TEXTS = 20_000
N_WORDS = 8_000
LETTERS = "abcdefghijklmnoprstuvz"


def texts(seed: int) -> str:
    """Two columns; a third of the lines share words. Few words are frequent, most are rare."""
    rng = random.Random(seed)
    known = ["".join(rng.choices(LETTERS, k=rng.randint(3, 9))) for _word in range(N_WORDS)]
    weights = [1 / rank for rank in range(1, N_WORDS + 1)]

    def text() -> list[str]:
        return rng.choices(known, weights, k=rng.randint(8, 20))

    lines = []
    for number in range(N_TEXTS):
        one, other = text(), text()
        if number % 3 == 0:
            share = rng.random()
            other = [word for word in one if rng.random() > share] + other[: rng.randint(0, 8)]
        lines.append(f"{' '.join(one)}\t{' '.join(other)}\n")
    return "".join(lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.tsv"
        file.write_text(texts(seed=1))
        for measure in ("words", "characters"):
            before = time.perf_counter()
            subprocess.run(
                [
                    *(sys.executable, "-m", "tuples.pair_sampling", str(file), "--pairs", "500"),
                    *("--seed", "1", "--measure", measure, "--output", f"{folder}/pairs.tsv"),
                ],
                check=True,
                capture_output=True,
            )
            seconds = time.perf_counter() - before
            # Of the largest child so far.
            mebibytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            sys.stdout.write(f"{measure}: {seconds:.0f} s, at most {mebibytes:.0f} MiB\n")


if __name__ == "__main__":
    main()
