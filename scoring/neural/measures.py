"""Every measure that can be asked for: its name, its definition, and what can be set.

Nothing heavy is imported here: pages and commands read this, too. To compute a measure,
give `check` a specification first, which fills in the defaults; `scoring.neural.requests` does
the rest.
"""

from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Setting, Specification
from scoring.neural.contexts import SEPARATORS
from scoring.neural.measure_options import (
    BERTSCORE_PRESETS,
    CONTEXT,
    MODEL,
    REVISION,
    Measure,
    Option,
    Preset,
)
from scoring.neural.models import MAX_NAME_LENGTH
from scoring.neural.refusals import RequestError
from shell.messages import Message
from shell.messages import message as _

MAX_TEXT_LENGTH = 100


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
                        "Counted from 1; -1: the last one. The default depends on the kind of"
                        " model."
                    ),
                    "count",
                    0,
                    lowest=-1,
                ),
                Option(
                    "idf",
                    _("Rare tokens count more"),
                    _(
                        "Weights each token by its inverse document frequency, ln((t + 1) / (d"
                        " + 1)), where d of the t different texts contain it [BERTScore]."
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
                " are runs of letters, digits and underscores; those that the file lacks do not"
                " count."
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
            _("Bi-encoders for German"),
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
    elif len(value) > (MAX_TEXT_LENGTH if option.kind == "text" else MAX_NAME_LENGTH):
        return _(
            "the setting %(setting)s of %(measure)s is too long", setting=setting, measure=name
        )
    return None


def display_name(specification: Specification) -> str:
    """The measure with its settings, as tables show it; different ones differ.

    Raises ValueError as `check` does.
    """
    if lexical := LEXICAL.get(specification.measure):
        return lexical.named(specification.settings)
    checked = check(specification)
    measure, settings = MEASURES[checked.measure], checked.settings
    parts = [f"{measure.name} {settings.get('model') or settings['file']}"]
    if settings.get("revision"):
        parts[0] += f" @{_short(str(settings['revision']))}"
    if settings.get("preset"):
        parts.append(str(settings["preset"]))
    if "layer" in settings:
        parts.append(layer_name(int(settings["layer"])))
    if settings.get("context", "none") != "none":
        turns = int(settings["turns"])
        shown = {0: "context", 1: "1 turn"}.get(turns, f"{turns} turns")
        where = "in front" if settings["context"] == "front" else "in front of the target"
        parts.append(f"{shown} {where}" + _after(str(settings["separator"])))
    if settings.get("activation", "model") != "model":
        parts.append(str(settings["activation"]))
    if settings.get("order", "target") != "target":
        parts.append("both orders" if settings["order"] == "both" else "candidate first")
    if settings.get("idf"):
        parts.append("idf")
    if settings.get("lower"):
        parts.append("lower case")
    return ", ".join(parts)


def layer_name(layer: int) -> str:
    """A layer of a model as names of measures have it."""
    return "last layer" if layer == -1 else f"layer {layer}"


def _after(separator: str) -> str:
    return "" if separator == next(iter(SEPARATORS)) else f" (separated by {separator})"


def _short(revision: str) -> str:
    kind, _colon, digest = revision.rpartition(":")
    return f"{kind}:{digest[:12]}" if kind else revision[:20]
