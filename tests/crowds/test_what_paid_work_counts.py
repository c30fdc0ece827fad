"""What becomes of paid work in scores and exports: one story, told to each kind of study.

Everybody says one thing throughout, a number of 0 to 6, so that a score tells whose answers are in
it. What is expected follows from the table below and nothing else.
"""

import csv
import io
import zipfile
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.answering.services import visits
from annotation.core.platforms.base import Launch, Submission
from annotation.core.queries.progress import progress
from annotation.core.services import jobs
from annotation.crowds.services import decisions, launches, reconciling
from annotation.models import (
    Assignment,
    Job,
    Listing,
    PhaseRun,
    Study,
    Visit,
)
from annotation.models.kinds import Outcome, QuestionKind
from annotation.people.queries import people as people_rows
from annotation.people.queries import people_order
from annotation.releases.exports import archive
from annotation.studies.services import studies
from tests.crowds.test_reconciling import BY_RECEIPT
from tests.support import labelling, rating
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.crowds import make_ticket
from tests.support.factories import make_open_study, make_user
from tests.support.remote_side import Fake, Remote, make_listing

pytestmark = pytest.mark.django_db

REMOTE = Visit.Remote
# In the order in which they come to fourteen places: what they say, and the status of it in the
# end; None: emptied.
STORY = {
    "approved": (1, "counted"),
    "never shown": (6, "unverified"),
    "excluded": (6, "excluded"),
    "rejected": (6, "rejected"),
    "returned at once": (5, "returned"),
    "returned later": (0, "returned"),
    "withdrawn": (6, None),
    "returned, replaced, handed in": (6, "surplus"),
    "one of two": (2, "counted"),
    "two of two": (4, "counted"),
    "vouched for by a person": (3, "counted"),
    "rejection overturned": (5, "counted"),
    "proven and ran out of time": (4, "counted"),
    "first seen as rejected": (6, "rejected"),
}
# Whose places are free again, and what those say who come to them later.
FREED = (
    "rejected",
    "returned at once",
    "returned later",
    "withdrawn",
    "returned, replaced, handed in",
    "first seen as rejected",
)
LATER = 3


