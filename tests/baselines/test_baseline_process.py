"""The process that computes what needs a model: what it says, how it fails, how it ends."""

import json
import os
import stat
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pytest

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Sentence
from annotation.core.services import jobs, model_environment
from annotation.core.services import model_process as baseline_process
from annotation.core.services.model_process import BrokenProcessError, compute, own_folder
from annotation.models import Job
from scoring.baselines import Pair, Specification
from tests.support.factories import make_study

ONE = Specification("bi_encoder", {"model": "some/model", "context": "none"})
PAIRS = [Pair("a", "b"), Pair("ä\u2028\n", "d", ("one", "two"), ())]


@pytest.fixture
def program(tmp_path: Path, monkeypatch):
    """Writes a program that is run in the place of `python -m scoring.neural`."""

    def write(body: str) -> None:
        path = tmp_path / "program.py"
        before = """
            import json, os, sys, time
            import numpy as np
            command, request = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
            def say(**said):
                if "message" in said:
                    said["message"] = {"template": said["message"], "values": {}}
                print(json.dumps(said), flush=True)
        """
        path.write_text(textwrap.dedent(before) + textwrap.dedent(body), encoding="utf-8")
        monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(path)))

    return write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    return made


def quietly(share: float, message: str) -> None:
    pass


def test_values_progress_and_where_they_came_from(program, folder, settings, tmp_path) -> None:
    settings.MODELS = tmp_path / "models"
    program(
        """
        pairs = [json.loads(line) for line in open(request["pairs"], encoding="utf-8")]
        say(progress=0.5, message="encoding")
        np.save(request["values"], np.array([len(p["first_context"]) for p in pairs], float))
        say(progress=1)
        asked = {name: request[name] for name in ("measure", "settings", "store", "models")}
        say(done={"device": "cpu", "seconds": 1.5, "revision": "abc", "n_encoded": 2,
                  "n_kept": 0, "figures": {"command": command, "pairs": pairs, **asked}})
        """
    )
    told = []

    found = compute(
        ONE, PAIRS, folder=folder, progress=lambda share, message: told.append((share, message))
    )

    np.testing.assert_array_equal(found.values, [0, 2])
    assert (found.device, found.seconds, found.revision) == ("cpu", 1.5, "abc")
    assert told == [(0.5, "encoding"), (1.0, None)]
    said = found.figures
    assert (said["command"], said["measure"]) == ("score", "bi_encoder")
    assert said["settings"] == {"model": "some/model", "context": "none"}
    assert said["pairs"][1] == {
        "first": "ä\u2028\n",
        "second": "d",
        "first_context": ["one", "two"],
        "second_context": [],
    }
    assert (said["store"], said["models"]) == (
        str(tmp_path / "vectors"),
        str(tmp_path / "models"),
    )
    assert stat.S_IMODE((tmp_path / "vectors").stat().st_mode) == 0o700


def test_what_it_refuses_is_said_in_its_own_words(program, folder) -> None:
    program(
        """
        print("a warning of some library", file=sys.stderr)
        print("error: the model some/model is not there", file=sys.stderr)
        say(refused={"template": "the model %(name)s is not there",
                     "values": {"name": "some/model"}})
        sys.exit(2)
        """
    )

    with pytest.raises(AnnotationError) as refused:
        compute(ONE, PAIRS, folder=folder, progress=quietly)

    assert refused.value.message == "the model some/model is not there"
    (sentence,) = refused.value.said
    assert isinstance(sentence, Sentence)
    assert sentence.values == {"name": "some/model"}


@pytest.mark.parametrize(
    ("body", "logged"),
    [
        ("sys.exit(1)", "status 1"),
        ("raise MemoryError", "MemoryError"),
        ("os.kill(os.getpid(), 9)", "status -9"),
        ("sys.exit(2)", "status 2"),
        ("print('error: no', file=sys.stderr); sys.exit(2)", "error: no"),
        ("", "status 0"),
        ("print('garbage'); print('[1]'); print('\\\\xff')", "garbage"),
        ("say(done={'device': 'cpu'})", "cannot be read"),
        ("open(request['values'], 'w').write('garbage'); say(done={})", "cannot be read"),
        ("np.save(request['values'], np.zeros(3)); say(done={})", "shape (3,)"),
        ("np.save(request['values'], np.zeros(2, 'i8')); say(done={})", "int64"),
        ("np.save(request['values'], np.array([0, np.inf])); say(done={})", "float64"),
    ],
)
def test_whatever_else_it_does_is_a_fault_and_logged(
    body: str, logged: str, program, folder, caplog
) -> None:
    program(body)

    with pytest.raises(BrokenProcessError):
        compute(ONE, PAIRS, folder=folder, progress=quietly)

    assert logged in caplog.text


def test_values_of_an_earlier_measure_are_not_taken_for_its_own(program, folder) -> None:
    program("np.save(request['values'], np.zeros(2)); say(done={})")
    compute(ONE, PAIRS, folder=folder, progress=quietly)
    program("say(done={})")

    with pytest.raises(BrokenProcessError):
        compute(ONE, PAIRS, folder=folder, progress=quietly)


def test_lines_that_a_library_prints_are_passed_over(program, folder, caplog) -> None:
    program(
        """
        print("Loading weights: 100%")
        print("é" * 100_000, file=sys.stderr)
        np.save(request["values"], np.array([0.5, np.nan]))
        say(done={})
        print("goodbye")
        """
    )

    found = compute(ONE, PAIRS, folder=folder, progress=quietly)

    np.testing.assert_array_equal(found.values, [0.5, np.nan])
    assert "Loading weights" in caplog.text


