#!/usr/bin/env python3
"""How many imports inside annotation/ stay in their room, and where the others lead.

    .venv/bin/python scripts/rooms.py                                   figures
    .venv/bin/python scripts/rooms.py --picture docs/pictures/rooms.svg  the same as a picture

Imports of `core`, `models` and `basics` are left out: they are there to be used by every room.
Needs the section `check` of scripts/setup.
"""

import argparse
import sys
from collections import Counter
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
SHARED = {"core", "models", "basics"}
# From what uses to what is used, in the order in which a study goes through the middle rows.
ROWS = (
    ("", ("site", "management", "simulation")),
    ("publish", ("releases",)),
    ("evaluate", ("results", "baselines", "reviews")),
    ("collect", ("answering", "crowds", "people", "monitoring")),
    ("prepare", ("studies", "items", "designs", "questionnaires")),
    ("", ("kinds",)),
    ("for all", ("core", "models", "basics")),
    ("without Django", ("scoring", "tuples")),
)
WIDTH, ROW, BOX, HEIGHT = 900, 96, 130, 44
# Fewer imports than that would hide the others.
MIN_DRAWN = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture", type=Path, help="write an SVG instead of figures")
    wanted = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    graph = grimp.build_graph(
        "annotation", "scoring", "tuples", exclude_type_checking_imports=True
    )
    arrows = Counter(
        (room_of(module), room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    )
    if wanted.picture:
        sizes = Counter(room_of(module) for module in graph.modules)
        wanted.picture.write_text(picture(arrows, sizes))
    else:
        print_figures(arrows)


def room_of(module: str) -> str:
    first, *others = module.split(".")
    return others[0] if first == "annotation" and others else first


def print_figures(arrows: Counter[tuple[str, str]]) -> None:
    left_out = {*SHARED, "scoring", "tuples", "annotation"}
    between = {
        (room, used): n
        for (room, used), n in arrows.items()
        if used not in left_out and room not in {"scoring", "tuples"}
    }
    n_inside = sum(n for (room, used), n in between.items() if room == used)
    n_all = sum(between.values())
    print(f"{n_inside} of {n_all} imports stay in their room: {n_inside / n_all:.1%}")
    for (room, used), n in sorted(between.items(), key=lambda pair: -pair[1]):
        if room != used:
            print(f"{n:5}  {room} -> {used}")


def picture(arrows: Counter[tuple[str, str]], sizes: Counter[str]) -> str:
    """Rooms as boxes, those that use others above them; a thicker line is more imports."""
    place = {
        room: (WIDTH * (n + 1) / (len(rooms) + 1) + 30, 40 + row * ROW, row)
        for row, (_label, rooms) in enumerate(ROWS)
        for n, room in enumerate(rooms)
    }
    lines, boxes = [], []
    for (room, used), n in sorted(arrows.items(), key=lambda pair: pair[1]):
        if room == used or n < MIN_DRAWN or room not in place or used not in place:
            continue
        if room in {"site", "management"} or used in SHARED:
            continue  # these are of everybody
        (x1, y1, row), (x2, y2, row_used) = place[room], place[used]
        is_against = row_used < row
        y1, y2 = (
            (y1 - HEIGHT / 2, y2 + HEIGHT / 2)
            if is_against
            else (y1 + HEIGHT / 2, y2 - HEIGHT / 2)
        )
        if row == row_used:
            y1 = y2 = y1 - HEIGHT / 2
        lines.append(
            f'<path d="M{x1:.0f} {y1:.0f} L{x2:.0f} {y2:.0f}" stroke-width="{1 + n / 8:.1f}"'
            f' class="{"against" if is_against else "along"}"><title>{room} uses {used}:'
            f" {n} imports</title></path>"
        )
    for row, (label, _rooms) in enumerate(ROWS):
        boxes.append(f'<text x="8" y="{44 + row * ROW}" class="label">{escape(label)}</text>')
    for room, (x, y, _row) in place.items():
        boxes.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}"'
            f' height="{HEIGHT}" rx="6"/><text x="{x:.0f}" y="{y - 2:.0f}">{room}</text>'
            f'<text x="{x:.0f}" y="{y + 14:.0f}" class="small">{sizes[room]} modules</text>'
        )
    style = (
        "text{font:14px sans-serif;text-anchor:middle}.small{font-size:11px;fill:#555}"
        ".label{text-anchor:start;fill:#555;font-style:italic}"
        "rect{fill:#fff;stroke:#333}path{fill:none;opacity:.55}"
        ".along{stroke:#4a6fa5}.against{stroke:#b03a2e;stroke-dasharray:5 3}"
    )
    height = len(ROWS) * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 60} {height}"'
        f' role="img" aria-label="The rooms and who uses whom"><style>{style}</style>'
        f'<rect x="0" y="0" width="{WIDTH + 60}" height="{height}" style="stroke:none"/>'
        f"{''.join(lines)}{''.join(boxes)}</svg>\n"
    )


if __name__ == "__main__":
    main()
