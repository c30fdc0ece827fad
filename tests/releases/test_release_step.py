"""The last step of the desk: what was released, and what came since."""

from typing import Any

import pytest

from annotation.answering.services import rosters, withdrawal
from annotation.core.services import jobs
from annotation.models import Job, Release, Study
from annotation.people.services import exclusions
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from tests.support import release_studies
from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import finish_booklet, signed_in, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    # SQLite writes its log back outside a transaction only, and a test is in one.
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)


def step_of(study: Study) -> Any:
    *_others, step = signed_in(study.owner).get(url(study, "change")).context["steps"]
    assert (step.number, str(step.title)) == (9, "Release")
    return step


def release(study: Study) -> Release:
    described = Description.of({"title": "Replies", "authors": [{"name": "Ada"}]})
    job = releases.start(study=study, description=described)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    return job.release


@pytest.mark.slow
def test_it_waits_for_an_answer_that_counts() -> None:
    waits = "You can make a release once somebody has completed a booklet."
    opened = make_open_study(dialogues=1)

    assert str(step_of(make_study()).waits_for) == waits
    assert (step_of(opened).state, step_of(opened).actions) == ("later", [])
    finish_booklet(opened)

    step = step_of(opened)
    assert (str(step.waits_for), step.state) == ("", "later")
    assert str(step.summary).startswith("No release yet")
    assert [address for _label, address, _now in step.actions] == [url(opened, "releases")]


@pytest.mark.slow
def test_it_says_which_was_the_last_and_what_came_since() -> None:
    study = make_open_study(dialogues=1)
    finish_booklet(study)
    release(study)
    made = release(study)

    step = step_of(study)
    assert step.state == "done"
    assert str(step.summary).startswith("Release 2 of ")
    assert str(step.summary).endswith("with 10 answers. The same answers count now.")

    second = finish_booklet(study)
    more = step_of(study)
    assert (made.n_judgments, more.state) == (10, "any-time")
    assert str(more.summary).endswith("10 more answers count now.")

    exclusions.exclude(
        annotator=study.annotators.order_by("pk").first(), reason="asleep", by=study.owner
    )
    # As many as before, but those of somebody else.
    assert str(step_of(study).summary).endswith("Other answers count now.")
    withdrawal.withdraw(annotator=study.annotators.order_by("pk").last())
    assert str(step_of(study).summary).endswith("10 answers fewer count now.")
    assert second is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        release_studies.best_worst,
        release_studies.ratings,
        release_studies.labels,
        release_studies.selections,
    ],
)
def test_studies_of_every_kind_have_it(make: Any) -> None:
    study = make()
    assert str(step_of(study).summary).startswith("No release yet")
    release(study)
    assert step_of(study).state == "done"
