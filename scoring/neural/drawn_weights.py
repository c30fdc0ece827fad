"""Weights that a model's files lack: libraries draw them at random, and go on without a word."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from scoring.neural import packages
from scoring.neural.models import Model
from scoring.neural.refusals import ModelError
from shell.messages import message as _


class Drawn(NamedTuple):
    """A parameter that was drawn at random, and what the model was when it was saved."""

    name: str
    architecture: str


def lacking(loaded: Any, loading: Mapping[str, Any]) -> list[Drawn]:
    """The parameters that were drawn while a model was loaded.

    Parameters
    ----------
    loaded : transformers.PreTrainedModel
    loading : dict
        What `from_pretrained` tells of loading (`output_loading_info`). Weights that are tied
        to others are not among those that it misses.

    Returns
    -------
    list of Drawn
        By name. Without buffers, which are computed and not drawn.
    """
    names = {*loading["missing_keys"], *(each[0] for each in loading["mismatched_keys"])}
    names &= {each[0] for each in loaded.named_parameters(remove_duplicate=False)}
    return [Drawn(name, architecture_of(loaded.config)) for name in sorted(names)]


@contextmanager
def noted() -> Iterator[list[Drawn]]:
    """Note the parameters that are drawn while another library has transformers load a model.

    sentence-transformers passes on what `from_pretrained` returns, and cannot be asked for more:
    for as long as it loads, every model is asked which weights it lacked.
    """
    kind = packages.load("transformers", "torch").PreTrainedModel
    original = kind.__dict__["from_pretrained"]
    drawn: list[Drawn] = []

    def from_pretrained(cls: Any, *given: Any, **options: Any) -> Any:
        is_asked = options.pop("output_loading_info", False)
        loaded, loading = original.__func__(cls, *given, output_loading_info=True, **options)
        drawn.extend(lacking(loaded, loading))
        return (loaded, loading) if is_asked else loaded

    kind.from_pretrained = classmethod(from_pretrained)
    try:
        yield drawn
    finally:
        kind.from_pretrained = original


def but_for_a_pooler(drawn: Iterable[Drawn]) -> list[Drawn]:
    """Those that matter where tokens' vectors are read, and not what a pooler makes of them."""
    return [each for each in drawn if "pooler" not in each.name.split(".")]


def refuse_any(drawn: Iterable[Drawn], model: Model) -> None:
    """Refuse a model whose values would differ from one loading to the next."""
    for name, architecture in drawn:
        raise ModelError(
            _(
                "The model %(name)s (%(architecture)s) lacks weights, such as %(weight)s, and"
                " random ones would take their place: put all of its files there, or choose"
                " another model.",
                name=model.name,
                architecture=architecture,
                weight=name,
            )
        )


def refuse_any_head(drawn: Iterable[Drawn], model: Model) -> None:
    """Refuse an encoder that was not trained to say how alike two texts are."""
    for name, architecture in drawn:
        raise ModelError(
            _(
                "The model %(name)s (%(architecture)s) is no trained cross-encoder, for it lacks"
                " weights, such as %(weight)s, and random ones would take their place: choose one"
                " that has them, or train one from it.",
                name=model.name,
                architecture=architecture,
                weight=name,
            )
        )


def architecture_of(config: Any) -> str:
    """What kind of model its settings say it was when it was saved."""
    named = getattr(config, "architectures", None) or [config.model_type]
    return str(named[0])
