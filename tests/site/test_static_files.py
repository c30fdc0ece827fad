"""The files of the annotator's pages: kept by browsers for good, and asked for all at once."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from annotation.answering.queries.screens import preview_screen
from annotation.kinds.base import StudyKind
from annotation.kinds.registry import KINDS
from annotation.models import Study
from config.static import HashedStaticFiles
from tests.support import factories

WORDS = {"low": "0", "high": "1", "step": "1", "labels": {"0": "other", "1": "the same"}}
FOLDER = settings.BASE_DIR / "static" / "answering"


def imported(script: str) -> set[str]:
    """The modules that a script loads, and those that these load."""
    found: set[str] = set()
    for name in re.findall(r'from "\./([a-z]+\.js)"', (FOLDER / script).read_text()):
        found |= {name} | imported(name)
    return found


@pytest.mark.django_db
def test_a_screen_asks_for_all_its_modules_at_once() -> None:
    study = factories.make_open_study()
    html = render_to_string("answering/screen.html", preview_screen(study, 1))

    preloaded = re.findall(r'rel="modulepreload" href="/static/answering/([a-z]+\.js)"', html)
    own = re.findall(r'<script type="module" src="/static/answering/([a-z-]+\.js)">', html)

    assert set(preloaded) == imported("screen.js") | imported("page.js")
    assert len(preloaded) == len(set(preloaded))
    assert own == ["best-worst.js"]


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("scale", [{}, WORDS])
def test_a_kind_names_all_modules_that_its_questions_need(kind: StudyKind, scale) -> None:
    scripts = kind.answering.scripts(Study(kind=kind.slug, scale=scale))

    named = {script.removeprefix("answering/") for script in scripts}
    needed = {one for script in named for one in imported(script)}
    assert needed - named == {"question.js"}


def test_imported_modules_have_names_that_change_with_their_content(tmp_path: Path) -> None:
    storage = HashedStaticFiles(location=tmp_path, base_url="/static/")
    for path in FOLDER.glob("*.js"):
        (tmp_path / path.name).write_text(path.read_text())
    paths = {path.name: (storage, path.name) for path in FOLDER.glob("*.js")}

    assert all(done is not None for _, done, _ in storage.post_process(paths))

    screen = (tmp_path / storage.stored_name("screen.js")).read_text()
    names = re.findall(r'from "\./([^"]+)"', screen)
    assert len(names) > 5
    for name in names:
        assert re.fullmatch(r"[a-z-]+\.[0-9a-f]{12}\.js", name)
        assert (tmp_path / name).exists()
