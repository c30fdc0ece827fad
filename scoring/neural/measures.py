"""Every measure that can be asked for: its name, its definition, and what can be set.

Nothing heavy is imported here: pages and commands read this, too. Whoever computes a measure
gives `check` a specification first, which fills in the defaults; `scoring.neural.requests` does
the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Setting, Specification
from scoring.neural.models import LONGEST_NAME
from scoring.neural.refusals import RequestError
from shell.messages import Message
from shell.messages import message as _

# model: a name that `scoring.neural.models.find` knows; file: one of word vectors, below the same
# folder; choice: one of the option's choices; flag: true or false; count: a whole number.
Kind: TypeAlias = Literal["model", "file", "choice", "flag", "count", "text"]
LONGEST_TEXT = 100


@dataclass(frozen=True)
class Option:
    """One setting of a measure; without a default it must be given."""

    key: str
    name: Message
    definition: Message
    kind: Kind
    default: Setting | None = None
    # What each value means, where there are only these; None where its name says it.
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
    _("A folder below the folder of models (LIKENESS_MODELS), or a name of the hub: org/name."),
    "model",
)
REVISION = Option(
    "revision",
    _("Revision"),
    _("A commit, branch or tag of the hub, or the digest that a folder must have. Empty: any."),
    "text",
    "",
)
CONTEXT = (
    Option(
        "context",
        _("Context"),
        _("What the model reads beside the text itself."),
        "choice",
        "none",
        {
            "none": _("The texts alone."),
            "front": _(
                "The turns before each text, then the text; a candidate that is no turn itself"
                " stands in the target's place, after the same turns. What is too long for the"
                " model is cut at its beginning, so that the text itself is read."
            ),
            "target": _(
                "The turns before the target, then the target; the candidate alone. It is cut in"
                " the same way."
            ),
        },
    ),
    Option("turns", _("Turns"), _("How many turns before the text, at most; 0: all."), "count", 0),
    Option(
        "separator",
        _("Separator"),
        _("What stands between turns, and between the last one and the text."),
        "choice",
        "newline",
        {"newline": _("A line break."), "space": _("A blank.")},
    ),
)
BERTSCORE_PRESETS: dict[str, Message | None] = {
    "": _("A model and a layer of your own choice."),
    "vanilla": _(
        "A model as it was pre-trained, not taught to tell how alike texts are. Layer 2 unless"
        " another one is given: in the paper the first two agree best with people [SAS]."
    ),
    "trained": _(
        "A model that was trained on pairs with scores of similarity, such as STS benchmark's. Its"
        " last layer unless another one is given: in the paper it agrees best with people [SAS]."
    ),
}
_LAYER_OF_PRESET = {"": -1, "vanilla": 2, "trained": -1}

MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure(
            "bi_encoder",
            _("Bi-encoder"),
            _("Cosine of the two texts' embeddings [SBERT]. Each text is encoded by itself."),
            (MODEL, REVISION, *CONTEXT),
        ),
        Measure(
            "cross_encoder",
            _("Cross-encoder"),
            _(
                "What a model that reads both texts at once says of them: SAS, semantic answer"
                " similarity [SAS]. It is symmetric only where it reads both orders."
            ),
            (
                MODEL,
                REVISION,
                *CONTEXT,
                Option(
                    "activation",
                    _("Activation"),
                    _("What is done with the number that the model gives."),
                    "choice",
                    "model",
                    {
                        "model": _("What the model's own settings name, else a sigmoid."),
                        "sigmoid": _("1 / (1 + exp(-x)): from 0 to 1."),
                        "identity": _("Nothing."),
                    },
                ),
                Option(
                    "order",
                    _("Order"),
                    _("Which of the two texts the model reads first."),
                    "choice",
                    "target",
                    {
                        "target": _("The target, then the candidate."),
                        "candidate": _("The candidate, then the target."),
                        "both": _("Both orders: the mean of the two values."),
                    },
                ),
            ),
        ),
        Measure(
            "bertscore",
            "BERTScore",
            _(
                "F1 of the two texts' tokens, each matched with the token of the other text whose"
                " vector in one layer is most like its own [BERTScore]. Tokens have no weights"
                " unless these are chosen, and values are not rescaled."
            ),
            (
                MODEL,
                REVISION,
                Option(
                    "preset",
                    _("Kind of model"),
                    _("What the model was trained for."),
                    "choice",
                    "",
                    BERTSCORE_PRESETS,
                ),
                Option(
                    "layer",
                    _("Layer"),
                    _(
                        "Counted from 1; -1: the last one. What is taken if none is given stands"
                        " with the kind of model."
                    ),
                    "count",
                    0,
                    lowest=-1,
                ),
                Option(
                    "idf",
                    _("Rare tokens count more"),
                    _(
                        "Whether a token in d of the t different texts of all pairs has the weight"
                        " ln((t + 1) / (d + 1)), its inverse document frequency [BERTScore]."
                    ),
                    "flag",
                    default=False,
                ),
            ),
        ),
        Measure(
            "word_vectors",
            _("Word vectors"),
            _(
                "Cosine of the unweighted averages of the two texts' static word vectors. Words"
                " are runs of letters and digits; those that the file lacks do not count."
            ),
            (
                Option(
                    "file",
                    _("File"),
                    _(
                        "A file in word2vec's text or binary format, also compressed by gzip,"
                        " below the folder of models (LIKENESS_MODELS)."
                    ),
                    "file",
                ),
                Option(
                    "lower",
                    _("Lower case"),
                    _("Whether texts are lower-cased before their words are looked up."),
                    "flag",
                    default=False,
                ),
            ),
        ),
    )
}


def _bi_encoders(*names: str) -> tuple[Specification, ...]:
    return tuple(Specification("bi_encoder", {"model": name}) for name in names)


PRESETS: dict[str, Preset] = {
    preset.key: preset
    for preset in (
        Preset(
            "german_bi_encoders",
            _("Bi-encoders that know German"),
            _("Five public sentence encoders, multilingual or German and English."),
            _bi_encoders(
                "T-Systems-onsite/cross-en-de-roberta-sentence-transformer",
                "sentence-transformers/LaBSE",
                "sentence-transformers/distiluse-base-multilingual-cased-v2",
                "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
                "sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
            ),
        ),
        Preset(
            "sas_english",
            _("Semantic answer similarity, English"),
            _("A cross-encoder trained on the STS benchmark."),
            (Specification("cross_encoder", {"model": "cross-encoder/stsb-roberta-large"}),),
        ),
    )
}


def check(specification: Specification) -> Specification:
    """Refuse what cannot be asked for; return the specification with all its defaults.

    Raises
    ------
    ValueError
        If there is no such measure or setting, or a setting is missing or has a wrong value. Its
        argument is a message.
    """
    key = specification.measure
    if lexical := LEXICAL.get(key):
        return Specification(key, lexical.checked(specification.settings))
    if key not in MEASURES:
        raise RequestError(
            _(
                "there is no measure %(given)s; there are %(those)s",
                given=repr(key),
                those=[*LEXICAL, *MEASURES],
            )
        )
    measure = MEASURES[key]
    options = {option.key: option for option in measure.options}
    for name in specification.settings:
        if name not in options:
            raise RequestError(
                _(
                    "%(measure)s has no setting %(given)s; there are: %(those)s",
                    measure=measure.name,
                    given=repr(name),
                    those=list(options),
                )
            )
    settings: dict[str, Setting] = {}
    for option in measure.options:
        value = specification.settings.get(option.key, option.default)
        if value is None:
            raise RequestError(
                _(
                    "%(measure)s needs the setting %(setting)s",
                    measure=measure.name,
                    setting=repr(option.key),
                )
            )
        _check_value(measure, option, value)
        settings[option.key] = value
    if measure.key == "bertscore" and settings["layer"] == 0:
        settings["layer"] = _LAYER_OF_PRESET[str(settings["preset"])]
    if settings.get("context") == "none":
        # They change nothing then, and one measure has one specification.
        settings |= {"turns": 0, "separator": "newline"}
    return Specification(measure.key, settings)


def _check_value(measure: Measure, option: Option, value: Setting) -> None:
    if (wrong := _what_is_wrong(measure, option, value)) is not None:
        raise RequestError(wrong)


def _what_is_wrong(measure: Measure, option: Option, value: Setting) -> Message | None:
    setting, name, given = repr(option.key), measure.name, repr(value)
    if option.kind == "flag":
        if not isinstance(value, bool):
            return _(
                "the setting %(setting)s of %(measure)s is true or false, not %(given)s",
                setting=setting,
                measure=name,
                given=given,
            )
    elif option.kind == "count":
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not option.lowest <= int(value) <= option.highest:
            return _(
                "the setting %(setting)s of %(measure)s is a whole number from %(least)s to"
                " %(most)s, not %(given)s",
                setting=setting,
                measure=name,
                least=option.lowest,
                most=option.highest,
                given=given,
            )
    elif not isinstance(value, str):
        return _(
            "the setting %(setting)s of %(measure)s is a text, not %(given)s",
            setting=setting,
            measure=name,
            given=given,
        )
    elif option.kind == "choice":
        if value not in option.choices:
            return _(
                "the setting %(setting)s of %(measure)s is one of %(those)s, not %(given)s",
                setting=setting,
                measure=name,
                those=[repr(choice) for choice in option.choices],
                given=given,
            )
    elif not value.strip() and option.kind != "text":
        return _("the setting %(setting)s of %(measure)s is empty", setting=setting, measure=name)
    elif len(value) > (LONGEST_TEXT if option.kind == "text" else LONGEST_NAME):
        return _(
            "the setting %(setting)s of %(measure)s is too long", setting=setting, measure=name
        )
    return None
