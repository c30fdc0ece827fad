"""The documentation: the pages lead to its chapters, and the README to what is there."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from annotation.core.pages.help import CHAPTERS, TERMS, glossary
from annotation.core.pages.navigation import PLACES
from tests.pictures.documented import PICTURES
from tests.support.factories import make_open_study
from tests.support.researcher_pages import signed_in, url

DOCS = settings.BASE_DIR / "docs"
README = settings.BASE_DIR / "README.md"
# In Markdown [text](where), not in a fence and not of another host.
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def test_each_page_of_a_study_has_a_chapter() -> None:
    assert {name for place in PLACES for name, _label in place.pages} == CHAPTERS.keys()
    assert [
        chapter for chapter in CHAPTERS.values() if not (DOCS / f"{chapter}.md").exists()
    ] == []


def test_the_terms_of_the_pages_are_in_the_glossary(settings, tmp_path: Path) -> None:
    settings.WHITENOISE_ROOT = tmp_path
    lines = (DOCS / "glossary.md").read_text().splitlines()
    # A term begins its line; what it means is indented.
    anchors = {line.replace(" ", "-") for line in lines if re.fullmatch(r"[a-z][a-z -]+", line)}
    addresses = [address for section in CHAPTERS for address, _name in glossary(section)]
    linked = {address.rpartition("#term-")[2] for address in addresses}

    assert TERMS.keys() - anchors == set()
    assert linked == TERMS.keys()


@pytest.mark.parametrize(
    "path",
    [README, *sorted(DOCS.rglob("*.md"))],
    ids=lambda path: str(path.relative_to(settings.BASE_DIR)),
)
def test_every_link_leads_somewhere(path: Path) -> None:
    links = [target for target, _anchor in _LINK.findall(path.read_text())]

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_each_picture_can_be_taken_anew() -> None:
    texts = [README, *sorted(DOCS.rglob("*.md"))]
    shown = {
        Path(target).stem
        for path in texts
        for target, _anchor in _LINK.findall(path.read_text())
        if target.endswith(".png")
    }
    taken = [picture.name for picture in PICTURES]

    # `make docs-pictures` takes each that is shown, and no other lies there.
    assert sorted(taken) == sorted(shown)
    assert {path.stem for path in (DOCS / "pictures").glob("*.png")} == shown


def test_the_readme_is_short() -> None:
    assert len(README.read_bytes()) <= 6 * 1024


@pytest.mark.django_db
def test_the_documentation_is_shown_in_no_frame_and_asks_no_other_host(
    settings, tmp_path: Path
) -> None:
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "index.html").write_text("Help")
    settings.WHITENOISE_ROOT = tmp_path

    with closing(Client().get("/help/")) as answer:
        b"".join(answer.streaming_content)

    assert answer.status_code == 200
    assert answer["X-Frame-Options"] == "DENY"
    policy = answer["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.django_db
def test_a_page_leads_to_its_chapter_once_that_is_built(settings, tmp_path: Path) -> None:
    study = make_open_study(dialogues=1)
    client: Client = signed_in(study.owner)
    settings.WHITENOISE_ROOT = None
    page = client.get(url(study, "results"))
    assert (page.context["help_url"], page.context["glossary"]) == ("", [])

    settings.WHITENOISE_ROOT = tmp_path

    assert client.get("/admin/").context["help_url"] == "/help/index.html"
    page = client.get(url(study, "results"))
    assert page.context["help_url"] == "/help/explanation/reliability.html"
    assert 'href="/help/explanation/reliability.html"' in page.content.decode()
    assert 'href="/help/glossary.html#term-alpha"' in page.content.decode()
