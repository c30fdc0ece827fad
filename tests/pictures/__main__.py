"""Take pictures of every page: `make pictures`, or `python -m pictures --help`."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.pictures.stage import ARGUMENTS, installation

if TYPE_CHECKING:
    from tests.pictures.camera import Picture

LANGUAGES = {"annotator": ("en", "de", "cs"), "researcher": ("en", "de")}
WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("var/pictures"), help="the folder")
    parser.add_argument("--side", choices=list(LANGUAGES), help="whose pages")
    parser.add_argument("--only", default="", help="pages whose name or group contains this")
    parser.add_argument("--language", action="append", help="en, de, cs; may be given again")
    parser.add_argument("--width", type=int, action="append", choices=WIDTHS)
    parser.add_argument("--scheme", action="append", choices=SCHEMES)
    parser.add_argument("--no-montages", action="store_true", help="single pictures only")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def parts(wanted: argparse.Namespace) -> list[tuple[str, str]]:
    """The sides and languages that are wanted; each is done by one process."""
    return [
        (side, language)
        for side, languages in LANGUAGES.items()
        for language in languages
        if wanted.side in {None, side} and (not wanted.language or language in wanted.language)
    ]


def scenes_of(side: str, only: str) -> list[Any]:
    from tests.pictures import annotator, desk

    scenes: list[Any] = list(annotator.SCENES if side == "annotator" else desk.SCENES)
    return [scene for scene in scenes if only in scene.name or only in scene.group]


def do_part(wanted: argparse.Namespace, side: str, language: str) -> dict[str, Any]:
    """Take the pictures of one side in one language."""
    from playwright.sync_api import sync_playwright

    pictures: list[Picture] = []
    found: list[str] = []
    with installation() as base, sync_playwright() as playwright:
        from tests.pictures.camera import Camera
        from tests.pictures.cast import Cast
        from tests.pictures.research import Desk

        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        who: Any = Cast(base, language) if side == "annotator" else Desk(base, language)
        camera = Camera(browser, wanted.out, side, language)
        for width in wanted.width or WIDTHS:
            for taken, problems in camera.shoot(
                scenes_of(side, wanted.only),
                who,
                width=width,
                schemes=tuple(wanted.scheme or SCHEMES),
            ):
                pictures += taken
                found += problems
        browser.close()
    return {"pictures": [asdict(picture) for picture in pictures], "problems": found}


def chromium() -> str:
    # The first takes two thirds of the time of the others.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    for name in (os.environ.get("CHROMIUM", ""), *names):
        if name and (path := shutil.which(name)):
            return path
    sys.exit(
        "No Chromium: install it (Debian: apt install chromium-headless-shell) or set CHROMIUM to"
        " its path."
    )


def in_processes(wanted: argparse.Namespace) -> dict[str, Any]:
    """One process a side and language, some at a time; each has a database of its own."""
    waiting = parts(wanted)
    running: list[tuple[Path, subprocess.Popen[bytes]]] = []
    everything: dict[str, Any] = {"pictures": [], "problems": []}
    while waiting or running:
        while waiting and len(running) < wanted.processes:
            side, language = waiting.pop(0)
            report = wanted.out / f"{side}-{language}.json"
            command = [sys.executable, "-m", "tests.pictures", *sys.argv[1:]]
            part = ("--part", f"{side}/{language}")
            running.append((report, subprocess.Popen([*command, *part])))
        report, process = running.pop(0)
        if process.poll() is None:
            running.append((report, process))
            time.sleep(0.1)
            continue
        if process.returncode:
            everything["problems"].append(f"{report.stem}: the pictures could not be taken")
            continue
        for name, values in json.loads(report.read_text(encoding="utf-8")).items():
            everything[name] += values
        report.unlink()
    return everything


def main() -> int:
    wanted = arguments()
    wanted.out = wanted.out.resolve()
    if wanted.part:
        side, language = wanted.part.split("/")
        report = wanted.out / f"{side}-{language}.json"
        report.write_text(json.dumps(do_part(wanted, side, language)), encoding="utf-8")
        return 0

    started = time.monotonic()
    chromium()  # says at once where there is none
    wanted.out.mkdir(parents=True, exist_ok=True)
    everything = in_processes(wanted)

    from playwright.sync_api import sync_playwright

    from tests.pictures import sheet
    from tests.pictures.camera import Picture

    pictures = [Picture(**row) for row in everything["pictures"]]
    problems: list[str] = everything["problems"]
    index = sheet.write_index(pictures, problems, wanted.out)
    if not wanted.no_montages:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
            sheet.make_montages(pictures, wanted.out, browser)
            browser.close()
    print(f"{len(pictures)} pictures in {time.monotonic() - started:.0f} s: {index}")
    for problem in problems:
        print(problem, file=sys.stderr)
    if not pictures:
        print("No page has such a name.", file=sys.stderr)
    return 1 if problems or not pictures else 0


if __name__ == "__main__":
    sys.exit(main())
