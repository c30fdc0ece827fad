"""Training a model on pairs of texts with people's scores, and what it then finds in tests.

Several runs differ in their seed alone, from which the order of the pairs, dropout and new layers
are drawn; tables give the mean over runs and its deviation. A run writes where it stands (see
`checkpoints`), so one that is killed goes on from there, and ends with the same figures: on one
machine and device, with one number of threads.

The optimizer is AdamW [LoshchilovHutter2019] with a rate that rises from 0 over the warm-up and
falls to 0 by the end, both linearly, and gradients cut to a norm of 1.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.baselines.runs import RunFigures, evaluate
from scoring.neural import checkpoints, packages
from scoring.neural.checkpoints import Position
from scoring.neural.refusals import RequestError
from scoring.neural.trainees import TRAINEES, Kind, Trainee
from scoring.neural.training_settings import DivergedError, TrainingSettings
from scoring.neural.workplace import Say
from shell.messages import Message, of_data
from shell.messages import message as _

# In a run's folder: what it found, and the trained model.
RESULT, MODEL = "result.json", "model"
# A norm of the gradient above which it is cut, as sentence-transformers does.
LARGEST_GRADIENT = 1.0


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of texts with scores.

    Parameters
    ----------
    first, second : sequence of str, length n
        The texts.
    scores : float array, shape (n,)
        People's scores, none missing; from 0 to 1 where a model is trained on them.
    """

    first: Sequence[str]
    second: Sequence[str]
    scores: FloatArray

    def __post_init__(self) -> None:
        if not len(self.first) == len(self.second) == len(self.scores):
            raise ValueError("each pair has two texts and a score")

    def __len__(self) -> int:
        return len(self.scores)

    def part(self, places: IntArray) -> "Pairs":
        """Some of the pairs, in the order of their places."""
        return Pairs(
            [self.first[i] for i in places], [self.second[i] for i in places], self.scores[places]
        )

    @property
    def digest(self) -> str:
        """The same for the same texts and scores in the same order."""
        digest = hashlib.sha256(np.ascontiguousarray(self.scores, dtype="<f8").tobytes())
        for first_text, second_text in zip(self.first, self.second, strict=True):
            digest.update(json.dumps([first_text, second_text]).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Start:
    """What a training starts from.

    Parameters
    ----------
    kind : {"bi_encoder", "cross_encoder"}
        What the model becomes.
    folder : Path
        Of the model.
    revision : str
        Which it is.
    """

    kind: Kind
    folder: Path
    revision: str


def check_scores(pairs: Pairs) -> None:
    """Raise RequestError for scores that nothing can be trained on."""
    if len(pairs) == 0:
        raise RequestError(_("there is no pair to train on"))
    # nan compares as false.
    if (wrong := ~((pairs.scores >= 0) & (pairs.scores <= 1))).any():
        place = int(wrong.argmax())
        raise RequestError(
            _(
                "pair %(n)s has the score %(score)s: scores to train on are from 0 to 1",
                n=place + 1,
                score=float(pairs.scores[place]),
            )
        )


def train_run(
    start: Start,
    pairs: Pairs,
    tests: Mapping[str, Pairs],
    settings: TrainingSettings,
    *,
    folder: Path,
    say: Say,
    keeps_model: bool = True,
) -> RunFigures:
    """Train one model and test it, or go on where a killed run was.

    Parameters
    ----------
    start : Start
        The model.
    pairs : Pairs
        To train on, with scores from 0 to 1.
    tests : dict of str to Pairs
        To test on.
    settings : TrainingSettings
        With the seed of this run.
    folder : Path
        Of this run: its checkpoint while it is trained, then what it found and the model.
    say : callable
        Told about the share that is done.
    keeps_model : bool
        Whether the trained model is written.

    Raises
    ------
    RequestError
        If the folder holds another training.
    """
    digest = _digest(start, pairs, tests, settings)
    result = folder / RESULT
    if result.exists():
        stored = json.loads(result.read_text(encoding="utf-8"), object_hook=of_data)
        checkpoints.check_digest(stored["of"], digest, folder)
        return RunFigures.of_json(stored["figures"])

    # What cuBLAS needs to add up in the same order each time; read when it is first used.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch = packages.load("torch")
    # Before the model: what it lacks is drawn at random.
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True, warn_only=True)
    trainee = TRAINEES[start.kind](
        start.folder, max_length=settings.max_length, loss=settings.loss
    )
    losses = _train(trainee, pairs, settings, folder=folder, digest=digest, say=say)
    figures = RunFigures(
        settings.seed,
        losses,
        {
            name: evaluate(test.scores, trainee.predict(test.first, test.second))
            for name, test in tests.items()
        },
    )
    if keeps_model:
        _write_model(trainee, folder)
    checkpoints.write_json(result, {"of": digest, "figures": figures.as_dict()})
    (folder / checkpoints.FILE).unlink(missing_ok=True)
    return figures


