"""The top of a study's overview: how far it is, what needs a decision, and answers over time."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import grouped
from annotation.basics.sentences import sentence
from annotation.core.pages.navigation import Text
from annotation.core.queries.progress import Places
from annotation.models import Study
from annotation.monitoring.pages.end_of_collection import end_in_words
from annotation.monitoring.queries import alerts, live_plots
from annotation.monitoring.queries.live import live
from annotation.studies.queries import overview
from annotation.studies.queries.listings_out import listings_out


@dataclass(frozen=True)
class Head:
    """`curve` is empty before the first answer was counted."""

    sentences: list[str]
    curve: SafeString | None
    needs: list[Text]
    has_alerts: bool


def head_of(study: Study, *, is_reader: bool, places_by_source: Mapping[str, Places]) -> Head:
    """Nothing is asked of somebody who only reads the study."""
    standing = [] if is_reader else _alerts(study)
    needs = [] if is_reader else overview.needs_of(study, places_by_source)
    if study.is_draft or study.is_imported:
        return Head([], None, standing if study.is_draft else [*standing, *needs], bool(standing))
    figures = live(study, "people", places_by_source=places_by_source)
    places, tally = figures.places, figures.tally
    sentences = [
        ngettext(
            "%(done)s of %(n)s place is completed.",
            "%(done)s of %(n)s places are completed.",
            places.total,
        )
        % {"done": grouped(places.done), "n": grouped(places.total)}
    ]
    if tally is not None and tally.n_answers:
        sentences.append(
            _("Answers: %(n)s; in the last 24 hours: %(today)s.")
            % {"n": grouped(tally.n_answers), "today": grouped(tally.in_last_day)}
        )
    # Why no end can be told is on the page of live figures.
    if study.state == Study.State.OPEN and figures.end.reason in {"", "done"}:
        sentences.append(end_in_words(figures))
    plot = live_plots.throughput(figures)
    return Head(sentences, plot.svg if plot else None, [*standing, *needs], bool(standing))


def _alerts(study: Study) -> list[Text]:
    """What stands, and listings that send people to a study that lets nobody in."""
    messages: list[Text] = [alerts.said(alert) for alert in alerts.standing_of(study)]
    if not study.takes_new_people:
        messages += [
            sentence(
                "Listing %(n)s is published, but nobody can join the study. Close the listing."
            )
            % {"n": listing.number}
            for listing in listings_out(study)
            if listing.is_open
        ]
    return messages
