"""Training a model on one study's pairs, and testing it on what people said of others."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.baselines.exports import further_tables
from annotation.baselines.queries import training_pairs
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource
from annotation.baselines.services import baselines, training, training_data
from annotation.baselines.services.report_options import ReportOptions
from annotation.baselines.services.training_requests import (
    LabellingOptions,
    TrainingRequest,
    TrainingSource,
)
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scored_pairs import ScoredPairs, pair_key
from annotation.core.queries import model_folders
from annotation.core.services import jobs, repeated_jobs, trained_models
from annotation.core.services import model_process as baseline_process
from annotation.designs.services import rounds
from annotation.items.services import uploads
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.kinds.selection.exports import columns as selection_columns
from annotation.kinds.selection.queries.pick_rows import TrainingPair
from annotation.kinds.services.drawn_groups import Part
from annotation.models import (
    Context,
    ContextGroup,
    Item,
    Job,
    Pool,
    Study,
    Training,
    Turn,
)
from annotation.studies.services import researchers, studies
from scoring.baselines import Pair, Specification
from scoring.neural.models import find as find_model
from scoring.neural.refusals import ModelError
from tests.scoring.neural.conftest import models, packages, prepared  # noqa: F401 - fixtures
from tests.support import rating, selecting
from tests.support.clock import Clock
from tests.support.rating import TWICE
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

RATINGS = {"similar": "6", "middle": "3", "dissimilar": "1"}


def selected(n_incidents: int = 3) -> Study:
    """A closed first round: three pairs for each of two sentences of each incident."""
    study = selecting.make_selection_study(incidents=n_incidents, incidents_per_booklet=1)
    for _ in range(n_incidents):
        selecting.select_all(selecting.join(study).assignment)
    return studies.close(study=study)


def rated(ratings: Callable[[str], str] = lambda key: str(int(key[1:]) % 7)) -> Study:
    """A closed and scored rating study of six pairs, by one person each."""
    study = rating.make_rating_study(pairs=6)
    rating.rate_phase(
        rating.join(study).assignment, ratings=lambda question: ratings(question.item.key)
    )
    return scored(study)


def scored(study: Study) -> Study:
    study = studies.close(study=study)
    assert jobs.run_here(study=study, kind=Job.Kind.SCORE).state == Job.State.DONE
    return study


def wanted(learnt: TrainingSource, **more) -> TrainingRequest:
    return TrainingRequest(
        **{"name": "first", "kind": "bi_encoder", "model": "m", "learnt": learnt, **more}
    )


# -- the pairs ------------------------------------------------------------------------------------


def test_selected_pairs_have_scores_from_0_to_1() -> None:
    found = training_pairs.of_selections(selected())

    # Ratings 6, 3 and 0 of a scale from 0 to 6.
    assert found.scores.tolist() == [1.0, 0.5, 0.0] * 6
    assert found.texts[0][0] == "Summary sentence 1 of incident 1."
    assert len(set(found.texts)) == 18


def test_a_diagonal_filter_leaves_out_what_is_far_from_its_class() -> None:
    study = selecting.make_selection_study()
    person = selecting.join(study).assignment
    for question in person.booklet.questions.order_by("screen"):
        # Two off at the upper end, one in the middle, none at the lower one.
        selecting.select(person, question, ratings=("4", "4", "0"))
    selecting.assignments.submit(assignment=person)
    study = studies.close(study=study)

    near = training_pairs.of_selections(study, limit=1)
    nearer = training_pairs.of_selections(study, limit=2)

    assert sorted(set(near.scores.tolist())) == [0.0, 4 / 6]
    assert len(near) == 4
    assert len(nearer) == 6


def test_a_condition_chooses_among_selected_pairs() -> None:
    study = selected()

    similar = training_pairs.of_selections(study, where="intended_class == 'similar'")
    of_one = training_pairs.of_selections(
        study, limit=1, where="rating < 6 and incident != 'i2' and has_digit(first)"
    )

    assert similar.scores.tolist() == [1.0] * 6
    # Two of three incidents, two sentences each, and of each what is in between and least similar.
    assert sorted(of_one.scores.tolist()) == [0.0] * 4 + [0.5] * 4
    with pytest.raises(StateError):
        training_pairs.of_selections(study, where="rating > 6")


@pytest.mark.slow
@pytest.mark.parametrize("where", ["nothing == 'x'", "text1 == 'x'", "rating ="])
def test_a_condition_that_selected_pairs_cannot_answer_is_refused(where: str) -> None:
    with pytest.raises(AnnotationError):
        training.checked(rated(), wanted(TrainingSource(selected(), where=where)))


@pytest.mark.slow
def test_the_condition_reaches_the_pairs_that_are_trained_on() -> None:
    learn, _tests = training_data.read(rated(), TrainingSource(selected(), where="rating == 3"))

    assert learn.scores.tolist() == [0.5] * 6


def test_conditions_are_on_the_columns_of_the_published_file() -> None:
    assert [column.name for column in selection_columns.train()] == list(TrainingPair._fields)
    pair = TrainingPair("one", "two", 3, "similar", "flood", 1, "report", 2, "PSEUDONYM")
    assert [column.value(pair) for column in selection_columns.train()] == [*pair]


@pytest.mark.parametrize("ignored", [{"tests": "x == 1"}, {"source": ResultSource()}])
def test_nothing_that_is_asked_of_selected_pairs_is_ignored(ignored) -> None:
    with pytest.raises(AnnotationError):
        training.checked(rated(), wanted(TrainingSource(selected(), **ignored)))


def test_a_filter_of_selected_pairs_is_refused_of_others() -> None:
    with pytest.raises(AnnotationError):
        training_data.read(rated(), TrainingSource(rated(), limit=1))


def test_who_still_selects_is_waited_for() -> None:
    with pytest.raises(StateError, match="is still open"):
        training_pairs.of_selections(selecting.make_selection_study())


def test_a_column_is_brought_to_0_and_1_by_its_own_ends() -> None:
    study = rating.make_rating_study(pairs=3, open_it=False)
    for item, value in zip(study.items.order_by("number"), ("1.5", "4.0", "2.0"), strict=True):
        item.metadata = {"mean": value}
        item.save()

    found = training_pairs.of_scores(study, ColumnSource(name="mean"))

    assert found.scores.tolist() == pytest.approx([0.0, 1.0, 0.2])


def test_whole_groups_are_drawn_until_they_have_their_share() -> None:
    # Ten groups, of 1 to 10 pairs.
    groups = [group for group in range(10) for _ in range(group + 1)]

    for seed in range(30):
        found = training_pairs.drawn(groups, share=0.5, seed=seed)
        again = training_pairs.drawn(groups, share=0.5, seed=seed)

        assert found.tolist() == again.tolist()
        by_group = [{bool(found[n]) for n in range(55) if groups[n] == g} for g in range(10)]
        assert all(len(one) == 1 for one in by_group)
        # No group more than is needed.
        largest = 10
        assert 0.5 * 55 <= found.sum() < 0.5 * 55 + largest
    drawn = {tuple(training_pairs.drawn(groups, share=0.5, seed=n).tolist()) for n in range(30)}
    assert len(drawn) > 20


@pytest.mark.parametrize("share", [0.01, 0.99])
def test_of_two_groups_each_part_has_one(share: float) -> None:
    found = training_pairs.drawn([4, 4, 4, 9], share=share, seed=1)

    assert found.sum() in {1, 3}
    assert training_pairs.drawn([4, 4], share=share, seed=1) is None


def test_pairs_of_one_pool_are_on_one_side_and_none_is_on_both() -> None:
    study = rating.make_rating_study(pairs=8, open_it=False)
    pools = [
        study.items.first().pool,
        *(Pool.objects.create(study=study, key=f"q{n}", number=n) for n in range(10, 13)),
    ]
    for place, item in enumerate(study.items.order_by("number")):
        item.pool, item.metadata = pools[place // 2], {"mean": f"{place}"}
        item.save()
    source = ColumnSource(name="mean")

    for seed in range(5):
        learn, tests = training_data.read(
            study, TrainingSource(None, source, share=0.5, seed=seed)
        )

        assert len(learn) == len(tests["test"]) == 4
        # Two neighbours have a pool; their scores are apart by a seventh.
        places = sorted(round(score * 7) for score in learn.scores)
        assert [n // 2 for n in places[::2]] == [n // 2 for n in places[1::2]]
        assert not set(learn.keys) & set(tests["test"].keys)


def test_pairs_of_one_incident_are_on_one_side() -> None:
    study = rating.make_rating_study(pairs=6, open_it=False)
    groups = [ContextGroup.objects.create(study=study, key=f"g{n}") for n in range(2)]
    for place, item in enumerate(study.items.order_by("number")):
        # Each in a document of its own; three documents are of one incident.
        context = Context.objects.create(study=study, key=f"c{place}", group=groups[place % 2])
        item.target_turn = Turn.objects.create(
            context=context, position=1, text=f"Sentence {place}."
        )
        item.target_text, item.metadata = None, {"mean": f"{place}"}
        item.save()

    learn, tests = training_data.read(
        study, TrainingSource(None, ColumnSource(name="mean"), share=0.5)
    )

    parts = [sorted(round(5 * s) for s in part.scores) for part in (learn, tests["test"])]
    assert sorted(parts) == [[0, 2, 4], [1, 3, 5]]


def test_what_cannot_be_drawn_is_refused() -> None:
    study = rating.make_rating_study(pairs=2, open_it=False)
    for place, item in enumerate(study.items.order_by("number")):
        item.metadata = {"mean": f"{place}"}
        item.save()
    source = ColumnSource(name="mean")

    with pytest.raises(StateError, match="belong to one dialogue or incident"):
        training_data.read(study, TrainingSource(None, source, share=0.5, where="mean == '0'"))
    with pytest.raises(AnnotationError, match="a number between 0 and 1"):
        training_data.read(study, TrainingSource(None, source, share=1.0))
    with pytest.raises(AnnotationError, match="the remaining items are for testing"):
        training_data.read(study, TrainingSource(None, source, share=0.5, tests="mean == '0'"))
    with pytest.raises(AnnotationError, match="training as a whole"):
        training_data.read(study, TrainingSource(selected(), share=0.5))


def changed_by_context(clock: Clock, unchanged: tuple[str, ...]) -> Study:
    """Four pairs of which context lifts all but some."""
    study = rating.make_rating_study(pairs=4, phases=TWICE, ratings_per_item=3)
    people = [rating.join(study).assignment for _ in range(3)]
    for n, person in enumerate(people):
        rating.rate_phase(person, ratings=lambda q, n=n: str(int(q.item.key[1:]) % 2 + n % 2))
    clock.move(hours=72)
    for n, person in enumerate(people):
        rating.rate_phase(
            person,
            ratings=lambda q, n=n: str((1 if q.item.key in unchanged else 5) + (n % 2)),
        )
    study = scored(study)
    # Everybody differs between the phases by the same, so the paired test has no error.
    call_command("score", study.slug, "--test", "pooled")
    return study


def test_each_phase_is_a_test_and_so_are_significant_effects(clock: Clock) -> None:
    study = changed_by_context(clock, ("p4",))

    tests = training_pairs.tests_of(study)

    assert {name: len(test) for name, test in tests.items()} == {
        "free": 4,
        "dependent": 4,
        "significant_free": 3,
        "significant_dependent": 3,
    }
    # Means of 0 to 6, in the order of the items: 1 + 1/3, 1/3, 1 + 1/3, 1/3.
    assert tests["free"].scores.tolist() == pytest.approx([4 / 18, 1 / 18, 4 / 18, 1 / 18])
    assert tests["significant_free"].texts == tests["free"].texts[:3]
    assert training_pairs.too_few(tests) == []


@pytest.mark.slow
def test_a_test_of_too_few_significant_effects_is_there_with_its_reason(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, settings, tmp_path: Path
) -> None:
    settings.MODELS = tmp_path
    study = changed_by_context(clock, ("p2", "p4"))
    sent = {}

    def converse(command: str, request: dict[str, Any], **more: Any) -> dict[str, Any]:
        sent.update(request["tests"])
        found = {"mean": 0.5, "sd": 0.1, "reason": None}
        tests = {name: {"pearson": found, "spearman": found} for name in sent}
        used = {"epochs": 1, "batch_size": 8, "learning_rate": 1e-5, "warmup": 0.1, "runs": 2}
        return {"figures": {"tests": tests, "n_train": 18, "settings": used}}

    monkeypatch.setattr(training, "converse", converse)
    job = training.request(study=study, wanted=wanted(TrainingSource(selected())))
    jobs.run(job.pk)

    assert {*sent} == {"free", "dependent"}
    table = further_tables.trainings(study)
    cells = ({one.name: one.value(record) for one in table.columns} for record in table.records)
    rows = {row["test"]: row for row in cells}
    assert {*rows} == {"free", "dependent", "significant_free", "significant_dependent"}
    assert rows["significant_free"]["n_test"] == 2
    assert rows["significant_free"]["reason"] == training_pairs.TOO_FEW
    page = signed_in(study.owner).get(url(study, "trainings"))
    (one,) = page.context["trained"]
    assert [bool(found.reason) for found in one.tests] == [False, False, True, True]


# -- what is asked for ----------------------------------------------------------------------------


def test_no_pair_is_in_both() -> None:
    earlier = selected()
    study = studies.create(
        owner=earlier.owner, title="Round 2", preset="czech-round-2", earlier_round=earlier
    )
    rounds.begin(study=study, earlier=earlier, part=Part(n_groups=1))
    # Also where its texts stand the other way round.
    item = study.items.order_by("number").first()
    Item.objects.filter(pk=item.pk).update(
        target_turn=item.candidate_turn, candidate_turn=item.target_turn
    )
    texts = [(one.target, one.candidate) for one in study.items.all()]
    test = ScoredPairs(texts, np.full(len(texts), 0.5))

    learn = training_pairs.of_selections(earlier).without([test])

    # A group is a sentence of the summary with its three pairs.
    assert (len(texts), len(learn)) == (3, 15)
    assert not {frozenset(text) for text in learn.texts} & {frozenset(text) for text in texts}


@pytest.mark.slow
def test_a_study_of_the_same_pairs_leaves_nothing_to_train_on() -> None:
    study, same = rated(), rated()

    learn, tests = training_data.read(study, TrainingSource(same))

    assert (len(learn), len(tests["free"])) == (0, 6)
    with pytest.raises(StateError, match="All training pairs are also test pairs"):
        training.checked(study, wanted(TrainingSource(same)))


def test_a_part_of_the_study_itself_is_told_by_a_condition() -> None:
    study = rated()
    for item in study.items.all():
        item.metadata = {"split": "train" if item.number <= 3 else f"test {item.number}"}
        item.save()

    learn, tests = training_data.read(study, TrainingSource(None, where="split == 'train'"))
    _learn, named = training_data.read(
        study, TrainingSource(None, where="split == 'train'", tests="split == 'test 5'")
    )

    assert (len(learn), {name: len(test) for name, test in tests.items()}) == (3, {"test": 3})
    # Neither to train on nor to test with: calibration, or a part for choosing settings.
    assert len(named["test"]) == 1


@pytest.mark.parametrize(
    ("other", "is_known"),
    [
        (("A cat.", "A dog."), True),
        (("A dog.", "A cat."), True),
        (("a  CAT. ", "A dog."), True),
        (("A cat.", "A dog"), False),
    ],
)
def test_a_pair_is_known_again(other: tuple[str, str], is_known: bool) -> None:
    assert (pair_key("A cat.", "A dog.") == pair_key(*other)) is (is_known)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"name": "../x"}, "A name has at most 60 characters"),
        ({"name": ""}, "A name has at most 60 characters"),
        ({"kind": "other"}, "Choose a type of model"),
        ({"model": " "}, "Name the base model"),
        ({"settings": {"epochs": 0}}, "epochs is 0"),
        ({"settings": {"epoch": 1}}, "'epoch' is no setting"),
        ({"learnt": TrainingSource(None)}, "Say which items of this study"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_queued(more, said) -> None:
    study = rated()
    learnt = more.pop("learnt", TrainingSource(selected()))

    with pytest.raises(AnnotationError, match=said):
        training.request(study=study, wanted=wanted(learnt, **more))

    assert not study.jobs.filter(kind=Job.Kind.TRAIN).exists()


# -- the work -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
def test_a_model_is_trained_on_the_first_round_and_found_as_any_other(
    models: Path,  # noqa: F811 - the fixture
    settings,
) -> None:
    settings.MODELS = models
    study, earlier = rated(), selected()
    how = {"epochs": 2, "batch_size": 4, "learning_rate": 1e-3, "runs": 2}

    job = jobs.run_here(
        study=study,
        kind=Job.Kind.TRAIN,
        parameters=training.checked(
            study, wanted(TrainingSource(earlier), model="bi-encoder", settings=how)
        ),
    )

    assert (job.state, job.problems) == (Job.State.DONE, [])
    found = Training.objects.get()
    assert found.figures["n_train"] == 18
    assert found.figures["n_tests"] == {"free": 6}
    assert found.figures["tests"]["free"]["pearson"]["n"] == 2
    assert found.figures["models"] == [
        f"trained/{study.pk}/first/seed-{seed}/model" for seed in (1, 2)
    ]
    assert all((models / path / "model.safetensors").is_file() for path in found.figures["models"])
    # What it was trained on has no value of it, in whatever study.
    path = found.figures["models"][0]
    pairs = [Pair(*text) for text in training_pairs.of_selections(earlier).texts]
    assert trained_models.is_trained_on(path, pairs).all()
    assert trained_models.is_trained_on(str(models / path), pairs).all()
    assert not trained_models.is_trained_on("bi-encoder", pairs).any()
    assert not trained_models.is_trained_on(path, [Pair("Something", "else")]).any()
    with pytest.raises(StateError, match="A model called first already exists"):
        training.checked(study, wanted(TrainingSource(earlier), model="bi-encoder"))


@pytest.mark.slow
@pytest.mark.usefixtures("prepared")
def test_two_towers_are_trained_on_what_a_cross_encoder_labelled_too(
    models: Path,  # noqa: F811 - the fixture
    settings,
    tmp_path: Path,
    monkeypatch,
) -> None:
    settings.MODELS, settings.DATA = models, tmp_path / "data"
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr("annotation.core.services.jobs.run_long_job.delay", lambda job_id: None)
    study, earlier = rated(), selected()
    tested = training_data.read(study, TrainingSource(earlier))[1]["free"].texts[0]
    known = training_pairs.of_selections(earlier).texts[0]
    lines = [
        "first\tsecond",
        "A new text.\tAnother new text.",
        "Another new text.\ta new  text.",
        f"{tested[1]}\t{tested[0]}",
        f"{known[0]}\t{known[1]}",
        '"A text, with a\ttab"\tand one without',
    ]
    upload = uploads.store_upload(
        study=study,
        file=io.BytesIO("\n".join(lines).encode()),
        filename="further.tsv",
        by=study.owner,
    )
    asked = wanted(
        TrainingSource(earlier),
        name="augmented",
        model="bi-encoder",
        settings={"epochs": 1, "runs": 1, "batch_size": 8},
        labelled=LabellingOptions("cross-encoder", upload=upload),
    )
    sent = []
    usual = training.converse

    def converse(command, request, **more):
        sent.append((command, [json.loads(line) for line in _lines(command, request)]))
        return usual(command, request, **more)

    monkeypatch.setattr(training, "converse", converse)

    job = training.request(study=study, wanted=asked, by=study.owner)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    (label, labelled), (train, learnt) = sent
    assert (label, train) == ("label", "train")
    # Neither what is tested nor what people judged, and each pair once, whichever way round.
    assert [(row["first"], row["second"]) for row in labelled] == [
        ("A new text.", "Another new text."),
        ("A text, with a\ttab", "and one without"),
    ]
    assert len(learnt) == 18 + 2
    assert all(0 <= row["score"] <= 1 for row in learnt[18:])
    found = Training.objects.get()
    assert (found.figures["n_train"], found.figures["n_labelled"]) == (20, 2)
    assert found.parameters["labelled"]["model"] == "cross-encoder"
    # What a model labelled is nothing that people said: it has a value in every leaderboard.
    path = found.figures["models"][0]
    assert not trained_models.is_trained_on(path, [Pair("A new text.", "Another new text.")]).any()


def _lines(command: str, request: dict) -> list[str]:
    files = [request["pairs"]] if command == "label" else request["train"]
    return [line for file in files for line in Path(file).read_text("utf-8").splitlines()]


def test_items_without_a_score_are_labelled() -> None:
    study = rating.make_rating_study(pairs=6, open_it=False)
    for place, item in enumerate(study.items.order_by("number")):
        item.metadata = {"mean": f"{place}" if place < 4 else ""}
        item.save()
    learnt = TrainingSource(None, ColumnSource(name="mean"), share=0.5)
    learn, tests = training_data.read(study, learnt)

    found = training_data.pairs_to_label(
        study, learnt, LabellingOptions("c", unscored=True), learn, tests
    )

    pairs = read_pairs(study).pairs
    assert found == [(pair.first, pair.second) for pair in pairs[4:]]


@pytest.mark.slow
def test_what_cannot_be_labelled_is_refused(settings, tmp_path) -> None:
    study, earlier = rated(), selected()
    model = trained_folder(study, settings, tmp_path)
    further = LabellingOptions("c", unscored=True)

    for labelled, more, said in [
        (further, {"kind": "cross_encoder"}, "Only a bi-encoder"),
        (LabellingOptions(" ", unscored=True), {}, "Name the cross-encoder"),
        # Every item has a score.
        (further, {}, "no additional pair to label"),
        (
            LabellingOptions("c", upload={"path": "1-1-0", "filename": "x"}),
            {},
            "no longer there",
        ),
    ]:
        with pytest.raises(AnnotationError, match=said):
            training.checked(study, wanted(TrainingSource(earlier), labelled=labelled, **more))

    # The cross-encoder has seen the first item's score; here that item tests.
    item = study.items.order_by("number").last()
    item.pk, item.number, item.key = None, 99, "unscored"
    item.target_text, item.target_turn = "Nobody rated this one.", None
    item.save()
    with pytest.raises(StateError, match="was trained on test pairs of this study"):
        training.checked(
            study, wanted(TrainingSource(earlier), labelled=LabellingOptions(model, unscored=True))
        )
    other = rated()
    with pytest.raises(StateError, match="does not belong to a study that you can see"):
        training.request(
            study=other,
            wanted=wanted(
                TrainingSource(earlier), labelled=LabellingOptions(model, unscored=True)
            ),
            by=other.owner,
        )


@pytest.mark.usefixtures("prepared")
def test_the_command_trains_and_prints_what_it_found(
    models: Path,  # noqa: F811 - the fixture
    settings,
    capsys,
) -> None:
    settings.MODELS = models
    study, earlier = rated(), selected()
    arguments = ["--name", "second", "--model", "bi-encoder", "--on", earlier.slug]

    call_command("train", study.slug, *arguments, "--epochs", "1", "--batch-size", "8")

    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["n_train"] == 18
    assert said["models"] == [f"trained/{study.pk}/second/seed-1/model"]
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("train", "nowhere", *arguments)


@pytest.mark.usefixtures("prepared")
def test_a_model_that_is_not_there_is_named(
    models: Path,  # noqa: F811 - the fixture
    settings,
) -> None:
    settings.MODELS = models
    study = rated()
    parameters = training.checked(study, wanted(TrainingSource(selected()), model="nothing/here"))

    job = jobs.run_here(study=study, kind=Job.Kind.TRAIN, parameters=parameters)

    assert job.state == Job.State.FAILED
    [problem] = job.problems
    assert "nothing/here" in problem
    assert not Training.objects.exists()


# -- whose models they are ------------------------------------------------------------------------


def trained_folder(study: Study, settings, tmp_path: Path) -> str:
    """Where a model of the study would lie, with a pair that it was trained on."""
    settings.MODELS = tmp_path / "models"
    folder = trained_models.folder_of(study, "first") / "seed-1" / "model"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    item = study.items.order_by("number").first()
    pairs = ScoredPairs([(item.target, item.candidate)], np.array([1.0]))
    trained_models.write_keys(trained_models.folder_of(study, "first"), pairs)
    return folder.relative_to(settings.MODELS).as_posix()


def test_a_model_of_a_study_that_one_may_not_see_is_refused(settings, tmp_path) -> None:
    study, other = rated(), rated()
    model = trained_folder(study, settings, tmp_path)
    bi_encoder = [Specification("bi_encoder", {"model": model})]
    around = f"trained/../{model}"

    for name in (model, around, str(settings.MODELS / model)):
        with pytest.raises(StateError, match="does not belong to a study that you can see"):
            trained_models.refuse_others(name, other.owner)
    with pytest.raises(StateError, match="that you can see"):
        baselines.request(
            study=other, specifications=bi_encoder, options=ReportOptions(), by=other.owner
        )
    with pytest.raises(StateError, match="that you can see"):
        training.request(
            study=other,
            wanted=wanted(TrainingSource(None, where="x"), model=model),
            by=other.owner,
        )
    trained_models.refuse_others(model, study.owner)
    trained_models.refuse_others("elsewhere/model", other.owner)
    assert model_folders.names(other.owner) == []
    assert model_folders.names(study.owner) == [model]


@pytest.fixture
def linked(settings, tmp_path) -> Path:
    """Models of which one is a link that leads out of their folder, and one holds such a link."""
    settings.MODELS = tmp_path / "models"
    outside = tmp_path / "outside"
    for folder in (outside, settings.MODELS / "holding"):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    (settings.MODELS / "linked").symlink_to(outside)
    (settings.MODELS / "holding" / "inner").symlink_to(outside)
    return settings.MODELS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linked", "holding"])
def test_a_folder_that_is_a_link_is_refused_when_it_is_asked_for(linked: Path, name: str) -> None:
    study, earlier = rated(), selected()
    with pytest.raises(ModelError) as of_the_job:
        find_model(name, models=linked, store=linked.parent / "store")
    sentence = baseline_process.without_our_folders(of_the_job.value.message)

    refusals = []
    for model in (name, str(linked / name)):
        for work in (
            lambda model: training.checked(study, wanted(TrainingSource(earlier), model=model)),
            lambda model: training.checked(
                study,
                wanted(
                    TrainingSource(earlier),
                    model="m",
                    labelled=LabellingOptions(model, unscored=True),
                ),
            ),
            lambda model: baselines.parameters(
                study, [Specification("bi_encoder", {"model": model})], ReportOptions()
            ),
        ):
            with pytest.raises(AnnotationError) as refused:
                work(model)
            refusals.append(refused.value.message)

    # By its whole path the link is called so in the sentence.
    assert set(refusals[:3]) == {sentence}
    assert not study.jobs.filter(kind__in=(Job.Kind.TRAIN, Job.Kind.BASELINES)).exists()
    assert "linked" not in model_folders.names(study.owner)


@pytest.mark.slow
def test_what_is_not_here_is_for_the_worker_to_find(linked: Path) -> None:
    study, earlier = rated(), selected()

    for model in ("org/name", "/elsewhere/model", "../outside"):
        assert (
            training.checked(study, wanted(TrainingSource(earlier), model=model))["model"] == model
        )


def test_models_go_with_their_study(
    settings, tmp_path, django_capture_on_commit_callbacks
) -> None:
    study = rating.make_rating_study(open_it=False)
    trained_folder(study, settings, tmp_path)
    folder = trained_models.folder_of(study, "first")

    with django_capture_on_commit_callbacks(execute=True):
        researchers.delete_draft(study=study)

    assert not folder.exists()


def test_what_a_model_was_trained_on_does_not_count(settings, tmp_path, monkeypatch) -> None:
    study = rated()
    model = trained_folder(study, settings, tmp_path)
    monkeypatch.setattr(
        baselines, "compute", lambda *_, **__: baselines.Computed(np.arange(6.0), device="cpu")
    )
    wanted_now = [Specification("exact_match"), Specification("bi_encoder", {"model": model})]

    job = jobs.run_here(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=baselines.parameters(study, wanted_now, ReportOptions(n_resamples=0)),
    )

    assert job.state == Job.State.DONE, job.error
    found = study.baselines.get(measure="bi_encoder")
    assert np.isnan(found.array).tolist() == [True] + [False] * 5
    assert (found.n_missing, found.figures["n_trained_on"]) == (1, 1)


def test_who_lost_sight_of_the_first_round_does_not_train_on_it_again() -> None:
    study, earlier = rated(), selected()
    parameters = training.checked(study, wanted(TrainingSource(earlier)))
    failed = Job(study=study, kind=Job.Kind.TRAIN, parameters=parameters, state=Job.State.FAILED)

    with pytest.raises(StateError, match="have no access to the study"):
        repeated_jobs.repeat(failed, study.owner)
