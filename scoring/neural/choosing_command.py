"""`python -m scoring.neural choose`: multiple choice by a causal language model."""

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.json_values import JsonObject
from scoring.neural import packages
from scoring.neural.choice import choose
from scoring.neural.choice_settings import ChoiceSettings, Dialogue
from scoring.neural.commands import Command
from scoring.neural.drawn_weights import architecture_of, lacking, refuse_any
from scoring.neural.likelihoods import BATCH_SIZE, KeptLikelihoods, LanguageModel
from scoring.neural.lines import json_lines, text_of, texts_of, whole_number, write_array
from scoring.neural.models import Model, find, loading
from scoring.neural.refusals import ModelError, RequestError, check_choice
from scoring.neural.requests import path_of
from scoring.neural.workplace import Say
from shell import InputError
from shell.messages import message as _

DESCRIPTION = """\
Ask a causal language model which candidate means the same as the last turn of
a dialogue, and compute how often it picks the one that people scored highest.

REQUEST.json holds one object:
  model      a folder below the folder of models, or a name on the hub
  revision   (optional) the revision that it must have
  settings   language ("de", "en", "cs") of our template, or your own template
             with {dialogue}, {target} and {options}; style ("plain", or
             "giccs": turns numbered, candidates after "A.", "B."); answer
             ("text" or "letter"); likelihood ("per_token" or "sum");
             with_dialogue (true or false); shuffles (5); seed (1)
  dialogues  a file of JSON Lines: {"id": "...", "turns": ["..."], "target":
             "...", "options": [{"id": "...", "text": "...", "score": 0.7}]},
             the turns without the last one, and null if there is no score;
             optionally "subset", for the accuracy of each subset
  values     the file to write: an array (.npy) of float64 in the order of all
             options: the log-likelihood of each as the answer, mean over shuffles
  store      a folder in which likelihoods are kept
  models     the folder of models; "" if there is none
  dtype      (optional) "float32", or "bfloat16" or "float16" for a model that is
             otherwise too large
  batch_size (optional) how many texts the model reads at once

Standard output and the exit status are as for `score`. The figures in the last
line are the accuracy with its standard error over dialogues, also by subset, and
its spread over shuffles."""

DTYPES = ("float32", "bfloat16", "float16")
_PARTS = {"model", "revision", "settings", "dialogues", "values", "store", "models"}
_PARTS |= {"dtype", "batch_size"}


def answer(request: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Do what a request asks for; return what the last line says.

    Raises
    ------
    RequestError, InputError
        If the request, or a file that it names, is wrong.
    models.ModelError, packages.PackagesError
        If the model or the packages are missing, or the model is of another kind or lacks weights.
    """
    began = time.monotonic()
    if unknown := sorted(set(request) - _PARTS):
        raise InputError(f"the request has unknown parts: {', '.join(unknown)}")
    given = request.get("settings", {})
    if not isinstance(given, dict):
        raise InputError("the settings of the request are no JSON object")
    settings = ChoiceSettings.of_json(given)
    dtype = request.get("dtype", DTYPES[0])
    check_choice("dtype", dtype, DTYPES)
    batch_size = whole_number(request, "batch_size", BATCH_SIZE)
    values, store = path_of(request, "values"), path_of(request, "store")
    dialogues = read_dialogues(path_of(request, "dialogues"))
    model = find(
        text_of(request, "model"),
        models=path_of(request, "models") if request.get("models") else None,
        store=store,
        revision=text_of(request, "revision", ""),
    )

    say(0.0, _("loading the model"))
    reader, device = language_model(model, dtype)
    with KeptLikelihoods(store / "likelihoods.sqlite3") as stored:
        choices = choose(
            dialogues,
            settings,
            model=reader,
            identity=f"{model.name} {model.revision} {dtype}",
            stored=stored,
            progress=say,
            batch_size=batch_size,
        )
    write_array(values, np.concatenate(choices.values))
    figures: JsonObject = {**choices.as_dict(), "dtype": dtype}
    return {
        "device": device if choices.n_computed else "none",
        "seconds": round(time.monotonic() - began, 3),
        "revision": model.revision,
        "n_encoded": choices.n_computed,
        "n_kept": choices.n_kept,
        "figures": figures,
    }


def language_model(model: Model, dtype: str) -> tuple[LanguageModel, str]:
    """A model's tokenizer, and its weights when they are needed; and the device in words.

    Raises
    ------
    models.ModelError
        If it cannot be read, or is no causal language model.
    packages.PackagesError
        If the packages are missing.
    """
    library = packages.load("transformers", "torch")
    device, described = packages.device()
    options = {"local_files_only": True, "trust_remote_code": False}
    with loading(model):
        tokenizer = library.AutoTokenizer.from_pretrained(model.folder, **options)
        config = library.AutoConfig.from_pretrained(model.folder, **options)
    if not _is_causal(config):
        raise no_causal_model(model, architecture_of(config))

    def load() -> Any:
        with loading(model):
            loaded, report = library.AutoModelForCausalLM.from_pretrained(
                model.folder,
                dtype=getattr(packages.load("torch"), dtype),
                use_safetensors=True,
                output_loading_info=True,
                **options,
            )
            refuse_any(lacking(loaded, report), model)
            return loaded.to(device)

    return LanguageModel(tokenizer, config, load), described


def _is_causal(config: Any) -> bool:
    """Whether a model was saved as one that foretells tokens from those before them alone."""
    known = packages.load("transformers.models.auto.modeling_auto")
    named = getattr(config, "architectures", None)
    # Settings without a name tell it by the kind of model; whether it can write, by its weights.
    if named and not {*named} & {*known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()}:
        return False
    # Those that also fill gaps read in both directions unless they are told not to.
    reads_all = config.model_type in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return not reads_all or bool(getattr(config, "is_decoder", False))


def no_causal_model(model: Model, architecture: str) -> ModelError:
    """What to say of a model that gives no likelihood of a text after another."""
    return ModelError(
        _(
            "The model %(name)s (%(architecture)s) is no causal language model: multiple choice"
            " needs one that foretells each token from those before it, such as a GPT2LMHeadModel"
            " or a LlamaForCausalLM.",
            name=model.name,
            architecture=architecture,
        )
    )


def read_dialogues(path: Path) -> list[Dialogue]:
    """Read dialogues from JSON Lines; InputError or RequestError names the line that is none."""
    return list(json_lines(path, partial(_dialogue)))


def _dialogue(row: Mapping[str, Any], where: str) -> Dialogue:
    options = row.get("options")
    if not isinstance(options, list) or not all(isinstance(each, dict) for each in options):
        raise InputError(f"{where}: 'options' must be a list of objects")
    scores = [each.get("score") for each in options]
    if not all(each is None or type(each) in (int, float) for each in scores):
        raise InputError(f"{where}: the 'score' of an option must be a number or null")
    try:
        return Dialogue(
            id=text_of(row, "id", where=where),
            turns=texts_of(row, "turns", where=where),
            target=text_of(row, "target", where=where),
            options=tuple(text_of(each, "text", where=where) for each in options),
            scores=tuple(np.nan if each is None else float(each) for each in scores),
            subset=text_of(row, "subset", "", where=where),
        )
    except RequestError as error:
        raise RequestError(
            _("%(name)s: %(problem)s", name=where, problem=error.message)
        ) from error


COMMANDS = [
    Command(
        "choose",
        "let a causal language model answer multiple-choice questions",
        DESCRIPTION,
        answer,
    )
]
