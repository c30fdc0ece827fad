"""A changed consent text is a new version; everybody's agreement keeps its version and time."""

import csv
import io
import zipfile

import pytest
from django.test import Client

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics.errors import StateError
from annotation.models import Annotator, Consent, Erasure, Study
from annotation.models.kinds import Source
from annotation.people.services import retention
from annotation.releases.exports import archive
from annotation.studies.services import studies
from tests.support.annotating import read
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db


def consents(study: Study) -> list[tuple[str, str, str]]:
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    with zipfile.ZipFile(file) as files:
        assert "## consents.tsv" in (readme := files.read("README.md").decode()), readme
        table = csv.DictReader(io.StringIO(files.read("consents.tsv").decode()), delimiter="\t")
        return [(row["annotator"], row["version"], row["agreed_at"]) for row in table]


@pytest.mark.slow
def test_each_consent_keeps_its_version_and_its_time(clock: Clock) -> None:
    study = make_open_study(dialogues=2)
    first = join(study)
    began = clock.time
    address = f"/j/{study.join_token}/"
    form = read(Client().get(address)).forms[address]

    clock.move(hours=1)
    studies.edit(study=study, changes={"consent": "We keep less than before."})
    studies.edit(study=study, changes={"consent": "We keep less than before."})
    # Whoever had the earlier text before them reads the new one first.
    late = Client().post(address, {**form, "agree": "1"})
    assert late.status_code == 400
    assert "The text has changed" in text(late)
    assert "We keep less than before." in text(late)
    second, withdrawn = join(study), join(study)
    withdrawal.withdraw(annotator=withdrawn.annotator)

    # Whoever agreed to the first one goes on under it.
    assert Client().get(f"/a/{first.key}/instructions/").status_code == 200
    assert Client().get(f"/a/{first.key}/")["Location"] == f"/a/{first.key}/s/1/"
    told = text(Client().get(f"/a/{first.key}/data/"))
    assert "Version 1 of the text" in told
    assert "We keep less" not in told
    kept = Consent.objects.order_by("given_at").values_list(
        "annotator", "text__version", "given_at"
    )
    assert list(kept) == [
        (first.annotator.pk, 1, began),
        (second.annotator.pk, 2, clock.time),
        (withdrawn.annotator.pk, 2, clock.time),
    ]

    found = consents(study)
    assert {(who, version) for who, version, _at in found} == {
        (first.annotator.pseudonym, "1"),
        (second.annotator.pseudonym, "2"),
    }
    assert all(at.endswith("Z") for _who, _version, at in found)

    client = signed_in(study.owner)
    page = " ".join(text(client.get(url(study, "privacy"))).split())
    assert page.index("Version 2") < page.index("Version 1")
    assert "2 agreed" in page
    assert "1 agreed" in page
    assert "continue under it" in page
    described = text(client.get(url(study, "describe")))
    assert "version 2. 2 people have agreed" in described
    assert "consent version&nbsp;1" in text(client.get(url(study, "people")))


@pytest.mark.slow
def test_the_owner_says_how_long_and_erases_by_hand(clock: Clock, settings) -> None:
    study = make_open_study(dialogues=2)
    rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", "Ada Lovelace")])
    client, page = signed_in(study.owner), url(study, "privacy")
    colleague = make_user()
    study.shared_with.add(colleague)

    assert "1 person with a name" in text(client.get(page))
    assert "The study has not ended yet. Close or finish" in text(client.get(page))
    for days in ("0", "-3", "many", str(settings.RETENTION_MAX_DAYS + 1)):
        refused = client.post(page, {"days": days})
        assert refused.status_code == 400, days
        assert f'value="{days}"' in text(refused)
    client.post(page, {"days": "14"})
    assert Study.objects.get().retention_days == 14
    theirs = signed_in(colleague)
    assert theirs.post(page, {"days": "1"}).status_code == 403
    assert theirs.post(url(study, "privacy_erase")).status_code == 403
    assert "Ada" not in text(theirs.get(page))

    # Asked first, refused while it is open, done once it is finished.
    assert "The study has not ended yet. Close or finish" in text(
        client.get(url(study, "privacy_erase"))
    )
    client.post(url(study, "privacy_erase"))
    assert Annotator.objects.exclude(person=None).exists()
    studies.finish(study=study)
    asked = text(client.get(url(study, "privacy_erase")))
    assert "Names, addresses and platform ids" in asked or "The name, address" in asked
    assert Annotator.objects.exclude(person=None).exists()
    answer = client.post(url(study, "privacy_erase"), follow=True)
    assert "Erased: personal data of 1 person." in said(answer)
    assert not Annotator.objects.exclude(person=None).exists()
    assert Erasure.objects.get().by == study.owner
    assert "Erased: personal data of 1 person." in text(client.get(url(study, "history")))

    # By the clock, the history says so, too.
    other = make_open_study(dialogues=2, owner=study.owner)
    rosters.add_roster(study=other, entries=[rosters.RosterEntry("s1", "Ada Lovelace")])
    studies.close(study=other)
    clock.move(days=settings.RETENTION_DAYS + 1)
    assert "Due since" in text(client.get(url(other, "privacy")))
    retention.erase_due()
    clock.move(hours=6)
    retention.erase_due()
    assert "person were erased because the storage period had ended" in text(
        client.get(url(other, "history"))
    )
    assert "The personal data were erased." in text(client.get(url(other, "privacy")))


def test_only_people_are_counted_as_having_agreed(clock: Clock) -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    client = signed_in(study.owner)
    agreed = studies.current_consent(study)
    join(study)
    join(study)
    last = Consent.objects.latest("given_at").given_at
    clock.move(hours=1)
    for _n in range(3):
        simulated = Annotator.objects.create(study=study, source=Source.SIMULATED)
        assignments.note_consent(simulated, agreed, now=clock.time)

    [privacy] = client.get(url(study, "privacy")).context["texts"]
    assert (privacy.n_agreed, privacy.last_at) == (2, last)
    assert client.get(url(study, "describe")).context["n_agreed"] == 2
    [row] = client.get(f"/api/v1/studies/{study.slug}/consents/").json()["results"]
    assert row["n_agreed"] == 2
    whole = client.get(f"/api/v1/studies/{study.slug}/").json()
    assert whole["consent"]["n_agreed"] == 2
    # The file keeps the sources apart, too.
    assert len(consents(study)) == 2


def test_an_open_study_takes_no_consent_text_that_waits_to_be_filled_in() -> None:
    study = make_study()
    studies.edit(study=study, changes={"consent": "Ask [A. Nyone], until [date to insert]."})
    open_study = make_open_study()
    agreed = studies.edit(study=open_study, changes={"consent": "Ask Ada Example."})

    with pytest.raises(StateError) as refused:
        studies.edit(study=open_study, changes={"consent": "Kept until [date to insert]."})

    assert "[date to insert]" in refused.value.message
    assert studies.current_consent(agreed).text == "Ask Ada Example."
    studies.edit(study=open_study, changes={"consent": "See [our page](https://example.org)."})
