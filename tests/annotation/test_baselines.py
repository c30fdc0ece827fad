"""Measures of a study's items: computed by a job, kept, and replaced when the texts change."""

import io
import math
import sys
import textwrap
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from annotation.errors import AnnotationError, ImportProblemsError, StateError
from annotation.models import Baseline, BaselineReport, Check, Job, Study
from annotation.queries import leaderboards, measures
from annotation.queries.baseline_pairs import digest
from annotation.queries.human_scores import Source
from annotation.sentences import Said, stored
from annotation.services import baseline_process, baselines, jobs
from annotation.services.baseline_process import Computed
from annotation.services.report_options import ReportOptions
from annotation.services.specifications import checked, named
from scoring.baselines import Specification
from scoring.baselines.lexical import LEXICAL, lexical_values
from tests.annotation.baseline_studies import MEAN, compute, make_pairs, values_of
from tests.factories import make_study

pytestmark = pytest.mark.django_db

MODEL = Specification("bi_encoder", {"model": "tiny"})


@pytest.fixture
def program(tmp_path: Path, monkeypatch):
    """Writes a program that is run in the place of `python -m scoring.neural`."""

    def write(body: str) -> None:
        path = tmp_path / "program.py"
        before = """
            import json, os, sys
            import numpy as np
            request = json.load(open(sys.argv[2], encoding="utf-8"))
            n = len(open(request["pairs"], encoding="utf-8").readlines())
            def say(**said):
                print(json.dumps(said), flush=True)
            def answer(values):
                np.save(request["values"], np.array(values, dtype=float))
                say(done={"device": "cpu", "seconds": 2.5, "revision": "abc", "n_encoded": n,
                          "n_kept": 0, "figures": {"accuracy": 0.5}})
        """
        path.write_text(textwrap.dedent(before) + textwrap.dedent(body), encoding="utf-8")
        monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(path)))

    return write


# -- Computed -----------------------------------------------------------------------------------


def test_a_study_has_all_lexical_measures_without_asking_for_them() -> None:
    study = make_pairs()

    job = jobs.run_here(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=baselines.parameters(study, [], MEAN),
    )

    assert job.state == Job.State.DONE, job.error
    assert [one.measure for one in study.baselines.order_by("pk")] == list(LEXICAL)
    report = BaselineReport.objects.get(study=study)
    assert len(report.parameters["measures"]) == len(LEXICAL)


def test_values_are_those_of_the_measure_with_all_that_is_known_of_it(settings) -> None:
    study = make_pairs()

    job = compute(study)

    one = study.baselines.get(measure="squad_f1")
    pairs = baselines.read_pairs(study).pairs
    np.testing.assert_array_equal(one.array, lexical_values("squad_f1", pairs))
    assert (one.name, one.n_items, one.n_missing, one.job) == ("SQuAD F1", 6, 0, job)
    assert (one.device, one.code_version, one.digest) == (
        "cpu",
        settings.VERSION,
        digest(study),
    )
    assert one.seconds is not None


def test_what_is_there_is_not_computed_again() -> None:
    study = make_pairs()
    compute(study)
    before = {one.name: one.pk for one in study.baselines.all()}

    compute(study, Specification("squad_f1"), Specification("jaccard"))

    after = {one.name: one.pk for one in study.baselines.all()}
    assert set(after) - set(before) == {"Jaccard"}
    assert before.items() <= after.items()


def test_other_texts_have_other_values_in_the_same_place() -> None:
    study = make_pairs()
    compute(study)
    before = values_of(study)
    study.items.filter(key="p2").update(candidate_text="The cat sat on the mat.")
    assert [one.name for one in leaderboards.outdated(study)] == list(before)

    compute(study, Specification("squad_f1"))

    after = values_of(study)
    assert set(after) == set(before)
    assert (before["SQuAD F1"][1], after["SQuAD F1"][1]) == (0.0, 1.0)
    assert after["chrF2"] == before["chrF2"]
    assert [one.name for one in leaderboards.outdated(study)] == ["chrF2"]
    report = leaderboards.latest_report(study)
    assert [one["name"] for one in report.parameters["measures"]] == ["SQuAD F1"]


