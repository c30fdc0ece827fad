"""The command that makes the design of a rating study."""

import json
from dataclasses import fields

import pytest
from django.core.management import CommandError, call_command

from annotation.kinds.design_parameters import (
    PhaseParameters,
    RatingParameters,
)
from annotation.kinds.registry import KINDS
from annotation.management.commands.make_design import Command
from annotation.models import Study
from tests.support.designed_ratings import rating_study
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


def test_the_command_makes_the_design(capsys: pytest.CaptureFixture[str]) -> None:
    study = rating_study(pairs=12, calibration=(0, 6))

    call_command(
        "make_design",
        study.slug,
        "--json",
        *("--ratings-per-item", "3", "--calibration", "c1"),
        *("--phase", "context_free", "--phase", "context_dependent:48:7"),
    )

    certificate = json.loads(capsys.readouterr().out)
    parameters = RatingParameters.of(study.design)
    assert certificate["ratings_per_pair"] == 3
    assert parameters.calibration == ["c1"]
    assert parameters.phases[1] == PhaseParameters("context_dependent", 48, 7)


def test_the_command_says_its_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    study = rating_study(pairs=12)

    call_command("make_design", study.slug, stdout=None)

    lines = capsys.readouterr().out.splitlines()
    page = signed_in(study.owner).get(url(study, "design"))
    assert lines == page.context["certificate"]["sentences"]
    assert any("9 people take part" in sentence for sentence in lines)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (("--repeats", "2"), "--repeat-distance"),
        (("--repeats", "100"), "--repeats"),
        (("--teams", "13"), "--teams"),
        (("--calibration", "nothing"), "--calibration"),
        (("--phase", "context_free:-1"), "--phase"),
        (("--ratings-per-item", "0"), "--ratings-per-item"),
    ],
)
def test_the_command_names_the_option_to_mend(given: tuple[str, str], option: str) -> None:
    study = rating_study(pairs=12)
    before = study.design.parameters

    with pytest.raises(CommandError, match=f"^{option}: "):
        call_command("make_design", study.slug, *given)

    assert Study.objects.get(pk=study.pk).design.parameters == before


@pytest.mark.parametrize("slug", KINDS)
def test_every_number_at_fault_has_its_option(slug: str) -> None:
    of_kind = KINDS[slug].designs
    parser = Command().create_parser("manage.py", "make_design")
    usage = parser.format_help()

    # Strata and their names are refused without a number to mend.
    for field in {parameter.name for parameter in fields(of_kind.parameters)} - {"strata"}:
        assert of_kind.option_of(field) in usage


def test_the_command_refuses_numbers_of_another_kind() -> None:
    with pytest.raises(CommandError, match="no parameter factor"):
        call_command("make_design", rating_study().slug, "--factor", "2")
    with pytest.raises(CommandError, match="no parameter ratings_per_item"):
        call_command("make_design", make_study().slug, "--ratings-per-item", "2")
    with pytest.raises(CommandError, match="'aloud'"):
        call_command("make_design", rating_study().slug, "--phase", "aloud")
