"""Take the pictures of the documentation anew: `make docs-pictures`."""

import argparse
import os
import sys
import time
from pathlib import Path

from tests.pictures.__main__ import chromium
from tests.pictures.stage import ARGUMENTS, installation

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
# What the operator would set: an endpoint as docs/platforms.md names it, and keys of no account.
OPERATORS = {
    "LIKENESS_MTURK_ENDPOINTS": "lab=https://requester.example.org https://workers.example.org",
    "MTURK_ACCESS_KEY_ID_LAB": "none",
    "MTURK_SECRET_ACCESS_KEY_LAB": "none",
    "PROLIFIC_TOKEN": "none",
}


def main() -> int:
    """Take those that are wanted; 1 if no picture has such a name."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.pictures.documentation", description=__doc__
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder")
    parser.add_argument("--only", default="", help="pictures whose name contains this")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    os.environ |= OPERATORS
    os.environ.pop("LIKENESS_PUBLIC_URL", None)
    n_taken = _take(wanted.out.resolve(), wanted.only)
    print(f"{n_taken} pictures in {time.monotonic() - started:.0f} s: {wanted.out}")
    return 0 if n_taken else 1


def _take(folder: Path, only: str) -> int:
    from playwright.sync_api import sync_playwright

    with installation() as base, sync_playwright() as playwright:
        from django.conf import settings

        from tests.pictures import documented
        from tests.pictures.paid import PUBLIC_URL, PaidStudies
        from tests.pictures.research import Desk

        # Shown in addresses alone: the pages are asked for on this machine.
        settings.PUBLIC_URL = PUBLIC_URL
        studies = PaidStudies(Desk(base, "en"))
        wanted = [picture for picture in documented.PICTURES if only in picture.name]
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for picture in wanted:
            _shrink(documented.take(browser, picture, studies, folder))
        browser.close()
    return len(wanted)


def _shrink(path: Path) -> None:
    """Pages have few colours: a palette of them takes a third of the bytes."""
    from PIL import Image

    with Image.open(path) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
