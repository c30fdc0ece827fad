"""Measures of a study's items: computed by a job, kept, and replaced when the texts change."""

import math
import sys
import textwrap
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from annotation.baselines.queries import leaderboards
from annotation.baselines.services import baselines
from annotation.baselines.services.specifications import checked, named
from annotation.basics.sentences import Said, stored
from annotation.core.services import jobs
from annotation.core.services import model_process as baseline_process
from annotation.core.services.model_process import Computed
from annotation.kinds.rating.queries.baseline_pairs import digest
from annotation.models import BaselineReport, Check, Job
from scoring.baselines import Specification
from scoring.baselines.lexical import LEXICAL, lexical_values
from tests.support.baseline_studies import MEAN, compute, make_pairs, upload, values_of

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
                if "message" in said:
                    said["message"] = {"template": said["message"], "values": {}}
                print(json.dumps(said), flush=True)
            def refuse(template, **values):
                say(refused={"template": template, "values": values})
                sys.exit(2)
            def answer(values):
                np.save(request["values"], np.array(values, dtype=float))
                say(done={"device": "cpu", "seconds": 2.5, "revision": "abc", "n_encoded": n,
                          "n_kept": 0, "figures": {"accuracy": 0.5}})
        """
        path.write_text(textwrap.dedent(before) + textwrap.dedent(body), encoding="utf-8")
        monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(path)))

    return write


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

    compute(study, Specification("squad_f1"))

    after = values_of(study)
    assert set(after) == set(before)
    assert (before["SQuAD F1"][1], after["SQuAD F1"][1]) == (0.0, 1.0)
    assert after["chrF2"] == before["chrF2"]
    report = leaderboards.latest_report(study)
    assert [one["name"] for one in report.parameters["measures"]] == ["SQuAD F1"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_long_names_and_messages_fit_into_their_columns(program, monkeypatch) -> None:
    study = make_pairs()
    model = Specification("bi_encoder", {"model": '"' * 70})
    program(
        """
        file = {"template": "reading %(file)s", "values": {"file": '\\\\"' * 200}}
        print(json.dumps({"progress": 0.5, "message": file}), flush=True)
        answer([0.25] * n)
        """
    )
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
    assert max(map(len, said)) <= 500
    assert any("…" in one for one in said)
    assert all(len(one.name) <= 200 for one in study.baselines.all())


def test_one_that_fails_loses_none_of_the_others(program) -> None:
    study = make_pairs()
    program("refuse('There is no model %(given)s.', given='tiny')")

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

    assert job.problems == ["Bi-encoder tiny: an unexpected error occurred. See the server's log."]
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


@pytest.mark.slow
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


def test_an_uploaded_name_does_not_hinder_a_computed_one(program) -> None:
    study = make_pairs()
    upload(study, "p1\t0.5\np2\t0.1\n", name="Bi-encoder tiny")
    program("answer([0.25] * n)")

    job = compute(study, MODEL)

    assert job.state == Job.State.DONE, job.error
    assert study.baselines.get(measure="bi_encoder").name == "Bi-encoder tiny (2)"


def test_a_removed_one_is_gone_and_the_leaderboard_says_so() -> None:
    study = make_pairs()
    compute(study)
    report = leaderboards.latest_report(study)
    assert leaderboards.why_outdated(report) == []

    baselines.remove(baseline=study.baselines.get(measure="chrf"))

    (said,) = leaderboards.why_outdated(report)
    assert "added or removed" in str(said)


@pytest.mark.slow
def test_a_measure_without_a_setting_that_is_new_is_not_computed_again(monkeypatch) -> None:
    study = make_pairs()
    computed = []

    def values(one, pairs, **_more):
        computed.append(one)
        return baselines.Computed(np.arange(float(len(pairs))), device="cpu")

    monkeypatch.setattr(baselines, "compute", values)
    wanted = Specification("cross_encoder", {"model": "m"})
    compute(study, wanted)
    one = study.baselines.get(measure="cross_encoder")
    one.settings = {name: of for name, of in one.settings.items() if name != "order"}
    one.save()

    compute(study, wanted)
    compute(study, Specification("cross_encoder", {"model": "m", "order": "both"}))

    assert [of.settings["order"] for of in computed] == ["target", "both"]
    assert study.baselines.filter(measure="cross_encoder").count() == 2
