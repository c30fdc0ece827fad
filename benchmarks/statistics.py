"""`python -m benchmarks.statistics`: the statistics beside the obvious way, in one run.

Both sides do the same work on the same answers and are timed in turns; of each the quickest turn
counts, for what else the machine does only ever adds. Where the obvious way would take minutes it
does a part of the work, which the table names, and its time is scaled up.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import krippendorff
import numpy as np

import scoring
from benchmarks.coverage.scores import MODELS, Design, World
from scoring import BestWorst, Ratings

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- statistics -->", "<!-- end of statistics -->"
TURNS = 5
TUPLES = (100, 1_000, 10_000)
CZECH = {"ratings": 138_556, "people": 27, "units": 2_400}


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds, memory in MB."""

    name: str
    ours: float
    other: float | None = None
    other_name: str = ""
    aim: str = ""
    holds: bool | None = None
    remark: str = ""


def in_turns(
    ours: Callable[[], object], other: Callable[[], object], *, turns: int = TURNS
) -> tuple[float, float]:
    """The quickest of several turns of each."""
    best = [float("inf")] * 2
    for _ in range(turns):
        for side, work in enumerate((ours, other)):
            start = time.perf_counter()
            work()
            best[side] = min(best[side], time.perf_counter() - start)
    return best[0], best[1]


def answers(*, n_items: int, n_tuples: int, n_answers: int, seed: int = 1) -> BestWorst:
    """Random clicking: what is picked costs no time."""
    rng = np.random.default_rng(seed)
    shown = np.array([rng.choice(n_items, 4, replace=False) for _ in range(n_tuples)])
    shown = shown[np.unique(np.sort(shown, axis=1), axis=0, return_index=True)[1]]
    tuple_number = np.repeat(np.arange(len(shown)), n_answers)
    first = rng.integers(4, size=len(tuple_number))
    second = (first + rng.integers(1, 4, size=len(tuple_number))) % 4
    return BestWorst(
        shown, tuple_number, shown[tuple_number, first], shown[tuple_number, second], n_items
    )


def split_half() -> Row:
    batch = answers(n_items=500, n_tuples=1_000, n_answers=8)
    n_splits, n_plain = 100, 3
    rows: dict[int, list[tuple[int, int]]] = {}
    for number, best, worst in zip(
        batch.tuple_number.tolist(), batch.best.tolist(), batch.worst.tolist(), strict=True
    ):
        rows.setdefault(number, []).append((best, worst))
    members = batch.tuples.tolist()

    def plain() -> None:
        rng = np.random.default_rng(1)
        for _ in range(n_plain):
            net = [[0] * batch.n_items for _ in range(2)]
            shown = [[0] * batch.n_items for _ in range(2)]
            for number, picks in rows.items():
                order = rng.permutation(len(picks)).tolist()
                n_first = len(picks) // 2 + (len(picks) % 2 and int(rng.random() < 0.5))
                for place, row in enumerate(order):
                    half = int(place >= n_first)
                    best, worst = picks[row]
                    net[half][best] += 1
                    net[half][worst] -= 1
                    for item in members[number]:
                        shown[half][item] += 1
            both = [i for i in range(batch.n_items) if shown[0][i] and shown[1][i]]
            a, b = ([net[h][i] / shown[h][i] for i in both] for h in (0, 1))
            np.corrcoef(a, b)
            scoring.spearman(a, b)

    def ours() -> None:
        rng = np.random.default_rng(1)
        scoring.split_half(batch, rule="random", n_splits=n_splits, rng=rng)

    quick, slow = in_turns(ours, plain)
    slow *= n_splits / n_plain
    return Row(
        "split-half, 100 repeats, 500 items x 1,000 tuples x 8 answers",
        quick,
        slow,
        "plain loop",
        "100 times, under 50 ms",
        slow / quick >= 100 and quick < 0.05,
        f"the loop did {n_plain} repeats",
    )


def counting() -> Row:
    batch = answers(n_items=1_000, n_tuples=15_000, n_answers=10)
    picks = list(
        zip(batch.shown().tolist(), batch.best.tolist(), batch.worst.tolist(), strict=True)
    )

    def plain() -> None:
        appearances, net = [0] * batch.n_items, [0] * batch.n_items
        for shown, best, worst in picks:
            net[best] += 1
            net[worst] -= 1
            for item in shown:
                appearances[item] += 1

    quick, slow = in_turns(lambda: scoring.count(batch).scores(), plain)
    return Row(f"counting {batch.n_judgments:,} answers", quick, slow, "plain loop")


