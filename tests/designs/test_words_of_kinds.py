"""A design is described in the words of the study's own kind."""

import re
from collections.abc import Callable

import pytest

from annotation.designs.services import designs
from annotation.kinds.registry import KINDS
from annotation.models import Study
from annotation.studies.services import studies
from tests.support.factories import make_study, make_user
from tests.support.labelling import make_label_study
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import signed_in, text, url
from tests.support.selecting import make_selection_study

pytestmark = pytest.mark.django_db

_PAGES = ("change", "describe", "items", "design", "make_design", "open", "download", "pilots")


@pytest.mark.parametrize("make", [make_rating_study, make_label_study, make_selection_study])
@pytest.mark.slow
def test_a_kind_without_tuples_speaks_of_none(make: Callable[..., Study]) -> None:
    study = make(open_it=False)
    designs.make(design=study.design)
    client = signed_in(study.owner)
    pages = [text(client.get(url(study, name))) for name in _PAGES]
    fields = client.get(url(study, "design")).context["form"].initial
    changed = client.post(url(study, "design"), {**_given(fields), "seed": "17"})
    assert changed.templates[0].name == "core/confirm.html"
    pages.append(text(changed))

    assert [page for page in map(_words_of, pages) if "tuple" in page] == []


@pytest.mark.parametrize("kind", ["rating", "label", "selection"])
def test_a_kind_without_tuples_speaks_of_none_before_it_has_items(kind: str) -> None:
    preset = KINDS[kind].studies.presets[0].key
    study = studies.create(owner=make_user(), title="Empty", preset=preset, seed=1)
    client = signed_in(study.owner)

    pages = [text(client.get(url(study, name))) for name in _PAGES]

    assert [page for page in map(_words_of, pages) if "tuple" in page] == []


def test_pilots_and_trying_it_have_different_names() -> None:
    study = make_study()
    designs.make(design=study.design)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "design")))

    pilots, trying = (
        re.findall(rf'href="{url(study, name)}">(.*?)</a>', page, re.DOTALL)
        for name in ("pilots", "try")
    )
    assert pilots
    assert trying
    assert not any(label.strip() in pilot for label in trying for pilot in pilots)


def _given(fields: dict) -> dict[str, str]:
    return {name: str(value) for name, value in fields.items() if value is not None}


def _words_of(page: str) -> str:
    """What is read below the title."""
    return re.sub("<[^>]*>", " ", page.partition("</h1>")[2]).lower()
