"""The packages that read models: imported when needed, or one sentence with the remedy."""

import importlib
import os
from typing import Any

from scoring.neural.refusals import RefusalError
from shell.messages import message as _


class PackagesError(RefusalError):
    """The packages that read models are not installed here."""


def load(*names: str) -> Any:
    """Import packages of the section [models]; return the first one.

    Raises
    ------
    PackagesError
        If one cannot be imported, with the reason and the remedy.
    """
    # Bars and notes of the libraries are no part of what a command says.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    modules = []
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except ImportError as error:
            raise PackagesError(
                _(
                    "The packages that read models are missing here (%(reason)s): run"
                    " `make models` on the machine where the worker runs, then start the worker"
                    " again.",
                    reason=f"{name}: {error}",
                )
            ) from error
        if name == "transformers":
            modules[-1].utils.logging.disable_progress_bar()
    return modules[0]


def device() -> tuple[str, str]:
    """Where models are computed: its name for torch, and in words for the result."""
    torch = load("torch")
    if torch.cuda.is_available():
        return "cuda", f"cuda, {torch.cuda.get_device_name()}"
    if "OMP_NUM_THREADS" not in os.environ:
        # Of the cores that this process may use: with more threads than those, they wait for
        # one another at every step.
        torch.set_num_threads(_n_cores())
    return "cpu", _("cpu, %(n)s threads", n=torch.get_num_threads())


def _n_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
