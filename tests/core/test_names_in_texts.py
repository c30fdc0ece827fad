"""Names that researchers wrote somewhere: found and shown before an erasure, gone after it."""

import json

import pytest
from django.core.management import call_command

from annotation.answering.services import assignments, rosters, withdrawal
from annotation.basics.sentences import sentence as _
from annotation.core.services import audit_log, jobs
from annotation.models import Adjudication, AuditEvent, Job, Relabelling, Release, Study
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import researchers, studies
from tests.support.answering import answer_all
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db

NAME, OTHER = "Ada Lovelace", "Grace Hopper"
DESCRIBED = Description.of({"title": "Released", "authors": [{"name": "Somebody Else"}]})


@pytest.fixture
def study(clock: Clock) -> Study:
    """Two people, the first of whom is named wherever somebody can write freely."""
    study = make_open_study(dialogues=2)
    made = rosters.add_roster(
        study=study,
        entries=[rosters.RosterEntry("s-0815", NAME), rosters.RosterEntry("s-0816", OTHER)],
    )
    for one in made:
        started = assignments.start(
            annotator=one.annotator, consent=studies.current_consent(study)
        )
        answer_all(started)
        assignments.submit(assignment=started)
    item = study.items.order_by("pk").first()
    at = {"study": study, "item": item, "by": study.owner, "made_at": clock.time}
    Adjudication.objects.create(
        **at, phase=study.design.phases.get(), rating=1, reason=f"{NAME} was right."
    )
    Relabelling.objects.create(**at, field="topic", after="sea", reason=f"As {NAME} says.")
    notes = f"Without what {NAME} said.\n{OTHER} asked for it."
    jobs.run(releases.start(study=study, description=DESCRIBED, notes=notes).pk)
    studies.finish(study=study)
    return study


def written() -> str:
    return json.dumps(
        [
            *AuditEvent.objects.values_list("said"),
            *Adjudication.objects.values_list("reason"),
            *Relabelling.objects.values_list("reason"),
            *Release.objects.values_list("notes", "changes"),
            *Job.objects.values_list("parameters", "error", "message"),
        ],
        ensure_ascii=False,
    )


def test_the_researcher_sees_where_and_all_of_it_goes_but_files(study: Study) -> None:
    client = signed_in(study.owner)
    digest = Release.objects.get().digest
    assert (NAME in written(), OTHER in written()) == (True, True)

    page = text(client.get(url(study, "privacy_erase")))

    for place in (
        "reasons of adjudications (1)",
        "reasons of changed labels (1)",
        "change logs of releases (1)",
        "imports and drafts of releases (1)",
        "The file of release 1 names somebody, and it cannot change",
    ):
        assert place in page, place
    answered = client.post(url(study, "privacy_erase"), follow=True)
    assert any("reasons of adjudications (1)" in line for line in said(answered))
    assert "The file of release 1 names somebody" in text(client.get(url(study, "history")))
    assert (NAME in written(), OTHER in written()) == (False, False)
    assert "… was right." in written()
    release = Release.objects.get()
    assert release.notes == "Without what … said.\n… asked for it."
    # What was published is what it was.
    assert release.digest == digest
    # Nobody wrote of these, or the words are their authors'.
    assert "Somebody Else" in written()


def test_whoever_withdraws_is_taken_out_alone(study: Study) -> None:
    gone = study.annotators.get(person__name=NAME)

    withdrawal.withdraw(annotator=gone)

    assert (NAME in written(), OTHER in written()) == (False, True)


def test_the_command_says_where(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("erase_personal_data", study.slug, "--dry-run", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["named_in"] == {
        "adjudications": 1,
        "relabellings": 1,
        "releases": 1,
        "jobs": 1,
    }
    assert told["releases_naming"] == [1]

    call_command("erase_personal_data", study.slug)
    assert "reasons of adjudications (1)" in capsys.readouterr().out
    call_command("erase_personal_data", study.slug, "--dry-run", "--json")
    assert json.loads(capsys.readouterr().out)["named_in"] == {}


def test_a_deleted_draft_leaves_no_name_in_the_log(clock: Clock) -> None:
    study, other = make_study(), make_study()
    for one in (study, other):
        rosters.add_roster(study=one, entries=[rosters.RosterEntry("s-0815", NAME)])
        said = _("%(who)s was taken off the roster.") % {"who": NAME}
        audit_log.write(study=one, message=said, by=one.owner)
    lines = AuditEvent.objects.count()

    researchers.delete_draft(study=study)

    assert AuditEvent.objects.count() == lines
    said = [entry.said for entry in AuditEvent.objects.all()]
    assert sum(NAME in line for line in said) == 1
    assert sum("…" in line for line in said) == 1


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_brackets_in_hundreds_keep_nobody_in_a_text(study: Study, depth: int) -> None:
    """As of JSON that is nested more deeply than it can be read: the erasure goes on."""
    reason = f"{'[' * depth}{json.dumps(NAME)}{']' * depth}"
    Adjudication.objects.update(reason=reason)

    call_command("erase_personal_data", study.slug)

    assert (NAME in written(), OTHER in written()) == (False, False)
    assert Adjudication.objects.get().reason == reason.replace(NAME, "…")