def alpha_of_answers() -> Row:
    batch = answers(n_items=500, n_tuples=1_000, n_answers=8)
    table = np.zeros((batch.n_tuples, 12), dtype=np.int64)
    joint = batch.slots("best") * 3 + (batch.slots("worst") - batch.slots("best")) % 4 - 1
    np.add.at(table, (batch.tuple_number, joint), 1)
    without = [np.arange(len(table)) != number for number in range(len(table))]

    def package() -> None:
        for is_left in without[:20]:
            krippendorff.alpha(value_counts=table[is_left], level_of_measurement="nominal")

    quick, slow = in_turns(
        lambda: scoring.alpha_interval(batch, on="joint", coding="slot"), package
    )
    slow *= len(table) / 20
    return Row(
        "alpha of best-worst answers (joint, slot) without each of 1,000 tuples x 8 answers",
        quick,
        slow,
        "krippendorff 1,000 times",
        "50 times",
        slow / quick >= 50,
        "the package was called 20 times",
    )


def alpha_of_ratings() -> Row:
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(1_200), 9)
    value = rng.integers(7, size=len(unit))
    table = np.zeros((1_200, 7), dtype=np.int64)
    np.add.at(table, (unit, value), 1)
    batch = Ratings(np.tile(np.arange(9), 1_200), unit, value.astype(np.float64), 9, 1_200)

    def package() -> None:
        for _ in range(20):
            is_left = rng.random(len(table)) < 0.99
            krippendorff.alpha(value_counts=table[is_left], level_of_measurement="interval")

    quick, slow = in_turns(
        lambda: scoring.rating_alpha(batch, level="interval", with_interval=True), package
    )
    slow *= 5
    return Row(
        "alpha of ratings (interval) without each of 100 groups of 1,200 pairs x 9 ratings",
        quick,
        slow,
        "krippendorff 100 times",
        "5 times",
        slow / quick >= 5,
        "the package was called 20 times",
    )


IN_A_PROCESS = """
import json, resource, sys, time
start = time.perf_counter()
{body}
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, peak, said]))
"""
MAKE = """
from tuples import certify, make_tuples
start = time.perf_counter()
made = make_tuples({n}, size=4, factor=2, seed=1)
said = None
"""
SPREAD = """
from tuples import certify
c = certify(made, n_items={n})
said = [c.pair_count_sd, c.pair_count_sd_bound, c.distance_from_bound]
"""
RATE = """
import numpy as np
import scoring
rng = np.random.default_rng(1)
n, people, units = {ratings}, {people}, {units}
person = np.arange(n) % people
unit = rng.integers(units, size=n)
value = np.clip(np.round(rng.normal(unit % 7, 1.2, size=n)), 0, 6)
order = np.arange(n) // people
start = time.perf_counter()
batch = scoring.Ratings(person, unit, value, people, units, low=0, high=6, step=1,
    thinking_ms=rng.exponential(8000, size=n), order=order)
summary = scoring.summarise_ratings(batch)
other = batch.of_rows(np.arange(n) % 2 == 0), batch.of_rows(np.arange(n) % 2 == 1)
for test in ("pooled", "welch", "paired"):
    scoring.effects_of_context(*(half.first_answers() for half in other), test=test)
json.dumps(summary.as_dict())
said = None
"""


RANK = """
import numpy as np
import scoring
from tuples import make_tuples
rng = np.random.default_rng(1)
shown = np.asarray(make_tuples({n}, size=4, factor=2, seed=1))
tuple_number = np.repeat(np.arange(len(shown)), 5)
utility = rng.normal(0, 2, size={n})[shown[tuple_number]]
utility += rng.gumbel(size=utility.shape)
order = np.take_along_axis(shown[tuple_number], np.argsort(utility, axis=1), axis=1)
batch = scoring.BestWorst(shown, tuple_number, order[:, 3], order[:, 0], {n})
start = time.perf_counter()
scoring.rank(batch, model="{model}")
said = None
"""


