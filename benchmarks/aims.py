"""What Likeness aims at: each aim with what was seen, whether it holds, and if not, why not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Results = dict[str, Any]
Figures = dict[str, Any]

NOT_MEASURED = "not measured"
NAMES = {"postgres": "PostgreSQL", "sqlite": "SQLite"}
SHARE_OF_BARE = 1.0
SAVE_P95_MS = 25
STUDENTS_SAVE_P95_MS = 50
FLAT = 0.9
RANGE = (1_000, 100_000)
SHARE_OF_POSTGRES = 1 / 3
# Scoring and exporting a rating study as large as the Czech one was planned, each.
# Encoding texts, beside the library alone; and the size of a study that must fit.
SHARE_OF_ENCODE = 0.95
PAIRS, PAIRS_MB, TIMES_FROM_KEPT = 100_000, 1_500.0, 50
STUDENTS = 495  # all but a few booklets of 500
RATINGS, RATINGS_SECONDS, RATINGS_MB = 138_556, 20.0, 500.0


@dataclass(frozen=True)
class Aim:
    """`holds` is None where it was not measured; `reason` says why it does not hold."""

    name: str
    seen: str = NOT_MEASURED
    holds: bool | None = None
    reason: str = ""

    @property
    def verdict(self) -> str:
        if self.holds is None:
            return NOT_MEASURED
        return "yes" if self.holds else "**no**"


def aims(results: Results) -> list[Aim]:
    """Every aim, also those that this run has not measured."""
    parts: list[Callable[[Results], Aim]] = [
        _beside_bare,
        _saving_while_thinking,
        lambda found: _flat(found, "postgres"),
        lambda found: _flat(found, "sqlite"),
        _sqlite,
        _rendering,
        _students,
        _students_thinking,
        _ratings,
        _encoding,
        _repeating,
        _pairs_in_memory,
        _from_kept,
    ]
    return [part(results) for part in parts]


def _students(results: Results) -> Aim:
    name = "PostgreSQL: 500 students rate 2 x 61 pairs: no error, every stack of its size"
    if not (found := results.get("students")):
        return Aim(name)
    whole = found["whole"]
    sizes = {size for _phase, size, _n in found["stacks"]}
    n_stacks = sum(n for _phase, _size, n in found["stacks"])
    seen = (
        f"{found['people']} students, {found['judgments']:,} ratings in {found['seconds']} s"
        f" ({whole['screens_per_second']:.0f} screens/s), {whole['errors']} errors, {n_stacks:,}"
        f" stacks of {', '.join(map(str, sorted(sizes)))}"
    )
    holds = whole["errors"] == 0 and len(sizes) == 1 and found["submitted"] == found["people"]
    return Aim(name, seen, holds if found["people"] >= STUDENTS else None, whole["first_error"])


def _students_thinking(results: Results) -> Aim:
    name = "PostgreSQL, 200 students thinking 2 to 4 s: p95 of a save under 50 ms"
    found = results.get("students", {}).get("thinking")
    if not found or "save" not in found["milliseconds"]:
        return Aim(name)
    save = found["milliseconds"]["save"]
    seen = (
        f"{save['p95']:.0f} ms (median {save['p50']:.0f} ms) of {save['n']:,} saves, at"
        f" {found['screens_per_second']:.0f} screens/s, {found['errors']} errors"
    )
    busy = found["server_cpu_ms_per_screen"] + found["database_cpu_ms_per_screen"]
    reason = (
        f"a screen and its save take {busy:.1f} ms of processor time: at this rate that keeps"
        f" {found['screens_per_second'] * busy / 1000:.1f} cores busy, so requests wait"
    )
    return Aim(name, seen, save["p95"] < STUDENTS_SAVE_P95_MS and not found["errors"], reason)


def _ratings(results: Results) -> Aim:
    name = (
        f"{RATINGS:,} ratings: scored in {RATINGS_SECONDS:.0f} s, exported in as many, each under"
        f" {RATINGS_MB:.0f} MB"
    )
    steps = [s for s in results["files"] if s["name"].endswith(f"{RATINGS:,} ratings")]
    if len(steps) < 2:
        return Aim(name)
    seen = "; ".join(
        f"{s['name'].partition(',')[0]} {s['seconds']:.1f} s, {s['peak_mb']:.0f} MB" for s in steps
    )
    holds = all(s["seconds"] <= RATINGS_SECONDS and s["peak_mb"] < RATINGS_MB for s in steps)
    return Aim(name, seen, holds, "see the steps among import and export")


def _encoding(results: Results) -> Aim:
    name = f"Different texts: at least {SHARE_OF_ENCODE} of model.encode's texts a second"
    if not (found := results.get("models")):
        return Aim(name)
    one = found["different"]
    share = one["encode_seconds"] / one["seconds"]
    seen = (
        f"{share:.2f}: {one['rows'] / one['seconds']:.0f} texts/s, model.encode"
        f" {one['rows'] / one['encode_seconds']:.0f}"
    )
    rest = 1000 * (one["seconds"] - one["encode_seconds"]) / one["rows"]
    reason = f"hashing, looking up and keeping a text takes {rest:.2f} ms"
    return Aim(name, seen, share >= SHARE_OF_ENCODE, reason)


def _repeating(results: Results) -> Aim:
    name = "Texts that repeat: faster than model.encode on all rows by the repetition"
    if not (found := results.get("models")):
        return Aim(name)
    one = found["repeating"]
    times = one["encode_seconds"] / one["seconds"]
    repetition = one["rows"] / one["texts"]
    seen = f"{times:.2f} times as fast where each text stands {repetition:.0f} times"
    reason = (
        f"{one['seconds']:.2f} s for {one['texts']:,} texts that stand in {one['rows']:,} rows"
    )
    # Encoding each once is itself allowed to take a little longer.
    return Aim(name, seen, times >= SHARE_OF_ENCODE * repetition, reason)


def _pairs_in_memory(results: Results) -> Aim:
    name = f"{PAIRS:,} pairs: under {PAIRS_MB / 1000:.1f} GB over the model"
    if not (found := results.get("models")):
        return Aim(name)
    one = found["large"]
    seen = f"{one['mb']:.0f} MB over the model's {one['model_mb']:.0f} MB, {one['pairs']:,} pairs"
    holds = one["mb"] < PAIRS_MB if one["pairs"] >= PAIRS else None
    return Aim(name, seen, holds, "see the table of measures that need a model")


def _from_kept(results: Results) -> Aim:
    name = f"A second run, from kept vectors: {TIMES_FROM_KEPT} times as fast"
    if not (found := results.get("models")):
        return Aim(name)
    one = found["large"]
    times = one["seconds"] / one["again_seconds"]
    seen = (
        f"{times:.0f} times: {one['seconds']:.1f} s, then {one['again_seconds']:.2f} s for"
        f" {one['pairs']:,} pairs"
    )
    reason = f"reading vectors takes {1e6 * one['again_seconds'] / one['pairs']:.0f} µs for a pair"
    return Aim(name, seen, times >= TIMES_FROM_KEPT, reason)


def _at(results: Results, database: str, *, think: bool) -> dict[int, dict[str, Any]]:
    fitting = [
        p for p in results["loads"] if (p["database"], bool(p["think"])) == (database, think)
    ]
    return {p["people"]: p for p in fitting}


def _rate(figures: Figures) -> float:
    return float(figures["screens_per_second"])


def _cpu(figures: Figures) -> float:
    """Milliseconds of processor time for one screen, of web server and database."""
    return float(figures["server_cpu_ms_per_screen"] + figures["database_cpu_ms_per_screen"])


def _beside_bare(results: Results) -> Aim:
    name = "PostgreSQL: as many screens a second as the bare application"
    points = _at(results, "postgres", think=False)
    ratios = {
        n: _rate(p["likeness"]) / _rate(p["bare"]) for n, p in points.items() if _rate(p["bare"])
    }
    if not ratios:
        return Aim(name)
    seen = ", ".join(f"{ratio:.2f} with {n}" for n, ratio in ratios.items())
    lowest = min(ratios, key=lambda n: ratios[n])
    ours, bare = points[lowest]["likeness"], points[lowest]["bare"]
    reason = (
        f"with {lowest}, a screen and its save take {_cpu(ours):.1f} ms of processor time"
        f" ({ours['server_cpu_ms_per_screen']:.1f} in Python,"
        f" {ours['database_cpu_ms_per_screen']:.1f} in the database), the bare one's"
        f" {_cpu(bare):.1f}, without templates, translations, signed notes, checks, headers"
    )
    return Aim(name, seen, min(ratios.values()) >= SHARE_OF_BARE, reason)


def _saving_while_thinking(results: Results) -> Aim:
    name = "PostgreSQL, 200 people thinking 2 to 4 s: p95 of a save under 25 ms"
    point = _at(results, "postgres", think=True).get(200)
    if point is None or "save" not in point["likeness"]["milliseconds"]:
        return Aim(name)
    ours, bare = point["likeness"], point["bare"]
    p95 = ours["milliseconds"]["save"]["p95"]
    bare_p95 = bare["milliseconds"].get("save", {}).get("p95", 0.0)
    cores = results["machine"]["cores"]
    reason = (
        f"{_rate(ours):.0f} screens/s at {_cpu(ours):.1f} ms of processor time keep"
        f" {_rate(ours) * _cpu(ours) / 1000:.1f} cores busy and the client"
        f" {ours['client_share_of_a_core']:.1f} (of {cores}): requests wait for one another;"
        f" the bare application's p95 is {bare_p95:.0f} ms"
    )
    seen = f"{p95:.0f} ms at {_rate(ours):.1f} screens/s (bare: {bare_p95:.0f} ms)"
    return Aim(name, seen, p95 < SAVE_P95_MS, reason)


def _flat(results: Results, database: str) -> Aim:
    points = {
        p["tuples"]: p["likeness"]
        for p in results["sizes"]
        if p["database"] == database and not p["think"]
    }
    name = f"{NAMES[database]}: flat from 1,000 to 100,000 tuples"
    if len(points) < 2:
        return Aim(name)
    small, large = min(points), max(points)
    share = _rate(points[large]) / max(_rate(points[small]), 0.1)
    seen = f"{share:.2f} of the screens a second with {large:,} as with {small:,}"
    reason = (
        f"a screen takes {_cpu(points[large]):.1f} ms of processor time with {large:,} tuples and"
        f" {_cpu(points[small]):.1f} with {small:,}, by the same number of queries"
    )
    # A shorter way tells something, but not whether the aim holds.
    is_whole = (small, large) == RANGE
    return Aim(name, seen, share >= FLAT if is_whole else None, reason)


def _sqlite(results: Results) -> Aim:
    name = "SQLite: at least a third of PostgreSQL"
    postgres = _at(results, "postgres", think=False)
    sqlite = _at(results, "sqlite", think=False)
    shares = {
        n: _rate(sqlite[n]["likeness"]) / max(_rate(postgres[n]["likeness"]), 0.1)
        for n in sqlite
        if n in postgres
    }
    if not shares:
        return Aim(name)
    seen = ", ".join(f"{share:.2f} with {n}" for n, share in shares.items())
    lowest = min(shares, key=lambda n: shares[n])
    reason = (
        f"with {lowest}, one process does it all, Python and database, where gunicorn has four"
        f" beside PostgreSQL; a screen takes {_cpu(sqlite[lowest]['likeness']):.1f} ms of"
        " processor time"
    )
    return Aim(name, seen, min(shares.values()) >= SHARE_OF_POSTGRES, reason)


def _rendering(results: Results) -> Aim:
    name = "No request holds a lock while it renders"
    rendered = results["rendered"]
    if not rendered:
        return Aim(name)
    n_pages = sum(len(pages) for pages in rendered.values())
    locked = [page for pages in rendered.values() for page, is_locked in pages if is_locked]
    seen = f"{len(locked)} of {n_pages} pages rendered inside a transaction"
    return Aim(name, seen, not locked, f"rendered in one: {', '.join(locked)}")