def test_a_measure_with_a_model_is_computed_by_the_process(program) -> None:
    study = make_pairs()
    program("say(progress=0.5, message='encoding'); answer([0.25] * (n - 1) + [np.nan])")

    job = compute(study, MODEL)

    assert job.state == Job.State.DONE, job.error
    one = study.baselines.get(measure="bi_encoder")
    np.testing.assert_array_equal(one.array, [0.25] * 5 + [math.nan])
    assert (one.revision, one.device, one.seconds) == ("abc", "cpu", 2.5)
    assert one.n_missing == 1
    assert one.figures == {"accuracy": 0.5, "n_encoded": 6, "n_kept": 0}
    assert one.settings["model"] == "tiny"


def test_long_names_and_messages_fit_into_their_columns(program, monkeypatch) -> None:
    study = make_pairs()
    model = Specification("bi_encoder", {"model": '"' * 70})
    program("say(progress=0.5, message='\\\\\"' * 200); answer([0.25] * n)")
    monkeypatch.setattr(baseline_process, "_SECONDS_BETWEEN", 0)
    said = []
    progress = jobs.Run.progress

    def watched(run: jobs.Run, share: float, message: Said = "") -> None:
        said.append(stored(message))
        progress(run, share, message)

    monkeypatch.setattr(jobs.Run, "progress", watched)
    upload(study, "p1\t1\np2\t0\n", name="x")
    study.baselines.update(name=named(checked(model, study)))

    job = compute(study, model)

    assert job.state == Job.State.DONE, job.error
    assert max(map(len, said)) <= 300
    assert any("…" in one for one in said)
    assert all(len(one.name) <= 200 for one in study.baselines.all())


def test_one_that_fails_loses_none_of_the_others(program) -> None:
    study = make_pairs()
    program("print('There is no model tiny.', file=sys.stderr); sys.exit(2)")

    job = compute(study, Specification("squad_f1"), MODEL, Specification("chrf"))

    assert job.state == Job.State.FAILED
    assert job.problems == ["Bi-encoder tiny: There is no model tiny."]
    assert set(values_of(study)) == {"SQuAD F1", "chrF2"}
    report = BaselineReport.objects.get(study=study)
    assert len(report.parameters["measures"]) == 2


def test_a_process_that_breaks_is_told_without_its_details(program, caplog) -> None:
    study = make_pairs()
    program("raise RuntimeError('secret detail')")

    job = compute(study, MODEL)

    assert job.problems == ["Bi-encoder tiny: something went wrong; the server's log says what."]
    assert "secret detail" in caplog.text
    assert BaselineReport.objects.filter(study=study).exists()


def test_a_worker_that_lost_the_job_stores_nothing_more(monkeypatch) -> None:
    study = make_pairs()
    wanted = baselines.parameters(study, [Specification("squad_f1"), MODEL], MEAN)
    job = Job.objects.create(study=study, kind=Job.Kind.BASELINES, parameters=wanted)

    def take_over(*arguments, **named) -> Computed:
        # Somebody took this worker for dead.
        Job.objects.filter(pk=job.pk).update(run_token=uuid4())
        return Computed(np.zeros(6))

    monkeypatch.setattr(baselines, "compute", take_over)
    jobs.run(job.pk)

    assert set(values_of(study)) == {"SQuAD F1"}
    assert not BaselineReport.objects.exists()
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING


def test_a_second_worker_goes_on_where_the_first_died(program, monkeypatch) -> None:
    study = make_pairs()
    other = Specification("bi_encoder", {"model": "other"})
    wanted = baselines.parameters(study, [*map(Specification, ("squad_f1", "chrf")), other], MEAN)
    whole = compute(make_pairs(), Specification("squad_f1"), Specification("chrf"))
    job = Job.objects.create(study=study, kind=Job.Kind.BASELINES, parameters=wanted)

    class KilledError(BaseException):
        pass

    def die(*arguments, **named):
        raise KilledError

    monkeypatch.setattr(baselines, "compute", die)
    with pytest.raises(KilledError):
        jobs.run(job.pk)
    kept = {one.name: one.pk for one in study.baselines.all()}
    assert set(kept) == {"SQuAD F1", "chrF2"}
    monkeypatch.undo()
    program("answer([0.25] * n)")
    # As the sweep does with a job whose heartbeat has stopped.
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, run_token=None)
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    assert kept.items() <= {one.name: one.pk for one in study.baselines.all()}.items()
    found = values_of(study)
    assert found["Bi-encoder other"] == [0.25] * 6
    assert {name: found[name] for name in kept} == values_of(whole.study)


