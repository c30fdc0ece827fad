"""Where a training run stands, in a file from which it goes on as if it had never stopped.

A checkpoint is one safetensors file: weights, what the optimizer remembers, the states of the
random numbers, and the place in the data. Nothing in it is pickled, so reading it runs no code. It
is written beside the one before and then takes its name, so a process that is killed while it
writes leaves the one before.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.neural import packages
from scoring.neural.refusals import RequestError
from shell.messages import as_data
from shell.messages import message as _

if TYPE_CHECKING:
    import torch

FILE = "checkpoint.safetensors"


@dataclass
class Position:
    """How far a run is.

    Parameters
    ----------
    step : int
        Steps of the optimizer that are done.
    loss_sum : float
        Losses of this epoch so far, each times its number of pairs, summed.
    losses : list of float
        Mean loss of each epoch that is done.
    """

    step: int = 0
    loss_sum: float = 0.0
    losses: list[float] = field(default_factory=list)


def save(
    folder: Path,
    *,
    module: "torch.nn.Module",
    optimizer: "torch.optim.Optimizer",
    position: Position,
    digest: str,
) -> None:
    """Write a checkpoint; it replaces the one before.

    Parameters
    ----------
    folder : Path
        Of the run; made where there is none.
    module, optimizer
        What is trained, and by what.
    position : Position
        How far it is.
    digest : str
        Of all that the run depends on.
    """
    torch = packages.load("torch")
    tensors = {f"module.{name}": value for name, value in module.state_dict().items()}
    for i, memory in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{name}": value for name, value in memory.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    # Weights that two layers share are written twice: the format knows no shared memory.
    plain = {name: value.detach().cpu().clone().contiguous() for name, value in tensors.items()}
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{FILE}.new"
    _files().save_file(
        plain, new, metadata={"position": json.dumps(asdict(position)), "of": digest}
    )
    with new.open("rb+") as file:
        os.fsync(file.fileno())
    new.replace(folder / FILE)


def load(
    folder: Path,
    *,
    module: "torch.nn.Module",
    optimizer: "torch.optim.Optimizer",
    digest: str,
) -> Position | None:
    """Put everything back as the run's last checkpoint has it; None where there is none.

    Raises
    ------
    RequestError
        If it is not a checkpoint of this run, or cannot be read.
    """
    torch = packages.load("torch")
    path = folder / FILE
    if not path.exists():
        return None
    try:
        with packages.load("safetensors").safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict
        position = Position(**json.loads(metadata["position"]))
    except (OSError, ValueError, KeyError, TypeError, _files_error()) as error:
        raise RequestError(
            _(
                "the checkpoint %(file)s cannot be read (%(reason)s): remove it, and the run"
                " starts anew",
                file=str(path),
                reason=str(error),
            )
        ) from error
    check_digest(metadata.get("of"), digest, folder)

    module.load_state_dict(_part(tensors, "module."))
    memory: dict[int, dict[str, Any]] = {}
    for name, value in _part(tensors, "optimizer.").items():
        i, what = name.split(".", 1)
        memory.setdefault(int(i), {})[what] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": memory, "param_groups": groups})
    torch.set_rng_state(tensors["random.cpu"])
    if torch.cuda.is_available() and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return position


def check_digest(stored_digest: object, digest: str, folder: Path) -> None:
    """Raise RequestError if what a folder holds is of another training."""
    if stored_digest != digest:
        raise RequestError(
            _(
                "%(folder)s holds a training with another model, other data or other settings:"
                " choose another folder, or remove this one",
                folder=str(folder),
            )
        )


def write_json(path: Path, value: object) -> None:
    """Write a JSON file that is whole or not there; messages are in it as data."""
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(as_data(value), file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _part(tensors: dict[str, "torch.Tensor"], prefix: str) -> dict[str, "torch.Tensor"]:
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }


def _files() -> Any:
    return packages.load("safetensors.torch")


def _files_error() -> type[Exception]:
    error: type[Exception] = packages.load("safetensors").SafetensorError
    return error
