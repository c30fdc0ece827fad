"""Pairs that later rounds test are in no training file, only in a file of their own."""

import csv
import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User

from annotation.baselines.services import training_data
from annotation.baselines.services.training_requests import TrainingSource
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Item, Job, Question, Release, Study
from annotation.releases.exports.archive import write_archive
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.studies.services import researchers, studies
from tests.baselines.test_training import rated
from tests.support import selecting
from tests.support.factories import make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

TRAIN = ("train.tsv", "train_n1.tsv", "train_n2.tsv")


def selected(n_incidents: int = 3) -> Study:
    """A closed first round with 18 pairs: three of each of six sentences."""
    study = selecting.make_selection_study(incidents=n_incidents, incidents_per_booklet=1)
    for _ in range(n_incidents):
        selecting.select_all(selecting.join(study).assignment)
    return studies.close(study=study)


def next_round(
    earlier: Study,
    *,
    n_groups: int | None = None,
    owner: User | None = None,
    title: str = "Round 2",
) -> Study:
    study = studies.create(
        owner=owner or earlier.owner, title=title, preset="czech-round-2", earlier_round=earlier
    )
    rounds.begin(study=study, earlier=earlier, part=Part(n_groups=n_groups))
    return study


def files_of(study: Study) -> dict[str, str]:
    file = io.BytesIO()
    write_archive(study, "people", file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def pairs_in(text: str) -> list[frozenset[str]]:
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    return [frozenset((row["text1"], row["text2"])) for row in rows]


def texts_of(study: Study) -> set[frozenset[str]]:
    return {frozenset((item.target, item.candidate)) for item in study.items.all()}


def test_what_a_round_tests_is_in_no_training_file_of_the_round_before() -> None:
    first = selected()
    all_pairs = pairs_in(files_of(first)["train.tsv"])
    second = next_round(first, n_groups=2)

    files = files_of(first)

    tested = texts_of(second)
    assert (len(all_pairs), len(tested)) == (18, 6)
    for name in TRAIN:
        assert not tested & set(pairs_in(files[name])), name
    assert set(pairs_in(files["held_out.tsv"])) == tested
    assert sorted(map(sorted, pairs_in(files["train.tsv"]) + pairs_in(files["held_out.tsv"]))) == (
        sorted(map(sorted, all_pairs))
    )
    assert json.loads(files["study.json"])["counts"]["pairs"] == {"train": 12, "held_out": 6}
    assert "6 of the 18 pairs" in files["README.md"]


def test_a_pair_is_the_same_the_other_way_round_and_with_other_spaces() -> None:
    first = selected()
    second = next_round(first, n_groups=1)
    for item in second.items.all():
        Item.objects.filter(pk=item.pk).update(
            target_turn=None,
            candidate_turn=None,
            target_text=f" {item.candidate.upper()}",
            candidate_text=item.target.replace(" ", "  "),
        )

    files = files_of(first)

    assert len(pairs_in(files["train.tsv"])) == 15
    assert len(pairs_in(files["held_out.tsv"])) == 3


@pytest.mark.slow
def test_rounds_at_any_distance_take_away_and_pilots_do_not() -> None:
    first = selected()
    second = next_round(first, n_groups=1)
    Study.objects.filter(pk=second.pk).update(
        state=Study.State.CLOSED, opened_at=clock.now(), closed_at=clock.now()
    )
    third = studies.create(
        owner=first.owner,
        title="Round 3",
        preset="sts-context",
        earlier_round=Study.objects.get(pk=second.pk),
    )
    rounds.begin(study=third, earlier=third.earlier_round)
    # What the second round asks about is something else, as far as one can see.
    Item.objects.filter(study=second).update(target_turn=None, target_text="Other words.")

    assert set(pairs_in(files_of(first)["held_out.tsv"])) == texts_of(third)

    Study.objects.filter(pk=second.pk).update(pilot_of=third)
    assert pairs_in(files_of(first)["held_out.tsv"]) == []


@pytest.mark.slow
def test_a_round_with_a_design_tests_what_its_booklets_ask_for() -> None:
    first = selected()
    second = next_round(first)
    assert pairs_in(files_of(first)["train.tsv"]) == []
    designs.set_parameters(
        study=second,
        parameters=RatingParameters(ratings_per_item=1, items_per_booklet=3),
        seed=1,
    )
    designs.make(design=second.design)
    left_out = second.items.order_by("number").first()
    Question.objects.filter(item=left_out).delete()

    files = files_of(first)

    assert pairs_in(files["train.tsv"]) == [frozenset((left_out.target, left_out.candidate))]
    assert len(pairs_in(files["held_out.tsv"])) == 17


@pytest.mark.slow
def test_of_a_round_in_between_only_what_the_last_one_tests_is_left_out() -> None:
    first = selected()
    second = next_round(first)
    Study.objects.filter(pk=second.pk).update(
        state=Study.State.CLOSED, opened_at=clock.now(), closed_at=clock.now()
    )
    empty = signed_in(first.owner).get(url(first, "results")).context["training"]
    assert (empty["is_empty"], pairs_in(files_of(first)["train.tsv"])) == (True, [])
    third = studies.create(
        owner=first.owner,
        title="Round 3",
        preset="sts-context",
        earlier_round=Study.objects.get(pk=second.pk),
    )
    # As long as it has no items, the second round is what tests.
    assert pairs_in(files_of(first)["train.tsv"]) == []
    rounds.begin(study=third, earlier=third.earlier_round)
    Item.objects.filter(study=third, number__gt=6).delete()

    files = files_of(first)

    assert set(pairs_in(files["held_out.tsv"])) == texts_of(third)
    assert len(pairs_in(files["train.tsv"])) == 12
    # Training has the same rule, whichever study is tested.
    elsewhere = rated()
    learn, _tests = training_data.read(elsewhere, TrainingSource(first))
    assert sorted(map(sorted, learn.texts)) == sorted(map(sorted, pairs_in(files["train.tsv"])))
    # A check by experts of some of its pairs takes nothing of the test away.
    check = studies.create(
        owner=first.owner, title="Check", preset="expert-check",
        earlier_round=Study.objects.get(pk=third.pk),
    )  # fmt: skip
    Item.objects.create(
        study=check, pool=check.pools.create(key="all", number=1), number=1, key="one",
        candidate_text="One.",
    )  # fmt: skip
    assert set(pairs_in(files_of(first)["held_out.tsv"])) == texts_of(third)


@pytest.mark.slow
def test_a_round_with_several_ratings_still_tests_when_a_fourth_round_follows() -> None:
    first = selected()
    second = _over(next_round(first))
    third = _over(_part_of(second, n_items=6))
    fourth = _part_of(third, n_items=3)

    files = files_of(first)

    assert texts_of(fourth) < texts_of(third)
    assert set(pairs_in(files["held_out.tsv"])) == texts_of(third)
    assert not texts_of(third) & {pair for name in TRAIN for pair in pairs_in(files[name])}
    # The second round asked for one rating of each pair: it only prepared the third.
    assert len(pairs_in(files["train.tsv"])) == 12
    learn, _tests = training_data.read(rated(), TrainingSource(first))
    assert sorted(map(sorted, learn.texts)) == sorted(map(sorted, pairs_in(files["train.tsv"])))


def test_the_counts_follow_how_many_ratings_a_round_in_between_asks_for() -> None:
    first = selected()
    second = _over(next_round(first))
    _part_of(second, n_items=6)
    assert later_tests.counts(first).held_out == 6
    design = second.design
    design.parameters = {**design.parameters, "ratings_per_item": 3}
    design.save(update_fields=["parameters"])

    assert later_tests.counts(first).held_out == 18


def _over(study: Study) -> Study:
    Study.objects.filter(pk=study.pk).update(
        state=Study.State.CLOSED, opened_at=clock.now(), closed_at=clock.now()
    )
    return Study.objects.get(pk=study.pk)


def _part_of(earlier: Study, *, n_items: int) -> Study:
    """A further round of ratings, nine a pair, with the first items of the round before."""
    study = studies.create(
        owner=earlier.owner, title="Further", preset="sts-context", earlier_round=earlier
    )
    rounds.begin(study=study, earlier=earlier)
    Item.objects.filter(study=study, number__gt=n_items).delete()
    return study


@pytest.mark.slow
def test_the_page_of_results_says_how_many_are_left_out() -> None:
    first = selected()
    client = signed_in(first.owner)
    assert client.get(url(first, "results")).context["training"] is None
    second = next_round(first, n_groups=2)
    # Of a colleague's round nobody else reads the name.
    colleague = make_user("colleague")
    researchers.share(study=first, username="colleague", role="editor")
    hidden = next_round(first, n_groups=1, owner=colleague, title="Secret")

    response = client.get(url(first, "results"))

    training = response.context["training"]
    held_out = len(texts_of(second) | texts_of(hidden))
    assert dict(training["files"])["held_out.tsv"] == training["n_held_out"] == held_out
    assert dict(training["files"])["train.tsv"] == 18 - held_out
    assert list(training["rounds"]) == [second]
    assert f'data-held-out="{held_out}"' in response.content.decode()
    assert "Secret" not in response.content.decode()
    assert "Secret" not in files_of(first)["README.md"]


@pytest.mark.slow
def test_while_a_round_takes_its_items_nobody_knows_what_it_tests() -> None:
    first = selected()
    client = signed_in(first.owner)
    study = studies.create(
        owner=first.owner, title="Round 2", preset="czech-round-2", earlier_round=first
    )
    job = rounds.request(study=study, earlier=first, part=Part(n_groups=2), by=first.owner)

    with pytest.raises(StateError):
        files_of(first)
    assert client.get(url(first, "archive")).status_code == 302
    assert client.get(url(first, "results")).context["training"]["problem"]

    jobs.run(job.pk)
    assert len(pairs_in(files_of(first)["held_out.tsv"])) == 6
    assert client.get(url(first, "results")).context["training"]["n_held_out"] == 6


@pytest.mark.slow
def test_a_release_leaves_them_out_and_says_that_a_round_began() -> None:
    first = selected()
    before = released(first)
    second = next_round(first, n_groups=2)

    after = released(first)

    with zipfile.ZipFile(releases.path(after)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert not texts_of(second) & {pair for name in TRAIN for pair in pairs_in(files[name])}
    assert set(pairs_in(files["held_out.tsv"])) == texts_of(second)
    assert "6 of the 18 pairs" in files["README.md"]
    assert "held out" in files["CHANGELOG.md"]
    assert before.number + 1 == after.number


def released(study: Study) -> Release:
    description = Description.of(
        {"title": "Pairs", "authors": [{"name": "Ada Lovelace"}], "licence": "CC-BY-4.0"}
    )
    job = releases.start(study=study, description=description)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    return job.release
