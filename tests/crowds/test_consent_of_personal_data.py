"""What a consent text must say beside the preset's where names or platform numbers are stored."""

from datetime import timedelta

import pytest

from annotation.basics import clock
from annotation.crowds.stored_personal_data import ROSTER, to_be_added
from annotation.kinds import default_texts
from annotation.models import Study
from annotation.people.queries import retention
from annotation.studies.services import studies
from tests.support.crowds import make_listing
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", default_texts.LANGUAGES)
@pytest.mark.parametrize("preset", ["giccs", "best-worst", "labels", "answer-similarity"])
def test_a_default_text_lacks_what_a_roster_or_a_platform_stores(
    language: str, preset: str
) -> None:
    study = studies.create(owner=make_study().owner, title="New", language=language, preset=preset)

    roster, platform = (to_be_added(study, by) for by in (ROSTER, "prolific"))

    assert roster
    assert platform
    assert roster.sentence != platform.sentence
    # The text of one language is not that of another.
    assert "365" in roster.sentence
    text = studies.current_consent(study).text
    studies.edit(study=study, changes={"consent": f"{text}\n\n{roster.sentence}"})
    assert to_be_added(study, ROSTER) is None
    assert to_be_added(study, "prolific")


@pytest.mark.parametrize(("language", "later"), [("en", "later"), ("de", "später")])
def test_the_sentence_promises_no_day_because_an_erasure_can_wait(
    language: str, later: str
) -> None:
    study = make_open_study(language=language)
    make_listing(study)
    Study.objects.filter(pk=study.pk).update(
        state=Study.State.FINISHED, finished_at=clock.now() - timedelta(days=400)
    )
    study.refresh_from_db()
    assert retention.is_due(study)
    assert retention.obstacles(study)

    for by in (ROSTER, "prolific"):
        lacking = to_be_added(study, by)
        assert lacking
        assert later in lacking.sentence


def test_of_a_reworded_text_only_its_reader_knows_what_it_says() -> None:
    study = make_study()
    text = studies.current_consent(study).text
    storing = "Your answers, when you gave them, and how long you took"
    assert storing in text

    own = text.replace(storing, f"Your number. {storing}")
    studies.edit(study=study, changes={"consent": own})

    lacking = to_be_added(study, ROSTER)
    assert lacking
    assert not lacking.is_certain
    assert lacking.sentence in signed_in(study.owner).get(url(study, "roster")).content.decode()


def test_the_time_is_the_studys_own(settings) -> None:
    settings.RETENTION_DAYS = 0
    study = make_study()
    by_hand = to_be_added(study, ROSTER)
    Study.objects.filter(pk=study.pk).update(retention_days=31)

    own = to_be_added(Study.objects.get(pk=study.pk), ROSTER)

    assert by_hand
    assert own
    assert own.stored.values == {"days": 31}
    assert "31" in own.sentence
    assert not by_hand.stored.values


def test_the_pages_of_rosters_and_listings_give_the_sentence() -> None:
    study = make_open_study()
    listing = make_listing(study)
    client = signed_in(study.owner)

    roster = client.get(url(study, "roster"))
    listed = client.get(url(study, "listing", listing.pk))
    # The last look before people are asked is the last chance to say so.
    publishing = client.get(url(study, "listing_publish", listing.pk))

    pages = ((roster, ROSTER), (listed, listing.platform), (publishing, listing.platform))
    for page, by in pages:
        lacking = page.context["consent_lacks"]
        assert str(lacking) == str(to_be_added(study, by))
        assert lacking.is_certain
        assert lacking.sentence in page.content.decode()
        assert f"{url(study, 'describe')}#id_consent" in page.content.decode()
