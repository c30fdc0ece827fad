"""Every address of the API that names a study: what else it needs, and what it may be asked."""

import json
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.answering.services import rosters
from annotation.answering.services.rosters import RosterEntry
from annotation.models import Adjudication, Job, Judgment, Study
from annotation.monitoring.services import alert_channels
from tests.support.factories import make_study
from tests.support.researcher_pages import crowd_row

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

HOOK = "https://other.example.org/hook"
ONE = {"key": "age", "kind": "number", "text": "How old are you?"}
CHANGES = {"changes": [{"id": "d1-1", "of": "item", "field": "topic", "value": "weather"}]}

# By name: the further parts of the address (keys of `parts_of`), and what each method is sent.
# A method that is not here is refused with 405.
ROUTES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "study": ((), {"GET": None, "PATCH": {"thanks": "Thanks."}, "DELETE": None}),
    "steps": ((), {"GET": None, "POST": {"step": "pause"}}),
    "copies": ((), {"POST": {"with_items": False}}),
    "items": ((), {"GET": None, "POST": "file"}),
    "items_check": ((), {"POST": "file"}),
    "finished": ((), {"POST": "finished"}),
    "finished_check": ((), {"POST": "finished"}),
    "samples": ((), {"GET": None, "POST": "file"}),
    "sample": (("sample",), {"GET": None}),
    "sample_table": (("sample",), {"GET": None}),
    "relabellings": ((), {"GET": None, "POST": {**CHANGES, "reason": "of the test"}}),
    "relabellings_check": ((), {"POST": CHANGES}),
    "review": ((), {"GET": None, "POST": {}}),
    "questionnaires": ((), {"GET": None, "PUT": {"before": {"questions": [ONE]}}}),
    "questionnaire_replies": ((), {"GET": None}),
    "shares": ((), {"GET": None, "POST": {"username": "nobody"}}),
    "share": (("colleague",), {"PATCH": {"role": "editor"}, "DELETE": None}),
    "retention": ((), {"GET": None, "PATCH": {"days": 9}}),
    "consents": ((), {"GET": None}),
    "history": ((), {"GET": None}),
    "pilots": ((), {"GET": None, "POST": {"n_parts": 1}}),
    "pilot_texts": (("pilot",), {"GET": None, "POST": {"texts": ["thanks"]}}),
    "design": ((), {"GET": None, "PATCH": {"idle_minutes": 60}}),
    "design_make": ((), {"POST": {}}),
    "plan": ((), {"GET": None}),
    "invitation": ((), {"GET": None, "POST": {}}),
    "announcements": (
        (),
        {
            "GET": None,
            "POST": {"n_people": 9, "starts_at": "2099-01-01T10:00:00Z", "hours": 2},
        },
    ),
    "announcement": (("announcement",), {"DELETE": None}),
    "roster": ((), {"GET": None, "POST": {"entries": [{"id": "s3"}]}}),
    "annotators": ((), {"GET": None}),
    "annotator": (("spare_person",), {"GET": None, "DELETE": None}),
    "roster_send": ((), {"POST": {}}),
    "roster_link": (("pseudonym",), {"POST": {}}),
    "answers": (("worker",), {"GET": None}),
    "open_phase": (("worker", "phase"), {"POST": {"reason": "of the test"}}),
    "exclude": (("pseudonym",), {"POST": {"reason": "of the test"}}),
    "include": (("pseudonym",), {"POST": {"reason": "of the test"}}),
    "let_count": (("pseudonym",), {"POST": {}}),
    "comparisons": ((), {"GET": None, "POST": {"without": ["nobody"]}}),
    "comparison": (("comparison",), {"GET": None}),
    "progress": ((), {"GET": None}),
    "live": ((), {"GET": None}),
    "alerts": ((), {"GET": None}),
    "alert_rules": ((), {"GET": None, "PATCH": {"stalled_hours": 3}}),
    "alert_channels": ((), {"GET": None, "POST": {"kind": "webhook", "url": HOOK}}),
    "alert_channel": (("spare_channel",), {"GET": None, "PATCH": {"is_on": True}, "DELETE": None}),
    "alert_test": (("channel",), {"POST": {}}),
    "alert_messages": ((), {"GET": None}),
    "money": ((), {"GET": None}),
    "listings": ((), {"GET": None}),
    "listing": (("listing",), {"GET": None}),
    "ledger": ((), {"GET": None}),
    "payments": ((), {"GET": None}),
    "judgments": ((), {"GET": None}),
    "blank_comment": (("commented",), {"POST": {}}),
    "results": ((), {"GET": None, "POST": {}}),
    "result": (("result",), {"GET": None}),
    "scores": ((), {"GET": None}),
    "disputes": ((), {"GET": None}),
    "adjudications": ((), {"GET": None, "POST": {"item": "i", "rating": 1, "reason": "r"}}),
    "adjudication_lift": (("adjudication",), {"POST": {}}),
    "trainings": ((), {"GET": None, "POST": {"name": "m", "model": "org/m"}}),
    "baselines": ((), {"GET": None, "POST": {}}),
    "baseline_upload": ((), {"POST": "scores"}),
    "baseline": (("spare",), {"GET": None, "DELETE": None}),
    "baseline_values": (("baseline",), {"GET": None}),
    "leaderboard": ((), {"GET": None}),
    "releases": ((), {"GET": None, "POST": {}}),
    "release": (("number",), {"GET": None}),
    "release_file": (("number",), {"GET": None}),
    "jobs": ((), {"GET": None}),
    "job": (("job",), {"GET": None}),
    "job_cancel": (("job",), {"POST": {}}),
    "job_again": (("ended",), {"POST": {}}),
    "export": ((), {"GET": None}),
}


