"""Contact sheets: a page with every picture, and pictures of pictures."""

import html
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from playwright.sync_api import Browser

from tests.pictures.camera import Picture

STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 24px; background: #777; color: #fff; }
h2, h3 { margin: 32px 0 8px; }
.row { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start; }
figure { margin: 0; }
figcaption { padding: 4px 0; overflow-wrap: anywhere; }
img { display: block; object-fit: cover; object-position: top; background: #fff; }
.wide, .wide img { width: 560px; }
.narrow, .narrow img { width: 216px; }
.thumb img { height: 420px; }
.montage img { max-height: 1100px; }
a { color: inherit; }
"""
# So many stand on one montage, in a window of 1792 px.
PER_MONTAGE = {1280: 6, 360: 14}


def _figure(picture: Picture, kind: str, base: str = "") -> str:
    width = "wide" if picture.width >= 1000 else "narrow"
    words = f"{picture.scene} · {picture.language} · {picture.width} · {picture.scheme}"
    return (
        f'<figure class="{width} {kind}"><a href="{html.escape(picture.path)}">'
        f'<img loading="lazy" src="{base}{html.escape(picture.path)}" alt=""></a>'
        f"<figcaption>{html.escape(words)}</figcaption></figure>"
    )


def _document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style><body>{body}</body></html>\n"
    )


def write_index(pictures: list[Picture], problems: list[str], folder: Path) -> Path:
    """Every picture as a thumbnail, by page; each leads to the whole."""
    parts = [f"<h1>{len(pictures)} pictures of Likeness</h1>"]
    if problems:
        listed = "".join(f"<li>{html.escape(problem)}</li>" for problem in problems)
        parts.append(f"<h2>Problems</h2><ul>{listed}</ul>")
    ordered = sorted(pictures, key=attrgetter("side", "group"))
    for (side, group), of_group in groupby(ordered, key=attrgetter("side", "group")):
        parts.append(f"<h2>{side}: {group}</h2>")
        by_scene: dict[str, list[Picture]] = {}
        for picture in of_group:
            by_scene.setdefault(picture.scene, []).append(picture)
        for scene, shown in by_scene.items():
            row = "".join(_figure(picture, "thumb") for picture in shown)
            parts.append(f'<h3>{html.escape(scene)}</h3><div class="row">{row}</div>')
    path = folder / "index.html"
    path.write_text(_document("Likeness: contact sheet", "".join(parts)), encoding="utf-8")
    return path


def _montages(pictures: list[Picture]) -> Iterator[tuple[str, list[Picture]]]:
    key = attrgetter("side", "language", "width", "scheme", "group")
    for (side, language, width, scheme, group), shown in groupby(
        sorted(pictures, key=key), key=key
    ):
        listed, n = list(shown), PER_MONTAGE[width]
        for start in range(0, len(listed), n):
            name = f"{side}-{group}-{language}-{width}-{scheme}-{start // n + 1}"
            yield name.replace(" ", "-"), listed[start : start + n]


def make_montages(pictures: list[Picture], folder: Path, browser: Browser) -> int:
    """Contact sheets as pictures, to be looked at one after the other; returns how many."""
    target = folder / "montages"
    target.mkdir(exist_ok=True)
    page = browser.new_page(viewport={"width": 1792, "height": 1000})
    draft = target / "draft.html"
    n_made = 0
    for name, some in _montages(pictures):
        figures = "".join(_figure(picture, "montage", "../") for picture in some)
        body = f'<div class="row">{figures}</div>'.replace(' loading="lazy"', "")
        draft.write_text(_document(name, body), encoding="utf-8")
        page.goto(draft.as_uri())
        page.screenshot(path=target / f"{name}.png", full_page=True)
        n_made += 1
    draft.unlink(missing_ok=True)
    page.close()
    return n_made
