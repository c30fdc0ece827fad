"""The documentation: the pages lead to its chapters, and the README to what is there."""

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from annotation.core.pages.help import CHAPTERS, TERMS, glossary
from annotation.core.pages.navigation import PLACES
from annotation.designs.services import designs
from annotation.models import Study
from tests.pictures.documented import PICTURES
from tests.support.factories import make_open_study, make_study
from tests.support.labelling import make_label_study
from tests.support.rating import make_rating_study
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


def test_the_terms_of_the_pages_are_in_the_glossary() -> None:
    lines = (DOCS / "glossary.md").read_text().splitlines()
    # A term begins its line; what it means is indented.
    anchors = {line.replace(" ", "-") for line in lines if re.fullmatch(r"[a-z][a-z -]+", line)}

    assert TERMS.keys() - anchors == set()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Each pool has 5 items; utilities follow.", ["item", "pool", "utility"]),
        ("The placeholder is replaced.", []),
        ("Targets only.", ["target"]),
    ],
)
def test_terms_are_found_in_singular_and_plural(text: str, terms: list[str]) -> None:
    assert _anchors(address for address, _name in glossary(text)) == terms


def test_terms_are_found_in_the_readers_language() -> None:
    with translation.override("de"):
        addresses = [address for address, _name in glossary("Platze; Tupeln; Sie nutzen Phasen.")]

    assert _anchors(addresses) == ["phase", "place", "tuple"]


@pytest.fixture
def _documentation(settings, tmp_path: Path) -> None:
    settings.WHITENOISE_ROOT = tmp_path


def make_designed() -> Study:
    study = make_study()
    designs.make(design=study.design)
    return study


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "name", "offered", "not_offered"),
    [
        (make_study, "describe", {"target"}, {"phase", "tuple"}),
        (make_study, "design", {"tuple", "booklet"}, {"leaderboard"}),
        (make_designed, "open", {"tuple"}, {"leaderboard"}),
        (make_rating_study, "design", {"item"}, {"best-worst-scaling", "tuple", "pool"}),
        (make_label_study, "design", {"item"}, {"best-worst-scaling", "tuple", "pool"}),
    ],
)
@pytest.mark.usefixtures("_documentation")
def test_a_page_offers_the_terms_that_stand_on_it(
    make: Callable[[], Study], name: str, offered: set[str], not_offered: set[str]
) -> None:
    study = make()

    page = signed_in(study.owner).get(url(study, name)).content.decode()

    listed = set(re.findall(r"glossary\.html#term-([a-z-]+)", page))
    assert offered <= listed
    assert not listed & not_offered


def _anchors(addresses: Iterable[str]) -> list[str]:
    return [address.rpartition("#term-")[2] for address in addresses]


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
    assert page.context["help_url"] == ""
    assert "glossary.html" not in page.content.decode()

    settings.WHITENOISE_ROOT = tmp_path

    assert client.get("/admin/").context["help_url"] == "/help/index.html"
    page = client.get(url(study, "results"))
    assert page.context["help_url"] == "/help/explanation/reliability.html"
    assert 'href="/help/explanation/reliability.html"' in page.content.decode()
    assert 'href="/help/glossary.html#term-booklet"' in page.content.decode()