def in_a_process(body: str) -> tuple[float, float, list[float] | None]:
    """Seconds, the most memory in MB, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS.format(body=body)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, peak, said = json.loads(done.stdout)
    return seconds, peak, said


def making_tuples() -> list[Row]:
    found = []
    for n in TUPLES:
        seconds, peak, _ = in_a_process(MAKE.format(n=n))
        # Made again: looking at them is no part of the time.
        _, _, said = in_a_process(MAKE.format(n=n) + SPREAD.format(n=n))
        assert said is not None
        sd, bound, distance = said
        is_at_bound = distance == 0
        holds = is_at_bound and (n < TUPLES[-1] or (seconds < 2 and peak < 500))
        found.append(
            Row(
                f"{2 * n:,} tuples of 4 for {n:,} items",
                seconds,
                aim="pair counts at the bound" + ", 2 s, 500 MB" * (n == TUPLES[-1]),
                holds=holds,
                remark=f"{peak:.0f} MB; spread of the pair counts {sd:.6f}, bound {bound:.6f}",
            )
        )
    return found


def czech() -> Row:
    seconds, peak, _ = in_a_process(RATE.format(**CZECH))
    return Row(
        f"all rating statistics of {CZECH['ratings']:,} ratings",
        seconds,
        aim="10 s, 500 MB",
        holds=seconds < 10 and peak < 500,
        remark=f"{peak:.0f} MB",
    )


def ranking() -> list[Row]:
    found = []
    for model in ("pairs", "maxdiff"):
        seconds, peak, _ = in_a_process(RANK.format(n=10_000, model=model))
        found.append(
            Row(
                f"ranking ({model}) of 10,000 items, 20,000 tuples x 5 answers",
                seconds,
                aim="10 s, 500 MB",
                holds=seconds < 10 and peak < 500,
                remark=f"{peak:.0f} MB",
            )
        )
    return found


def intervals() -> Row:
    rng = np.random.default_rng(1)
    design = Design(3_000, 60, 5)
    batch = World.draw(MODELS[0], design.tuples(), rng).study(design, rng)
    seconds, _ = in_turns(lambda: scoring.score_intervals(batch), lambda: None)
    return Row(
        f"intervals, ranks and pairs of items, {batch.n_judgments:,} answers",
        seconds,
        aim="2 s",
        holds=seconds < 2,
    )


def importing() -> Row:
    def run(program: str) -> Callable[[], object]:
        command = [sys.executable, "-c", program]
        return lambda: subprocess.run(command, cwd=ROOT, check=True)

    ours, other = in_turns(run("import scoring, tuples"), run("import numpy"))
    return Row("a process that imports scoring and tuples", ours, other, "numpy alone")


def measure(say: Callable[[str], None]) -> list[Row]:
    """Every line, said as it comes."""
    rows: list[Row] = []
    parts = (
        split_half,
        counting,
        alpha_of_answers,
        alpha_of_ratings,
        making_tuples,
        ranking,
        intervals,
        czech,
    )
    for part in parts:
        made = part()
        for row in made if isinstance(made, list) else [made]:
            say(_said(row))
            rows.append(row)
    rows.append(importing())
    say(_said(rows[-1]))
    return rows


def _said(row: Row) -> str:
    parts = [f"{row.name:<88}{_seconds(row.ours):>9}"]
    if row.other is not None:
        parts.append(f"{row.other_name} {_seconds(row.other)}, {row.other / row.ours:,.0f} times")
    return "  ".join([*parts, row.remark])


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def table(rows: list[Row]) -> str:
    lines = [
        "| what | ours | the obvious way | ratio | aim | holds | |",
        "| --- | ---: | ---: | ---: | --- | --- | --- |",
    ]
    for row in rows:
        other = "" if row.other is None else f"{_seconds(row.other)} ({row.other_name})"
        ratio = "" if row.other is None else f"{row.other / row.ours:,.1f}"
        holds = {None: "", True: "yes", False: "**no**"}[row.holds]
        cells = (row.name, _seconds(row.ours), other, ratio, row.aim, holds, row.remark)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write(rows: list[Row], folder: Path) -> None:
    """Into the README, between two marks, and whole into a file."""
    (folder / "statistics.json").write_text(
        json.dumps([asdict(row) for row in rows], indent=1) + "\n"
    )
    readme = folder / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN)
    after = rest.partition(END)[2] or "\n"
    readme.write_text(f"{before}{BEGIN}\n\n{table(rows)}\n{END}{after}")


def main() -> None:
    rows = measure(lambda sentence: print(sentence, flush=True))
    write(rows, Path(__file__).parent)


if __name__ == "__main__":
    main()
