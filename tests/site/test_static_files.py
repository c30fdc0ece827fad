"""The files of the annotator's pages: kept by browsers for good, and asked for all at once."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from annotation.answering.queries.screens import preview_screen
from annotation.kinds.registry import KINDS
from annotation.models import Study
from config.static import HashedStaticFiles, collect_changed
from tests.support import factories
from tests.support.labelling import make_label_study
from tests.support.ranking import make_ranking_study
from tests.support.rating import make_rating_study
from tests.support.selecting import make_selection_study

WORDS = {"low": "0", "high": "1", "step": "1", "labels": {"0": "other", "1": "the same"}}
STATIC = settings.BASE_DIR / "static"
FOLDER = STATIC / "answering"
IMPORT = r'^import .*?from "([^"]+\.js)"'

STUDIES: dict[str, Callable[[], Study]] = {
    "best_worst": factories.make_open_study,
    "ranking": make_ranking_study,
    "rating": make_rating_study,
    "worded": lambda: make_rating_study(scale=WORDS),
    "label": make_label_study,
    "selection": make_selection_study,
}


def with_imports(script: str) -> set[str]:
    """A script and all modules that it loads, by their paths below `static/`."""
    scripts: set[str] = set()
    waiting = [script]
    while waiting:
        path = waiting.pop()
        if path in scripts:
            continue
        scripts.add(path)
        for name in re.findall(IMPORT, (STATIC / path).read_text(), re.MULTILINE | re.DOTALL):
            waiting.append(
                str((STATIC / path).parent.joinpath(name).resolve().relative_to(STATIC))
            )
    return scripts


def script_of_kind(name: str) -> str:
    """The script that makes a kind of question known, as its sections name it."""
    (path,) = [path for path in FOLDER.glob("*.js") if f'register("{name}"' in path.read_text()]
    return f"answering/{path.name}"


def test_every_kind_is_looked_at() -> None:
    assert set(KINDS) == set(STUDIES) - {"worded"}


@pytest.mark.django_db
@pytest.mark.parametrize("name", STUDIES)
def test_a_screen_asks_at_once_for_the_modules_of_its_own_kind_and_for_no_others(
    name: str,
) -> None:
    html = render_to_string("answering/screen.html", preview_screen(STUDIES[name](), 1))

    preloaded = re.findall(r'rel="modulepreload" href="/static/([^"]+)"', html)
    run = re.findall(r'<script type="module"[^>]* src="/static/([^"]+)">', html)
    kinds = set(re.findall(r'data-kind="([^"]+)"', html))

    assert kinds == {name}
    needed = with_imports("answering/screen.js") | with_imports("answering/page.js")
    assert {*preloaded, *run} == needed | with_imports(script_of_kind(name))
    assert len(preloaded) + len(run) == len({*preloaded, *run})
    # The kind is known before the screen makes its questions.
    assert run.index(script_of_kind(name)) < run.index("answering/screen.js")


def test_imported_modules_have_names_that_change_with_their_content(tmp_path: Path) -> None:
    storage = HashedStaticFiles(location=tmp_path, base_url="/static/")
    scripts = [str(path.relative_to(STATIC)) for path in STATIC.glob("*/*.js")]
    for script in scripts:
        (tmp_path / script).parent.mkdir(exist_ok=True)
        (tmp_path / script).write_text((STATIC / script).read_text())
    paths = {script: (storage, script) for script in scripts}

    assert all(done is not None for _, done, _ in storage.post_process(paths))

    screen = tmp_path / storage.stored_name("answering/screen.js")
    names = re.findall(IMPORT, screen.read_text(), re.MULTILINE | re.DOTALL)
    assert len(names) > 5
    for name in names:
        assert re.fullmatch(r"\.{1,2}/([a-z]+/)?[a-z-]+\.[0-9a-f]{12}\.js", name)
        assert (screen.parent / name).exists()


def test_a_further_start_collects_only_what_was_changed(settings: Any, tmp_path: Path) -> None:
    source, collected = tmp_path / "source", tmp_path / "static"
    source.mkdir()
    (source / "page.css").write_text("a")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], collected
    collect_changed()
    # As old as this it is replaced by whoever collects.
    (collected / "page.css").write_text("of the first start")
    os.utime(collected / "page.css", (0, 0))

    collect_changed()
    unchanged = (collected / "page.css").read_text()
    (source / "page.css").write_text("another")
    collect_changed()

    assert unchanged == "of the first start"
    assert (collected / "page.css").read_text() == "another"
