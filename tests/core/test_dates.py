"""Dates read the same on all pages, and say whose clock they are of."""

from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import timezone, translation


@pytest.mark.parametrize("language", [*(code for code, _name in settings.LANGUAGES), "cs"])
def test_a_moment_is_the_same_in_every_language_and_names_its_zone(language: str) -> None:
    moment = datetime(2026, 3, 4, 17, 5, tzinfo=UTC)
    shown = Template(
        '{{ m|date:"DATETIME_FORMAT" }}; {{ m|date:"SHORT_DATETIME_FORMAT" }};'
        ' {{ m|date:"DATE_FORMAT" }}; {{ m|date:"SHORT_DATE_FORMAT" }}; {{ m }}'
    )

    with translation.override(language), timezone.override("Europe/Prague"):
        said = shown.render(Context({"m": moment})).split("; ")

    day, time = "2026-03-04", "2026-03-04 18:05 CET"
    assert said == [time, time, day, day, time]