def _train(
    trainee: Trainee,
    pairs: Pairs,
    settings: TrainingSettings,
    *,
    folder: Path,
    digest: str,
    say: Say,
) -> list[float]:
    """Take all steps that are still to be taken; return the mean loss of each epoch."""
    torch = packages.load("torch")
    module, n = trainee.module, len(pairs)
    steps = -(-n // settings.batch_size)
    n_steps = steps * settings.epochs
    optimizer = torch.optim.AdamW(
        _groups(module, settings.weight_decay), lr=settings.learning_rate
    )
    at = checkpoints.load(folder, module=module, optimizer=optimizer, digest=digest) or Position()
    say(at.step / n_steps, _("step %(step)s of %(steps)s", step=at.step, steps=n_steps))
    order = np.arange(0)
    while at.step < n_steps:
        epoch, in_epoch = divmod(at.step, steps)
        if in_epoch == 0 or not len(order):
            # Of seed and epoch alone, so that a run that goes on has the same one.
            order = np.random.default_rng([settings.seed, epoch]).permutation(n)
        chosen = order[in_epoch * settings.batch_size : (in_epoch + 1) * settings.batch_size]
        batch = pairs.part(chosen)

        module.train()
        loss: Any = trainee.loss(batch.first, batch.second, batch.scores)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), LARGEST_GRADIENT)
        for group in optimizer.param_groups:
            group["lr"] = rate(at.step, n_steps, settings)
        optimizer.step()
        optimizer.zero_grad()

        at.step += 1
        at.loss_sum += float(loss.detach()) * len(batch)
        if not np.isfinite(at.loss_sum):
            raise DivergedError(
                _(
                    "the loss is no number any more at step %(step)s: choose a learning rate below"
                    " %(rate)s",
                    step=at.step,
                    rate=float(settings.learning_rate),
                )
            )
        if ends := at.step % steps == 0:
            at.losses.append(at.loss_sum / n)
            at.loss_sum = 0.0
        if ends or at.step % settings.checkpoint_steps == 0:
            checkpoints.save(
                folder, module=module, optimizer=optimizer, position=at, digest=digest
            )
        say(
            at.step / n_steps,
            _(
                "epoch %(epoch)s, step %(step)s of %(steps)s",
                epoch=epoch + 1,
                step=at.step,
                steps=n_steps,
            ),
        )
    return at.losses


def rate(step: int, n_steps: int, settings: TrainingSettings) -> float:
    """The learning rate of a step, 0..n_steps-1: up from 0 over the warm-up, then down to 0."""
    warmup = round(settings.warmup * n_steps)
    if step < warmup:
        return settings.learning_rate * step / warmup
    return settings.learning_rate * (n_steps - step) / (n_steps - warmup)


def _groups(module: Any, weight_decay: float) -> list[dict[str, Any]]:
    """Parameters with and without decay: biases and norms, which are vectors, have none."""
    learn = [each for each in module.parameters() if each.requires_grad]
    return [
        {"params": [each for each in learn if each.ndim > 1], "weight_decay": weight_decay},
        {"params": [each for each in learn if each.ndim <= 1], "weight_decay": 0.0},
    ]


def _write_model(trainee: Trainee, folder: Path) -> None:
    new, model = folder / f"{MODEL}.new", folder / MODEL
    for path in (new, model):
        if path.exists():
            shutil.rmtree(path)
    trainee.save(new)
    new.replace(model)


def _digest(
    start: Start, pairs: Pairs, tests: Mapping[str, Pairs], settings: TrainingSettings
) -> str:
    """Of all that a run's figures depend on."""
    of_settings = asdict(settings)
    # Neither the other runs nor the checkpoints change what is found.
    del of_settings["runs"], of_settings["checkpoint_steps"]
    parts = [
        start.kind,
        start.revision,
        of_settings,
        pairs.digest,
        {name: test.digest for name, test in tests.items()},
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def train_runs(
    start: Start,
    pairs: Pairs,
    tests: Mapping[str, Pairs],
    settings: TrainingSettings,
    *,
    folder: Path,
    say: Say,
) -> list[RunFigures]:
    """Train as many models as there are runs, each in a folder of its own, `seed-N`.

    See `train_run`; runs that are done are not done again.
    """
    check_scores(pairs)
    done = []
    for run in range(settings.runs):
        seed = settings.seed + run
        progress = part(say, run / settings.runs, 1 / settings.runs, partial(_of_run, run + 1))
        own = replace(settings, seed=seed)
        where = folder / f"seed-{seed}"
        done.append(train_run(start, pairs, tests, own, folder=where, say=progress))
    return done


def _of_run(run: int, message: Message) -> Message:
    return _("run %(run)s: %(message)s", run=run, message=message)


def part(
    say: Say,
    start: float,
    share: float,
    worded: Callable[[Message], Message] = lambda message: message,
) -> Say:
    """Tell about a part of the work as about a share of the whole; `worded` says which part."""

    def told(done: float, message: Message) -> None:
        say(start + share * done, worded(message))

    return told