def parts_of(study: Study) -> dict[str, Any]:
    """Rows of a study that an address can name; they exist, so that 404 means access."""
    made = rosters.add_roster(
        study=study, entries=[RosterEntry("s1", "Ada"), RosterEntry("s2", "Alan")]
    )
    colleague, _made = User.objects.get_or_create(username="a.colleague", is_staff=True)
    study.shared_with.add(colleague)
    pilot = make_study(owner=study.owner, pilot_of=study, thanks="Worded differently.")
    pilot.shared_with.set(study.shared_with.all())
    channels = [
        alert_channels.add_webhook(
            study=study, url=f"https://alerts.example.org/{n}", language="en", by=study.owner
        )
        for n in range(2)
    ]
    values = np.arange(study.items.count(), dtype=np.float64)
    spare = study.baselines.latest("pk")
    spare.pk, spare.name, spare.values = None, "to be removed", spare.packed(values)
    spare.save()
    worked = study.annotators.filter(assignments__isnull=False).earliest("pk")
    decided = Adjudication.objects.create(
        study=study,
        item=study.items.earliest("pk"),
        phase=study.design.phases.get(number=1),
        categories=["alike"],
        reason="of the test",
        by=study.owner,
        made_at=timezone.now(),
    )

    commented = Judgment.objects.filter(assignment__annotator=worked).earliest("pk")
    commented.comment = "Call me at home."
    commented.save(update_fields=["comment"])

    def job(kind: str, **columns: Any) -> int:
        return Job.objects.create(study=study, kind=kind, **columns).pk

    return {
        "pseudonym": made[0].annotator.pseudonym,
        "spare_person": made[1].annotator.pseudonym,
        "worker": worked.pseudonym,
        "phase": 1,
        "colleague": colleague.username,
        "pilot": pilot.slug,
        "channel": channels[0].pk,
        "spare_channel": channels[1].pk,
        "announcement": crowd_row(study, "announcement").pk,
        "listing": crowd_row(study, "listing").number,
        "adjudication": decided.pk,
        "spare": spare.pk,
        "comparison": job(
            Job.Kind.COMPARE, parameters={"population": "people", "without": [worked.pk]}
        ),
        "sample": job(
            Job.Kind.IMPORT_ITEMS, parameters={"path": "x", "filename": "x.tsv", "sampled": {}}
        ),
        "ended": job(
            Job.Kind.BASELINES,
            state=Job.State.FAILED,
            finished_at=timezone.now(),
            parameters=study.jobs.filter(kind=Job.Kind.BASELINES).earliest("pk").parameters,
        ),
        "commented": commented.pk,
        "result": study.results.latest("pk").pk,
        "baseline": study.baselines.earliest("pk").pk,
        "number": study.releases.latest("number").number,
        # Nobody works on it, so that it can be cancelled.
        "job": job(Job.Kind.TRAIN),
    }


def sent(what: Any) -> dict[str, Any]:
    """As the test client takes a body."""
    if what in ("file", "scores", "finished"):
        file = SimpleUploadedFile("items.csv", b"id,score\nd1-1,0.5\n")
        named = {"scores": {"name": "a model"}, "finished": {"format": "nrc"}}.get(what, {})
        return {"data": {"file": file, **named}, "format": "multipart"}
    return {"data": json.dumps({} if what is None else what), "content_type": "application/json"}
