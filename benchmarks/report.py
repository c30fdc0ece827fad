"""The figures as a table, in `results.json` and between two marks of the README."""

import json
from pathlib import Path
from typing import Any

from benchmarks.aims import NAMES, aims
from benchmarks.crowd import Measured

BUSY = 0.5  # of the cores
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def figures(measured: Measured) -> dict[str, Any]:
    per_screen = 1000 / measured.n_screens if measured.n_screens else 0.0
    return {
        "screens_per_second": round(measured.n_screens / measured.seconds, 1),
        "answers_per_second": round(measured.n_answers / measured.seconds, 1),
        "milliseconds": {
            kind: {
                "p50": round(1000 * quantile(values, 0.50), 1),
                "p95": round(1000 * quantile(values, 0.95), 1),
                "n": len(values),
            }
            for kind, values in sorted(measured.latencies.items())
        },
        "errors": measured.n_errors,
        "first_error": measured.first_error,
        "connections_opened_again": measured.n_reconnected,
        "client_share_of_a_core": round(measured.client_cpu / measured.seconds, 2),
        "server_cpu_ms_per_screen": round(per_screen * measured.server_cpu, 2),
        "database_cpu_ms_per_screen": round(per_screen * measured.database_cpu, 2),
    }


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least this share of them does not exceed."""
    in_order = sorted(values)
    return in_order[max(-(-round(1000 * share) * len(in_order) // 1000) - 1, 0)]


def line(point: dict[str, Any]) -> str:
    """One point while it is measured."""
    where = [NAMES[point["database"]], f"{point['people']} people"]
    if "tuples" in point:
        where.insert(1, f"{point['tuples']:,} tuples")
    where += ["thinking"] if point["think"] else []
    said = f"{', '.join(where):<46}{rate(point['likeness']):>7} screens/s"
    said += (
        f"   show {both(point['likeness'], 'show')}   save {both(point['likeness'], 'save')} ms"
    )
    if "bare" in point:
        said += f"   bare {rate(point['bare'])}, {ratio(point)}"
    errors = point["likeness"]["errors"] + point.get("bare", {}).get("errors", 0)
    if errors:
        first = point["likeness"]["first_error"] or point["bare"]["first_error"]
        said += f"   {errors} ERRORS, as {first}"
    return said


def rate(figures: dict[str, Any]) -> str:
    return f"{figures['screens_per_second']:.1f}"


def both(figures: dict[str, Any], kind: str) -> str:
    found = figures["milliseconds"].get(kind)
    return f"{found['p50']:.0f} / {found['p95']:.0f}" if found else "–"


def ratio(point: dict[str, Any]) -> str:
    bare = point["bare"]["screens_per_second"]
    return f"{point['likeness']['screens_per_second'] / bare:.2f}" if bare else "–"


def write(results: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    readme = folder / "README.md"
    before, _, rest = readme.read_text().partition(BEGIN) if readme.exists() else ("", "", "")
    after = rest.partition(END)[2] or "\n"
    readme.write_text(f"{before}{BEGIN}\n\n{text(results)}\n{END}{after}")


def text(results: dict[str, Any]) -> str:
    parts = [
        _machine(results),
        _loads(results["loads"]),
        _sizes(results["sizes"]),
        _files(results["files"]),
        _pages(results["pages"]),
        _processor(results["processor"]),
        _models(results.get("models", {})),
        _aims(results),
    ]
    return "\n".join(part for part in parts if part)


def _table(head: list[str], rows: list[list[str]], n_words: int = 1) -> str:
    marks = ["---"] * n_words + ["---:"] * (len(head) - n_words)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, marks, *rows]) + "\n"


def _machine(results: dict[str, Any]) -> str:
    said = results["machine"]
    lines = [f"- {name}: {value}" for name, value in said.items()]
    lines.append(f"- whole run: {results['seconds']} s{', quick' * results['is_quick']}")
    lines += [f"- **left out:** {what}" for what in results["left_out"]]
    n_cores, load = int(said["cores"]), float(said["load before the start"])
    if load > BUSY * n_cores:
        lines.append(
            f"- **the machine was busy** before it began (load {load} on {n_cores} cores): rates,"
            " latencies and the aims made of them tell little; processor time in turns tells more"
        )
    return "### Measured on\n\n" + "\n".join(lines) + "\n"


def _loads(points: list[dict[str, Any]]) -> str:
    if not points:
        return ""
    said = ["### Showing and saving, beside the bare application\n"]
    for is_thinking, title in (
        (False, "Without thinking time; a screen is one page and one complete save."),
        (True, "Thinking 2 to 4 s; a screen is one page, one draft and one complete save."),
    ):
        rows = [
            [
                NAMES[p["database"]],
                str(p["people"]),
                rate(p["likeness"]),
                rate(p["bare"]),
                ratio(p),
                _cpu_ratio(p),
                both(p["likeness"], "show"),
                both(p["bare"], "show"),
                both(p["likeness"], "save"),
                both(p["bare"], "save"),
                _cpu(p["likeness"]),
                _cpu(p["bare"]),
            ]
            for p in points
            if bool(p["think"]) == is_thinking
        ]
        head = ["on", "people", "screens/s", "bare", "ratio", "by CPU"]
        head += [word for what in ("show ms", "save ms", "CPU ms") for word in (what, "bare")]
        if rows:
            said += [f"{title}\n", _table(head, rows)]
    errors = sum(p[who]["errors"] for p in points for who in ("likeness", "bare"))
    most = max(p[who]["client_share_of_a_core"] for p in points for who in ("likeness", "bare"))
    said.append(
        "Latencies are p50 / p95. CPU ms is the processor time of web server + database for one"
        " screen; by CPU is the ratio of screens in the same processor time."
        f" Errors: {errors}. The measuring client took at most {most:.0%} of one core.\n"
    )
    return "\n".join(said)


def _cpu_ratio(point: dict[str, Any]) -> str:
    ours, bare = (
        point[who]["server_cpu_ms_per_screen"] + point[who]["database_cpu_ms_per_screen"]
        for who in ("likeness", "bare")
    )
    return f"{bare / ours:.2f}" if ours else "–"


def _cpu(figures: dict[str, Any]) -> str:
    database = figures["database_cpu_ms_per_screen"]
    server = f"{figures['server_cpu_ms_per_screen']:.1f}"
    return f"{server} + {database:.1f}" if database else server


def _sizes(points: list[dict[str, Any]]) -> str:
    if not points:
        return ""
    rows = [
        [
            NAMES[p["database"]],
            f"{p['tuples']:,}",
            f"{p['people']}{' thinking' if p['think'] else ''}",
            rate(p["likeness"]),
            both(p["likeness"], "show"),
            both(p["likeness"], "save"),
            _cpu(p["likeness"]),
        ]
        for p in points
    ]
    head = ["on", "tuples", "people", "screens/s", "show ms", "save ms", "CPU ms"]
    return (
        "### Studies of different sizes, in turns\n\n"
        "Every tuple has been answered once before.\n\n" + _table(head, rows)
    )


def _files(steps: list[dict[str, Any]]) -> str:
    if not steps:
        return ""
    rows = [
        [s["name"], f"{s['seconds']:.1f}", f"{s['peak_mb']:.0f}", f"{s['file_mb']:.1f}"]
        for s in steps
    ]
    return "### Import and export\n\nOn SQLite, each step in a process of its own.\n\n" + _table(
        ["step", "seconds", "peak MB", "file MB"], rows
    )


def _pages(pages: dict[str, dict[str, list[int]]]) -> str:
    if not pages:
        return ""
    databases = list(pages)
    names = list(pages[databases[0]])
    rows = [[name, *(str(pages[d].get(name, ["–"])[0]) for d in databases)] for name in names]
    return (
        "### Queries\n\nA booklet of 50 screens; BEGIN and COMMIT are not counted.\n\n"
        + _table(["page", *(NAMES[d] for d in databases)], rows)
    )


def _processor(found: dict[str, dict[str, float]]) -> str:
    if not found:
        return ""
    kinds = ("show", "show, database", "save", "save, database")
    rows = []
    for database, figures in found.items():
        values = [figures[kind] for kind in kinds]
        rows.append([NAMES[database], *(f"{v:.2f}" for v in (*values, sum(values)))])
    return (
        "### Processor time of one screen and its save\n\n"
        "Milliseconds (medians) in one process without a server. The database is another process"
        " on PostgreSQL only.\n\n" + _table(["on", *kinds, "sum"], rows)
    )


def _models(found: dict[str, Any]) -> str:
    if not found:
        return ""
    said = [
        [
            name,
            f"{one['rows']:,}",
            f"{one['texts']:,}",
            f"{one['rows'] / one['seconds']:.0f}",
            f"{one['rows'] / one['encode_seconds']:.0f}",
            f"{one['encode_seconds'] / one['seconds']:.2f}",
            f"{1000 * one['cpu_seconds'] / one['rows']:.2f}",
            f"{1000 * one['encode_cpu_seconds'] / one['rows']:.2f}",
        ]
        for name, one in (
            ("each once", found["different"]),
            ("repeating", found["repeating"]),
        )
    ]
    head = ["texts", "rows", "different", "rows/s", "encode", "ratio", "CPU ms a row", "encode"]
    large = found["large"]
    return (
        "### Measures that need a model\n\n"
        f"{found['model']} on {found['device']}, batches of {found['batch_size']}, in turns with"
        " the library's `model.encode` on all rows; vectors are kept and cosines computed in our"
        " time, the model is loaded before.\n\n"
        + _table(head, said)
        + f"\n{large['pairs']:,} pairs of short texts: {large['seconds']:.1f} s, from kept vectors"
        f" {large['again_seconds']:.2f} s; at most {large['mb']:.0f} MB over a process that has"
        f" loaded the model and encoded one batch ({large['model_mb']:.0f} MB).\n"
    )


def _aims(results: dict[str, Any]) -> str:
    found = aims(results)
    rows = [[aim.name, aim.seen, aim.verdict] for aim in found]
    why = [
        f"- {aim.name}: it does not, because {aim.reason}.\n"
        for aim in found
        if aim.holds is False
    ]
    return (
        "### Aims\n\n"
        + _table(["aim", "seen", "holds"], rows, n_words=3)
        + "".join(["\n"] * bool(why) + why)
    )
