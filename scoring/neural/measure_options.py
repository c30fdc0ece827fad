"""What can be chosen for a measure that needs a model: options, and their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from scoring.baselines.specification import Setting, Specification
from shell.messages import Message
from shell.messages import message as _

# model: a name that `scoring.neural.models.find` knows; file: one of word vectors, below the same
# folder; choice: one of the option's choices; flag: true or false; count: a whole number.
Kind: TypeAlias = Literal["model", "file", "choice", "flag", "count", "text"]


@dataclass(frozen=True)
class Option:
    """One setting of a measure; without a default it must be given."""

    key: str
    name: Message
    definition: Message
    kind: Kind
    default: Setting | None = None
    # What each value means, where there are only these; None if its name says it.
    choices: Mapping[str, Message | None] = field(default_factory=dict)
    lowest: int = 0
    highest: int = 1000


@dataclass(frozen=True)
class Measure:
    """A measure as pages offer it; `options` in their order."""

    key: str
    # A message, or a proper name, which is the same in every language.
    name: str
    definition: Message
    options: tuple[Option, ...] = ()
    # Whether the values of any two items compare; else those of one dialogue alone.
    compares_over_items: bool = True


@dataclass(frozen=True)
class Preset:
    """Several specifications that belong together."""

    key: str
    name: Message
    definition: Message
    specifications: tuple[Specification, ...]


MODEL = Option(
    "model",
    _("Model"),
    _(
        "A folder inside the models folder (LIKENESS_MODELS) or, if this server allows the"
        " Hugging Face hub, a name there, such as org/name."
    ),
    "model",
)
REVISION = Option(
    "revision",
    _("Revision"),
    _(
        "A commit, branch or tag of the hub, or the digest that a folder must have. Leave empty "
        "to accept any."
    ),
    "text",
    "",
)
CONTEXT = (
    Option(
        "context",
        _("Context"),
        _("What the model reads in addition to the text."),
        "choice",
        "none",
        {
            "none": _("The texts alone."),
            "front": _(
                "The model reads the turns before each text, then the text. A candidate that is "
                "not a turn takes the target's place, after the same turns. Input that is too "
                "long for the model is cut at its beginning."
            ),
            "target": _(
                "For the target, the model reads the turns before it, then the target. It reads "
                "the candidate alone. Long input is cut in the same way."
            ),
        },
    ),
    Option(
        "turns",
        _("Turns"),
        _("Maximum number of turns before the text. Enter 0 for all of them."),
        "count",
        0,
    ),
    Option(
        "separator",
        _("Separator"),
        _("The text between turns, and between the last turn and the text."),
        "choice",
        "newline",
        {"newline": _("A line break."), "space": _("A space.")},
    ),
)
BERTSCORE_PRESETS: dict[str, Message | None] = {
    "": _("A model and a layer of your own choice."),
    "vanilla": _(
        "A pre-trained model that was not trained on similarity. The default is layer 2: in [SAS],"
        " the first two layers agree best with people."
    ),
    "trained": _(
        "A model trained on pairs with similarity scores, such as the STS benchmark. The default"
        " is the last layer: in [SAS], it agrees best with people."
    ),
}
