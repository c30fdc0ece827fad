"""The places of a study and the pages in each: the map that its navigation shows."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.core import access
from annotation.models import Study

Text = str | Promise


@dataclass(frozen=True)
class Place:
    """Pages that belong together: the name of the URL and the label of each."""

    label: Text
    pages: tuple[tuple[str, Text], ...]


# In the order of the work.
PLACES = (
    Place(_("Overview"), (("change", _("Overview")),)),
    Place(
        _("Prepare"),
        (
            ("describe", _("Describe")),
            ("items", _("Items")),
            ("questionnaires", _("Questionnaires")),
            ("design", _("Design")),
            ("try", _("Try it")),
        ),
    ),
    Place(
        _("Collect"),
        (
            ("collect", _("Links")),
            ("platforms", _("Platforms")),
            ("live", _("Live progress")),
            ("people", _("People")),
            ("alerts", _("Alerts")),
        ),
    ),
    Place(_("Results"), (("results", _("Scores")), ("baselines", _("Baselines")))),
    Place(
        _("Publish"),
        (
            ("download", _("Download")),
            ("releases", _("Releases")),
            ("paper", _("For your paper")),
        ),
    ),
    Place(
        _("Settings"),
        (("share", _("Share")), ("privacy", _("Privacy")), ("history", _("History"))),
    ),
)
# Pages about asking people, by the first part of their address below a study's.
ASKING = frozenset(
    (
        *("alerts", "collect", "design", "live", "pilots", "plan", "platforms"),
        *("questionnaires", "roster", "try"),
    )
)
# What is about answers: an imported table has none.
OF_ANSWERS = frozenset(("adjudications", "people", "privacy", "results"))


@dataclass(frozen=True)
class PageLink:
    label: Text
    address: str
    is_here: bool


@dataclass(frozen=True)
class PlaceLink:
    """A place as the navigation of one page shows it; it leads to the first of its pages."""

    label: Text
    pages: tuple[PageLink, ...]

    @property
    def address(self) -> str:
        return self.pages[0].address

    @property
    def is_here(self) -> bool:
        return any(page.is_here for page in self.pages)


def places_of(
    study: Study, address_of: Callable[[str], str], *, here: str, is_reader: bool
) -> list[PlaceLink]:
    """The places of a study with the pages that it has, and that a reader may open."""
    left_out: frozenset[str] = frozenset()
    if study.is_imported:
        left_out = ASKING | OF_ANSWERS if study.is_imported_table else ASKING
    places = []
    for place in PLACES:
        links = tuple(
            PageLink(label, address_of(name), name == here)
            for name, label in place.pages
            if name not in left_out and (not is_reader or name in access.READER_PAGES)
        )
        if links:
            places.append(PlaceLink(place.label, links))
    return places