class Story:
    """A study of fourteen places on a platform, and what happens to whoever comes."""

    def __init__(self, study: Study, remote: Remote, clock: Clock) -> None:
        study.max_booklets = 0
        study.dry_run = False
        study.save()
        self.study, self.remote, self.clock = study, remote, clock
        self.listings = [self._list(n) for n in (1, 2)]
        self.by = make_user("ada")
        self.visits: dict[str, Visit] = {}
        self.shown: dict[str, Submission] = {}

    def _list(self, n: int) -> Listing:
        listing = make_listing(
            study=self.study,
            state=Listing.State.PUBLISHED,
            published_at=timezone.now(),
            n_places=40,
        )
        expires_at = timezone.now() + timedelta(days=3)
        make_ticket(listing, f"T{n}", n_places=40, expires_at=expires_at)
        return listing

    def come(self, name: str, said: int, *, person: str = "", signed: bool = False) -> Visit:
        """Somebody comes and does all; the second task is for the second of two alone."""
        n = 2 if name == "two of two" else 1
        number = len(self.visits) + 1
        launch = Launch(person or f"W{number}", f"S{number}", f"T{n}", is_signed=signed)
        entered = launches.enter(
            listing=self.listings[n - 1],
            launch=launch,
            consent=studies.current_consent(self.study),
        )
        visit = entered.visit
        if visit.run:
            self._answer(visit.run, said)
            visits.submit(visit=visit)
            self.visits[name] = visit
            self.shown[name] = Submission(
                launch.submission_id,
                launch.person_id,
                launch.ticket_id,
                REMOTE.SUBMITTED,
                submitted_at=timezone.now(),
                handed_in={"receipt": visits.receipt(visit)},
            )
        return visit

    def _answer(self, run: PhaseRun, said: int) -> None:
        for question in run.questions.all():
            if self.study.kind == QuestionKind.RATING:
                rating.rate(run.assignment, question, str(said), run=run)
            elif self.study.kind == QuestionKind.LABEL:
                labelling.label(run.assignment, question, labelling.NAMES[said // 3])
            else:
                first, last = (0, -1) if said <= LATER else (-1, 0)
                keys = list(question.tuple.members.order_by("position").values_list("item", "pk"))
                order = sorted(range(len(keys)), key=lambda place: keys[place][0])
                answer_one(run.assignment, question, best=order[first], worst=order[last])

    def show(self, **states: Any) -> None:
        """The platform shows everybody of `states`, by the first word of their names."""
        for word, state in states.items():
            [name] = [name for name in self.shown if name.replace(" ", "_").startswith(word)]
            self.shown[name] = replace(self.shown[name], state=state)
        self.remote.shown = [one for name, one in self.shown.items() if name != "never shown"]
        self.clock.move(minutes=10)
        for listing in self.listings:
            reconciling.poll(listing)

    def visit(self, name: str) -> Visit:
        return Visit.objects.get(pk=self.visits[name].pk)

    def tell(self) -> None:
        for name, (said, _status) in STORY.items():
            person = "W9" if name == "two of two" else ""
            self.come(name, said, person=person, signed=name.startswith("proven"))
        vouched = "vouched for by a person"
        self.shown[vouched] = replace(self.shown[vouched], handed_in={})
        visits.withdraw(visit=self.visit("withdrawn"))
        self.show(
            returned_at_once=REMOTE.RETURNED,
            first=REMOTE.REJECTED,
            proven=REMOTE.TIMED_OUT,
        )
        for name in ("returned later", "rejected", "rejection overturned", "approved"):
            assert self.visit(name).run.is_counted, name
        decisions.vouch(visit=self.visit(vouched), by=self.by)
        decisions.approve(visit=self.visit("excluded"), exclude="A robot.", by=self.by)
        self.show(
            approved=REMOTE.APPROVED,
            excluded=REMOTE.APPROVED,
            rejected=REMOTE.REJECTED,
            rejection=REMOTE.REJECTED,
            returned_later=REMOTE.RETURNED,
            **{"returned,": REMOTE.RETURNED},
        )
        assert not self.visit("rejection overturned").run.is_counted
        self.show(rejection=REMOTE.APPROVED)
        for n in range(len(FREED)):
            self.come(f"later {n}", LATER)
        self.show()
        self.show(**{"returned,": REMOTE.SUBMITTED})


def make(kind: str) -> Study:
    if kind == "best_worst":
        numbers = {
            "annotations_per_tuple": 7,
            "factor": 1,
            "questions_per_screen": 1,
            "screens_per_booklet": 4,
        }
        return make_open_study(dialogues=2, candidates=4, parameters=numbers)
    numbers = {"pairs": 4, "items_per_booklet": 2, "ratings_per_item": 7}
    if kind == "label":
        return labelling.make_label_study(**numbers)
    return rating.make_rating_study(**numbers)


@pytest.fixture(params=["best_worst", "rating", "label"])
def story(request, remote: Remote, clock: Clock, monkeypatch) -> Story:
    monkeypatch.setattr(Fake, "capabilities", BY_RECEIPT)

    def of_listing(self: Fake, listing: Listing) -> list[Submission]:
        tickets = set(listing.tickets.values_list("remote_id", flat=True))
        return [one for one in remote.shown if one.ticket_id in tickets]

    monkeypatch.setattr(Fake, "submissions", of_listing)
    story = Story(make(request.param), remote, clock)
    story.tell()
    return story


def export(study: Study) -> dict[str, str]:
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    with zipfile.ZipFile(file) as members:
        return {name: members.read(name).decode() for name in members.namelist()}


def rows(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content, newline=""), delimiter="\t"))


