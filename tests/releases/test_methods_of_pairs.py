"""What a release's methods say of pauses between phases, and of agreement on labels."""

import csv
import io
from itertools import combinations
from operator import mul
from statistics import mean

import pytest

from annotation.answering.services import open_places, phases
from annotation.baselines.queries.score_sources import ResultSource
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock as clock_of
from annotation.core.services import jobs
from annotation.models import Annotator, Assignment, Person, Study
from annotation.people.queries.people import person_rows
from annotation.people.queries.person import figures
from annotation.people.queries.person_answers import others_of, own_answers
from annotation.people.services import exclusions
from tests.support import labelled, rating
from tests.support.baseline_studies import compute
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.rated_studies import FREE, make_rated
from tests.support.release_studies import facts, files_of, write
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db

KEYS = [f"p{n}" for n in range(1, 7)]


def said_of(study: Study) -> tuple[str, str, list[dict[str, str]]]:
    """The methods in English and in LaTeX, and everybody's way through the phases."""
    files = {name: body.decode() for name, body in files_of(write(study, facts())).items()}
    rows = list(csv.DictReader(io.StringIO(files["phases.tsv"]), delimiter="\t"))
    return files["METHODS.md"], files["methods.tex"].replace("\n", " "), rows


def begin(study: Study, kind: str) -> Assignment:
    assignment = labelled.join(study) if kind == "label" else rating.join(study).assignment
    answer(assignment, kind)
    return assignment


def answer(assignment: Assignment, kind: str) -> None:
    if kind == "label":
        labelled.label_phase(assignment, lambda _key: ["same"])
    else:
        rating.rate_phase(assignment)


def make(kind: str, n: int) -> Study:
    if kind == "label":
        return labelled.make_label_study(phases=rating.TWICE, ratings_per_item=n)
    return rating.make_rating_study(phases=rating.TWICE, ratings_per_item=n)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["label", "rating"])
def test_the_methods_say_for_how_many_a_phase_was_opened_early(kind: str, clock: Clock) -> None:
    study = make(kind, 5)
    soon, later, late, usual, excluded = (begin(study, kind) for _person in range(5))
    researcher = make_user()
    clock.move(hours=6)
    for assignment in (soon, excluded):
        phases.open_now(run=phases.latest(assignment), reason="They travel.", by=researcher)
        answer(assignment, kind)
    exclusions.exclude(annotator=excluded.annotator, reason="Too fast.", by=study.owner)
    clock.move(hours=44)
    # Opened at hour 50, and begun at hour 80 only.
    phases.open_now(run=phases.latest(later), reason="Just in case.", by=researcher)
    clock.move(hours=30)
    for assignment in (later, usual):
        answer(assignment, kind)
    # Once more after it had closed is not early.
    clock.move(days=15)
    open_places.expire_overdue(study, clock.time)
    phases.open_now(run=phases.latest(late), reason="In hospital.", by=researcher)
    answer(late, kind)

    methods, tex, rows = said_of(study)

    for said in (methods, tex):
        assert (
            "Phase 2 was to open no sooner than 72 hours after the same person had completed the"
            " one before. For 2 of 4 people a researcher opened it sooner; for everybody else the"
            " software enforced it."
        ) in said
        # 6, 80, 80 and 440 hours.
        assert (
            "Between phases 1 and 2 a median of 80.0 hours passed (from 6.0 to 440.0; 4 people)."
        ) in said
        assert "opened no sooner than" not in said
    early = {row["annotator"]: row["opened_early"] for row in rows if row["phase"] == "2"}
    assert early == {
        one.annotator.pseudonym: answered
        for one, answered in zip(
            (soon, later, late, usual, excluded), ("yes", "yes", "no", "no", "yes"), strict=True
        )
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["label", "rating"])
def test_where_nobody_was_let_in_early_the_software_enforced_the_pause(
    kind: str, clock: Clock
) -> None:
    study = make(kind, 2)
    first, second = (begin(study, kind) for _person in range(2))
    unanswered = said_of(study)[0]
    clock.move(hours=75)
    answer(first, kind)
    clock.move(hours=5)
    answer(second, kind)

    methods, _tex, _rows = said_of(study)

    assert (
        "For everybody whose answers count, phase 2 opened no sooner than 72 hours after the same"
        " person had completed the one before; the software enforced it. Between phases 1 and 2 a"
        " median of 77.5 hours passed (from 75.0 to 80.0; 2 people)."
    ) in methods
    # Nobody came so far: nothing was enforced.
    assert "Phase 2 was to open no sooner than 72 hours" in unanswered
    assert "the software enforced it" not in unanswered
    assert "hours passed" not in unanswered