class TakenOverError(Exception):
    pass


def test_it_ends_when_the_work_is_no_longer_ours(program, folder) -> None:
    program("say(progress=0, message=str(os.getpid())); sys.stdin.read(); say(progress=1)")
    pids = []

    def progress(share: float, message: str) -> None:
        pids.append(int(message))
        raise TakenOverError

    with pytest.raises(TakenOverError):
        compute(ONE, PAIRS, folder=folder, progress=progress)

    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_one_that_does_not_want_to_end_is_killed(program, folder, monkeypatch) -> None:
    monkeypatch.setattr(baseline_process, "SECONDS_TO_END", 0.1)
    program(
        """
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say(progress=0, message=str(os.getpid()))
        while True:
            signal.pause()
        """
    )
    pids = []

    def progress(share: float, message: str) -> None:
        pids.append(int(message))
        raise TakenOverError

    with pytest.raises(TakenOverError):
        compute(ONE, PAIRS, folder=folder, progress=progress)

    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_its_input_stays_open_as_long_as_we_live(program, folder) -> None:
    program(
        """
        import select
        say(progress=0, message=str(len(select.select([sys.stdin], [], [], 0)[0])))
        np.save(request["values"], np.zeros(2)); say(done={})
        """
    )
    told = []

    compute(ONE, PAIRS, folder=folder, progress=lambda share, message: told.append(message))

    assert told == ["0"]


def test_secrets_stay_here(program, folder, monkeypatch) -> None:
    for name in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "EMAIL_HOST_PASSWORD"):
        monkeypatch.setenv(name, "secret")
    for name in ("HF_HUB_OFFLINE", "HF_HOME", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    program(
        """
        np.save(request["values"], np.zeros(2))
        say(done={"figures": dict(os.environ)})
        """
    )

    found = compute(ONE, PAIRS, folder=folder, progress=quietly).figures

    assert "secret" not in json.dumps(found)
    assert {"PATH", "HF_HUB_OFFLINE", "HF_HOME", "CUDA_VISIBLE_DEVICES"} <= set(found)
    assert found["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize("is_open", [False, True])
def test_the_hub_is_asked_where_the_operator_allows_it(
    is_open: bool, monkeypatch, settings
) -> None:
    settings.HUB = is_open
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.setenv(name, "secret")

    found = model_environment.environment()

    assert ("HF_TOKEN" in found, "HUGGING_FACE_HUB_TOKEN" in found) == (is_open, is_open)
    assert found.get("HF_HUB_OFFLINE") == (None if is_open else "1")


def test_the_hub_is_closed_by_default(settings) -> None:
    assert settings.HUB is False


def test_no_folder_of_this_machine_is_told(
    program, folder, settings, tmp_path, monkeypatch
) -> None:
    settings.MODELS = tmp_path / "models"
    monkeypatch.setenv("HF_HOME", str(tmp_path / "kept"))
    program(
        f"""
        inner = {{"template": "%(folder)s or not", "values": {{"folder": "{tmp_path}/kept/hub"}}}}
        say(refused={{
            "template": "In %(folder)s no weights are, nor in %(inner)s: %(reason)s.",
            "values": {{
                "folder": request["models"] + "/nope",
                "inner": inner,
                "reason": "neither {tmp_path}/vectors nor " + {str(settings.BASE_DIR)!r},
            }},
        }})
        sys.exit(2)
        """
    )

    with pytest.raises(AnnotationError) as refused:
        compute(ONE, PAIRS, folder=folder, progress=quietly)

    assert refused.value.message == (
        "In <models>/nope no weights are, nor in <hub>/hub or not: neither <data>/vectors nor"
        " <likeness>."
    )


@pytest.mark.django_db
def test_a_job_that_starts_meanwhile_keeps_its_folder(tmp_path, monkeypatch) -> None:
    every = tmp_path / "baselines"
    every.mkdir()
    study, token = make_study(), UUID(int=7)
    job = Job.objects.create(study=study, kind=Job.Kind.BASELINES, run_token=UUID(int=8))
    meanwhile = every / token.hex
    of_jobs = Job.objects.filter

    def read_jobs(**wanted):
        found = list(of_jobs(**wanted).values_list("run_token", flat=True))
        # Only then the other worker begins.
        meanwhile.mkdir()
        os.utime(meanwhile, (1e9, 1e9))
        return SimpleNamespace(values_list=lambda *_names, flat: found)

    monkeypatch.setattr(Job.objects, "filter", read_jobs)

    with own_folder(jobs.Run(job, UUID(int=8))):
        assert meanwhile.exists()


@pytest.mark.django_db
def test_what_dead_workers_left_is_removed(tmp_path) -> None:
    left, fresh = tmp_path / "baselines" / "left", tmp_path / "baselines" / "fresh"
    left.mkdir(parents=True)
    fresh.mkdir()
    os.utime(left, (1e9, 1e9))
    alive = Job.objects.create(
        study=make_study(),
        kind=Job.Kind.BASELINES,
        state=Job.State.RUNNING,
        run_token="00000000-0000-4000-8000-000000000001",
    )
    kept = tmp_path / "baselines" / "00000000000040008000000000000001"
    kept.mkdir()
    os.utime(kept, (1e9, 1e9))
    alive.refresh_from_db()
    token = alive.run_token
    assert token is not None
    other = token.__class__(int=7)

    with own_folder(jobs.Run(alive, other)) as folder:
        assert folder.is_dir()
        assert not left.exists()
        assert kept.exists()
        assert fresh.exists()

    assert not folder.exists()