def figures(study: Study, files: dict[str, str]) -> dict[str, Any]:
    """What the export says of each item."""
    if study.kind == QuestionKind.LABEL:
        return {
            row["id"]: tuple(int(row[f"n_{name}"]) for name in labelling.NAMES)
            for row in rows(files["item_labels.tsv"])
        }
    if study.kind == QuestionKind.RATING:
        found = rows(files["items.tsv"])
        return {row["id"]: (int(row["n_1"]), round(float(row["mean_1"]), 9)) for row in found}
    return {
        row["id"]: (int(row["appearances"]), int(row["best"]), int(row["worst"]))
        for row in rows(files["items.tsv"])
    }


def expected(story: Story) -> dict[str, Any]:
    """The same by the definition: from the table, and which booklet each visit had."""
    said = [(name, said) for name, (said, status) in STORY.items() if status == "counted"]
    said += [(name, LATER) for name in FREED]
    values, shown, best, worst = (defaultdict(list) for _ in range(4))
    for name, value in said:
        for question in story.visit(name).run.assignment.booklet.questions.all():
            if question.item:
                values[question.item.key].append(value)
                continue
            items = [member.item for member in question.tuple.members.all()]
            first, last = (end(items, key=lambda item: item.pk) for end in (min, max))
            best[(first if value <= LATER else last).key].append(value)
            worst[(last if value <= LATER else first).key].append(value)
            for item in items:
                shown[item.key].append(value)
    if story.study.kind == QuestionKind.BEST_WORST:
        return {key: (len(shown[key]), len(best[key]), len(worst[key])) for key in shown}
    if story.study.kind == QuestionKind.RATING:
        return {key: (len(of), round(sum(of) / len(of), 9)) for key, of in values.items()}
    return {
        key: tuple([value // 3 for value in of].count(n) for n in range(3))
        for key, of in values.items()
    }


@pytest.mark.slow
def test_what_counts_and_what_the_rest_is_called(story: Story) -> None:
    study = story.study
    n_each = {name: visit.run.questions.count() for name, visit in story.visits.items()}
    files = export(study)

    assert figures(study, files) == expected(story)

    # -- every answer has its word -----------------------------------------------------------
    found = defaultdict(Counter)
    for row in rows(files["judgments.tsv"]):
        found[row["annotator"], int(row["booklet"])][row["status"]] += 1
    wanted = {}
    later = dict.fromkeys((f"later {n}" for n in range(len(FREED))), (LATER, "counted"))
    for name, (_said, status) in {**STORY, **later}.items():
        assignment = story.visit(name).run.assignment
        if status:
            whose = assignment.annotator.pseudonym, assignment.booklet.number
            wanted[whose] = Counter({status: n_each[name]})
    assert found == wanted
    assert len(wanted) == len(STORY) + len(FREED) - 1

    # -- a job scores those and no others ----------------------------------------------------
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    n_counted = sum(n_each[name] for name, (_, status) in STORY.items() if status == "counted")
    assert job.result.n_judgments == n_counted + sum(n_each[name] for name in later)

    # -- the pages count with the same words -------------------------------------------------
    [real] = progress(study)
    counts = {
        name: getattr(real.people, name)
        for name in ("surplus", "unverified", "returned", "rejected")
    }
    assert counts == {"surplus": 1, "unverified": 1, "returned": 2, "rejected": 2}
    places = real.places
    assert (places.total, places.done, places.unverified, places.free) == (14, 13, 1, 0)
    everybody = people_order.annotators(study, simulated=False)
    left_out = Counter(row.left_out for row in people_rows.person_rows(study, everybody))
    assert {word: n for word, n in left_out.items() if word} == counts
    if "surplus.tsv" in files:
        [late] = {row["annotator"] for row in rows(files["surplus.tsv"])}
        whose = story.visit("returned, replaced, handed in").run.assignment.annotator
        assert late == whose.pseudonym

    # -- and all places are taken ------------------------------------------------------------
    assert story.come("too late", 0).outcome == Outcome.NOTHING_LEFT
    assert Assignment.objects.holding().count() == 14