@pytest.mark.slow
def test_the_methods_say_which_observed_agreement_of_labels_they_tell() -> None:
    # Booklets of three items; of eight people five have answered.
    study = labelled.make_label_study(items_per_booklet=3, ratings_per_item=4)
    to_say = dict(zip(KEYS, ("ssss", "sssr", "ssrr", "soor", "rros", "rsss"), strict=True))
    names = {name[0]: name for name in labelled.NAMES}
    given: dict[str, list[str]] = {key: [] for key in KEYS}

    def say(key: str) -> list[str]:
        given[key].append(to_say[key][len(given[key])])
        return [names[given[key][-1]]]

    for assignment in [labelled.join(study) for _person in range(8)][:5]:
        labelled.label_phase(assignment, say)
    labelled.score(study)

    methods, tex, _rows = said_of(study)

    several = [said for said in given.values() if len(said) >= 2]
    assert len({len(said) for said in several}) > 1
    # Item by item: equal pairs of answers, of all pairs.
    shares = [mean(one == other for one, other in combinations(said, 2)) for said in several]
    of_items = f"{100 * mean(shares):.1f}"
    weights = [len(said) for said in several]
    of_answers = f"{100 * sum(map(mul, weights, shares)) / sum(weights):.1f}"
    assert of_items != of_answers
    told = methods[methods.index("observed agreement") :]
    assert f"[@Fleiss1971] is {of_items} %" in told
    assert f" {len(several)} items " in told
    assert f"[@Krippendorff2011], it is {of_answers} %" in told
    assert rf"is {of_items} \%" in tex


def test_where_each_item_has_as_many_answers_there_is_one_observed_agreement() -> None:
    study = labelled.make_label_study()
    for codes in ("ssrsoo", "ssrroo", "ssooor"):
        given = labelled.said_of(KEYS, codes)
        labelled.label_phase(labelled.join(study), lambda key, given=given: [given[key]])
    labelled.score(study)

    methods, _tex, _rows = said_of(study)

    # Of three pairs 3, 3, 1, 0, 3 and 1 are equal.
    assert "[@Fleiss1971] is 61.1 %" in methods
    assert "[@Krippendorff2011], it is" not in methods


@pytest.mark.slow
def test_the_methods_say_which_labels_and_measures_were_released() -> None:
    words = {"0": "different", "1": "partly the same", "2": "the same"}
    scale = {"low": "0", "high": "2", "step": "1", "labels": words}
    ratings = {"p1": ("2", "0", "2"), "p2": ("0", "1", "2"), "p3": ("1", "1", "1")}
    study = scored_ratings(ratings, scale=scale)
    without, _tex, _rows = said_of(study)
    majority = ResultSource(phase=1, by="majority")
    compute(study, options=ReportOptions(people=majority, by=("f1_zero",), n_resamples=10))
    study.trainings.create(
        name="first_model",
        kind="bi_encoder",
        model="some/model",
        figures={"n_train": 12, "settings": {"runs": 3}, "tests": {}},
        parameters={"learnt": {"study": ""}},
        trained_at=clock_of.now(),
        code_version="1",
    )

    methods, tex, _rows = said_of(study)

    before, added = without.partition("## References")[0], methods.partition("## References")[0]
    assert added.startswith(before.rstrip())
    told = added.removeprefix(before.rstrip())
    for number in ("2 of 3 items", "2 measures", "12 pairs", "3 runs"):
        assert number in told
        assert number in tex
    for name in ("most frequent ratings of phase 1", r"f1\_zero", r"first\_model", "some/model"):
        assert name in told


def test_the_methods_tell_repeats_of_the_phase_from_those_of_the_earlier_round() -> None:
    anna = Person.objects.create(platform="roster", platform_id="1")
    before = make_rated(["w", "x", "y"], conditions=(FREE,))
    before.answer({"w": 1, "x": 2, "y": 4}, person=anna)
    copies = [{"key": f"{key} again", "derived_from": item} for key, item in before.items.items()]
    now = make_rated(
        ["a", "b", "c", *copies], conditions=(FREE,), with_repeats=True,
        earlier_round=before.study,
    )  # fmt: skip
    now.answer(
        {"a": 1, "b": 2, "c": 6},
        repeats=[{"w again": 1, "x again": 4, "y again": 3}],
        person=anna,
    )
    now.answer({"a": 1, "b": 3, "c": 6}, repeats=[{"a": 1, "b": 3, "c": 6}])
    design = now.study.design
    design.parameters = {
        "ratings_per_item": 2, "n_repeats": 3, "repeat_from": "earlier_round",
    }  # fmt: skip
    design.save()
    job = jobs.run_here(study=now.study, kind="score", parameters={"population": "people"})
    assert job.state == "done", job.problems

    said, _tex, _rows = said_of(now.study)

    # 1, 2, 4 beside 1, 4, 3: (21/9) / (42/9).
    assert "earlier round is 0.500 (Pearson, 3 pairs)." in said
    assert "in the phase is 1.000 (Pearson, 3 pairs)." in said
    assert "had answered in the earlier round" in said
    assert repeated(now.people[0]) == [("1.00", "3 repeats, Pearson 0.50")]
    assert repeated(now.people[1]) == [("0.00", "3 repeats, Pearson 1.00")]


def repeated(person: Annotator) -> list[tuple[str, str]]:
    """What the page of a person says of repeats."""
    own = own_answers(person)
    shown = figures(person, own, others_of(person, own), person_rows(person.study, [person])[0])
    return [(one.value, one.note) for one in shown if one.name.startswith("Repeats")]


def test_the_methods_say_how_many_items_a_person_really_got() -> None:
    study = rating.make_rating_study(pairs=3, ratings_per_item=1, items_per_booklet=50)
    rating.rate_phase(rating.join(study).assignment)

    methods, _tex, _rows = said_of(study)

    assert "one person rated at most 3 items" in methods