def test_checks_are_in_no_measure() -> None:
    study = make_pairs()
    Check.objects.create(
        study=study, item=study.items.get(key="p3"), style=Check.Style.SILENT, tolerance=1
    )

    compute(study)

    assert study.baselines.get(measure="squad_f1").n_items == 5


# -- Asked for ----------------------------------------------------------------------------------


def test_asking_twice_starts_one_job_and_for_more_meanwhile_is_refused() -> None:
    study = make_pairs()

    first = baselines.request(study=study, options=MEAN)
    again = baselines.request(study=study, options=MEAN)

    assert first == again
    with pytest.raises(StateError, match="being computed already"):
        baselines.request(study=study, specifications=[MODEL], options=MEAN)


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        (Specification("moverscore"), "moverscore"),
        (Specification("bi_encoder"), "model"),
        (Specification("squad_f1", {"model": "x"}), "no setting"),
        (Specification("bi_encoder", {"model": "x", "context": "behind"}), "context"),
    ],
)
def test_what_there_is_not_cannot_be_asked_for(specification, said: str) -> None:
    with pytest.raises(AnnotationError, match=said):
        baselines.request(study=make_pairs(), specifications=[specification], options=MEAN)
    assert not Job.objects.exists()


def test_a_measure_named_with_its_defaults_is_the_same_one() -> None:
    study = make_pairs()
    spelt_out = Specification("bi_encoder", {"model": "tiny", "context": "none"})

    wanted = baselines.parameters(study, [MODEL, spelt_out], MEAN)["specifications"]

    assert [one["measure"] for one in wanted].count("bi_encoder") == 1


def test_without_pairs_there_is_nothing_to_compute() -> None:
    empty, single = make_study(dialogues=0), make_pairs()
    single.items.update(target_text=None)

    with pytest.raises(StateError, match="has no items"):
        baselines.request(study=empty, options=MEAN)
    with pytest.raises(StateError, match="single texts"):
        baselines.request(study=single, options=MEAN)


def test_options_come_back_from_json() -> None:
    options = ReportOptions(
        people=Source("column", name="mean", deviation="sd", n=32),
        by=("domain", "word_overlap"),
        expression="has_digit",
        where="mean > 1",
        n_resamples=10,
        level=0.9,
        test="williams",
    )

    assert ReportOptions.of_json(options.as_json()) == options
    assert ReportOptions.of_json({}) == ReportOptions()


@pytest.mark.parametrize(
    "given", [{"n_resamples": -1}, {"level": 1.0}, {"level": math.nan}, {"test": "t"}]
)
def test_options_that_nobody_may_choose_are_refused(given: dict) -> None:
    with pytest.raises(AnnotationError, match="choose"):
        ReportOptions.of_json(given)


# -- Own scores ---------------------------------------------------------------------------------


def upload(study: Study, table: str, name: str = "My model") -> Baseline:
    return baselines.upload(
        study=study, name=name, file=io.BytesIO(table.encode()), by=study.owner
    )


def test_own_scores_are_kept_in_the_order_of_the_items() -> None:
    study = make_pairs()

    one = upload(study, "id\tscore\np3\t0.5\np1\t-1e-3\n", name="  My \n model ")

    np.testing.assert_array_equal(one.array, [-1e-3, math.nan, 0.5] + [math.nan] * 3)
    assert (one.name, one.measure, one.n_items, one.n_missing) == ("My model", "uploaded", 6, 4)
    assert (one.digest, one.by) == (digest(study), study.owner)
    compute(study)
    report = leaderboards.latest_report(study)
    assert report.parameters["measures"][0]["name"] == "My model"


