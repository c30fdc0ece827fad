"""What a model's folder must not hold: pickled weights, code of its own, links to elsewhere."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.neural.refusals import ModelError
from shell.messages import Message
from shell.messages import message as _

PICKLED = {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"}
# Large lists of words, in which no setting stands.
_WORDLISTS = {"tokenizer.json", "vocab.json", "added_tokens.json"}
# What settings may name of these libraries, which look it up and call it: classes.
_LAYER = re.compile(r"torch\.nn\.(?:modules\.(?:\w+\.)?)?[A-Z]\w*", re.ASCII)
_MODULE = re.compile(r"sentence_transformers\.(?:\w+\.)*[A-Z]\w*", re.ASCII)
# Types of numbers are called by nobody.
_NUMBERS = re.compile(r"torch\.(?:bfloat|float|int|uint)\d+", re.ASCII)
_ACTIVATIONS = {"activation_function", "activation_fn", "sbert_ce_default_activation_function"}
# Whoever sets these has code fetched and run, weights unpickled, or files read from elsewhere.
_NEVER = {
    "auto_map",
    "use_kernels",
    "kernel_config",
    "weights_only",
    "trust_remote_code",
    "tokenizer_name_or_path",
    "gguf_file",
}
# Characters of a setting that a refusal shows.
_MAX_SHOWN_LENGTH = 100


def refuse_links_in(folder: Path, root: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_symlink() and (path.is_dir() or not path.resolve().is_relative_to(root)):
            raise ModelError(
                _(
                    "%(file)s is a link to a folder, or to what lies outside %(folder)s: put the"
                    " files themselves there.",
                    file=str(path),
                    folder=str(root),
                )
            )


def inspect_folder(folder: Path, root: Path) -> None:
    """Refuse what would be unpickled, run, or read from elsewhere."""
    refuse_links_in(folder, root)
    files = list(files_in(folder))
    for file in files:
        if file.suffix == ".json" and file.name not in _WORDLISTS:
            _inspect_settings(file, folder)
    names = {file.relative_to(folder).as_posix() for file in files}
    if not names & {"config.json", "modules.json"}:
        raise ModelError(
            _(
                "The folder %(folder)s holds no model: it has neither config.json nor"
                " modules.json.",
                folder=str(folder),
            )
        )
    if any(file.name == "adapter_config.json" for file in files):
        raise ModelError(
            _(
                "The model in %(folder)s is an adapter of another one: merge the two, and put the"
                " whole model there.",
                folder=str(folder),
            )
        )
    # Weights may lie in a folder of their own, such as that of a dense layer.
    holding = {file.parent for file in files if file.suffix == ".safetensors"}
    for file in files:
        if file.suffix in PICKLED and file.parent not in holding and is_read(file, folder):
            raise ModelError(
                _(
                    "The weights in %(file)s are pickled, and reading those can run code: put them"
                    " there as model.safetensors.",
                    file=str(file),
                )
            )
    if not holding:
        raise ModelError(
            _(
                "The model in %(folder)s has no weights as safetensors (*.safetensors).",
                folder=str(folder),
            )
        )


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if not path.is_dir())


def is_read(file: Path, folder: Path) -> bool:
    # Beside the model itself hubs keep it in formats that nothing here reads.
    return file.relative_to(folder).parts[0] not in {"onnx", "openvino"}


def _inspect_settings(file: Path, folder: Path) -> None:
    try:
        settings = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ModelError(
            _(
                "The file %(file)s cannot be read as JSON: %(reason)s.",
                file=str(file),
                reason=str(error),
            )
        ) from error
    if file.name == "modules.json":
        for module in settings if isinstance(settings, list) else []:
            kind, path = str(module.get("type", "")), str(module.get("path", ""))
            if not _MODULE.fullmatch(kind):
                raise ModelError(_own_code(file, kind))
            if not (folder / path).resolve().is_relative_to(folder.resolve()):
                raise ModelError(
                    _(
                        "The file %(file)s names the folder %(given)s, outside the model.",
                        file=str(file),
                        given=repr(path),
                    )
                )
    if file.name == "router_config.json":
        for kind in (settings.get("types") or {}).values():
            if not _MODULE.fullmatch(str(kind)):
                raise ModelError(_own_code(file, str(kind)))
    for name, value in _settings(settings):
        if name in _NEVER and value not in (None, {}, []):
            raise ModelError(_own_code(file, name))
        # org/name, from which code would be fetched; by part of the model where there are parts.
        if "attn_implementation" in name and "/" in json.dumps(value):
            raise ModelError(_own_code(file, name))
        if isinstance(value, str) and _names_code(name, value):
            raise ModelError(_own_code(file, value[:_MAX_SHOWN_LENGTH]))


def _names_code(name: str, value: str) -> bool:
    """Whether libraries would look up and call what this setting names, other than a layer."""
    if value.startswith("torch."):
        return not (_LAYER.fullmatch(value) or _NUMBERS.fullmatch(value))
    # Short names are looked up in a list; others are imported.
    if name in _ACTIVATIONS:
        return "." in value
    return name == "tokenizer_class" and "." in value and not _MODULE.fullmatch(value)


def _own_code(file: Path, what: str) -> Message:
    return _(
        "The model asks for code of its own (%(what)s in %(file)s), and none is run here.",
        what=what,
        file=str(file),
    )


def _settings(settings: Any) -> Iterator[tuple[str, Any]]:
    """Every name with its value, at whatever depth; what stands in a list has the list's name."""
    left = [("", settings)]
    while left:
        name, value = left.pop()
        if isinstance(value, dict):
            left.extend(value.items())
        elif isinstance(value, list):
            left.extend((name, entry) for entry in value)
        if name:
            yield name, value
