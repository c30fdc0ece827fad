"""Every address of the API that names a study: what else it needs, and what it may be asked."""

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Job, Study
from annotation.services import people
from annotation.services.people import RosterEntry

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

# By name: the further parts of the address (keys of `parts_of`), and what each method is sent.
# A method that is not here is refused with 405.
ROUTES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "study": ((), {"GET": None, "PATCH": {"thanks": "Thanks."}, "DELETE": None}),
    "steps": ((), {"GET": None, "POST": {"step": "pause"}}),
    "items": ((), {"GET": None, "POST": "file"}),
    "items_check": ((), {"POST": "file"}),
    "design": ((), {"GET": None, "PATCH": {"idle_minutes": 60}}),
    "design_make": ((), {"POST": {}}),
    "plan": ((), {"GET": None}),
    "roster": ((), {"GET": None, "POST": {"entries": [{"id": "s2"}]}}),
    "annotators": ((), {"GET": None}),
    "annotator": (("pseudonym",), {"GET": None}),
    "exclude": (("pseudonym",), {"POST": {"reason": "of the test"}}),
    "include": (("pseudonym",), {"POST": {"reason": "of the test"}}),
    "progress": ((), {"GET": None}),
    "judgments": ((), {"GET": None}),
    "results": ((), {"GET": None, "POST": {}}),
    "result": (("result",), {"GET": None}),
    "scores": ((), {"GET": None}),
    "baselines": ((), {"GET": None, "POST": {}}),
    "baseline_upload": ((), {"POST": "scores"}),
    "baseline": (("baseline",), {"GET": None}),
    "baseline_values": (("baseline",), {"GET": None}),
    "leaderboard": ((), {"GET": None}),
    "releases": ((), {"GET": None, "POST": {}}),
    "release": (("number",), {"GET": None}),
    "release_file": (("number",), {"GET": None}),
    "jobs": ((), {"GET": None}),
    "job": (("job",), {"GET": None}),
    "job_cancel": (("job",), {"POST": {}}),
    "export": ((), {"GET": None}),
}


def parts_of(study: Study) -> dict[str, Any]:
    """Rows of a study that an address can name; they exist, so that 404 means access."""
    made = people.add_roster(study=study, entries=[RosterEntry("s1", "Ada")])
    return {
        "pseudonym": made[0].annotator.pseudonym,
        "result": study.results.latest("pk").pk,
        "baseline": study.baselines.latest("pk").pk,
        "number": study.releases.latest("number").number,
        # Nobody works on it, so that it can be cancelled.
        "job": Job.objects.create(study=study, kind=Job.Kind.TRAIN).pk,
    }


def sent(what: Any) -> dict[str, Any]:
    """As the test client takes a body."""
    if what in ("file", "scores"):
        file = SimpleUploadedFile("items.csv", b"id,score\nd1-1,0.5\n")
        named = {"name": "a model"} if what == "scores" else {}
        return {"data": {"file": file, **named}, "format": "multipart"}
    return {"data": json.dumps({} if what is None else what), "content_type": "application/json"}