def test_a_wrong_table_is_refused_with_its_lines() -> None:
    study = make_pairs()

    with pytest.raises(ImportProblemsError) as refused:
        upload(study, "p1\tgood\np9\t0.5\n")

    assert len(refused.value.problems) == 2
    assert not study.baselines.exists()


def test_a_table_is_read_before_anybody_is_locked_out(monkeypatch) -> None:
    study = make_pairs()
    done = []

    def watch(module, name: str) -> None:
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: done.append(name) or function(*given))

    watch(measures, "of_file")
    watch(baselines, "read_pairs")
    watch(baselines, "lock_study")

    upload(study, "p1\t0.5\np2\t0.1\n")

    assert done == ["of_file", "read_pairs", "lock_study"]


@pytest.mark.parametrize("what", ["name", "items"])
def test_what_changes_while_a_table_is_read_is_seen(what: str, monkeypatch) -> None:
    study = make_pairs()
    of_file = measures.of_file

    def meanwhile(*given):
        monkeypatch.undo()
        if what == "name":
            upload(study, "p1\t0.5\np2\t0.1\n")
        else:
            study.items.get(key="p6").delete()
        return of_file(*given)

    monkeypatch.setattr(measures, "of_file", meanwhile)

    with pytest.raises(StateError, match=r"a measure My model already|changed meanwhile"):
        upload(study, "p1\t0.9\np2\t0.1\n")
    assert study.baselines.count() == (1 if what == "name" else 0)


def test_of_a_table_full_of_problems_only_the_first_are_looked_for(monkeypatch) -> None:
    study = make_pairs()
    looked_at = []
    problem = measures._problem
    monkeypatch.setattr(
        measures, "_problem", lambda *given: looked_at.append(given) or problem(*given)
    )

    with pytest.raises(ImportProblemsError) as refused:
        upload(study, "\n\n" + "p9\t0.5\n" * 5000)

    assert len(looked_at) == 199
    first, *listed, others = refused.value.problems
    assert first == "these are the first 199 problems; from line 202 on nothing was read"
    assert [said.partition(":")[0] for said in listed] == [f"line {n}" for n in range(3, 8)]
    assert others == "and 194 more like this"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Give the measure a name"),
        ("SQuAD F1", "a measure SQuAD F1 already"),
        ("Mine", "a measure Mine already"),
        ("x" * 101, "name"),
        ("a\0b", "name"),
    ],
)
def test_a_name_is_given_once(name: str, said: str) -> None:
    study = make_pairs()
    upload(study, "p1\t0.5\np2\t0.1\n", name="Mine")

    with pytest.raises(AnnotationError, match=said):
        upload(study, "p1\t0.5\np2\t0.1\n", name=name)
    assert study.baselines.count() == 1


def test_an_uploaded_name_does_not_hinder_a_computed_one(program) -> None:
    study = make_pairs()
    upload(study, "p1\t0.5\np2\t0.1\n", name="Bi-encoder tiny")
    program("answer([0.25] * n)")

    job = compute(study, MODEL)

    assert job.state == Job.State.DONE, job.error
    assert study.baselines.get(measure="bi_encoder").name == "Bi-encoder tiny (2)"


def test_own_scores_of_items_that_are_gone_are_outdated() -> None:
    study = make_pairs()
    one = upload(study, "p1\t0.5\np2\t0.1\n")
    study.items.filter(key="p6").delete()

    assert leaderboards.outdated(study) == [one]
    with pytest.raises(StateError, match="of other items"):
        measures.of_baseline(study, one)


def test_a_baseline_is_a_measure_for_a_review_of_discrepancies() -> None:
    study = make_pairs()
    one = upload(study, "p1\t0.5\np3\t0.1\n")

    found = measures.of_baseline(study, one)

    assert (found.name, found.values) == ("My model", {"p1": 0.5, "p3": 0.1})


def test_a_removed_one_is_gone_and_the_leaderboard_says_so() -> None:
    study = make_pairs()
    compute(study)
    report = leaderboards.latest_report(study)
    assert leaderboards.why_outdated(report) == []

    baselines.remove(baseline=study.baselines.get(measure="chrf"))

    (said,) = leaderboards.why_outdated(report)
    assert "added or removed" in str(said)
