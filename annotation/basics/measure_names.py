"""Names of measures as pages show them: descriptions are translated, published names stay."""

from functools import cache
from itertools import product

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.sentences import in_words
from scoring import baselines
from shell.messages import Message

_STAGES: dict[str, str | Promise] = {"none": gettext_lazy("none"), "wordnet": "WordNet"}


def stage_name(key: str) -> str:
    """A stemmer or a source of synonyms as people write it: German, Porter, WordNet."""
    # Django's own catalogue has the names of languages.
    return str(_STAGES.get(key) or _(key.capitalize()))


def shown_name(name: str) -> str:
    """The stored name of a measure in the active language; an uploaded one stays as it is."""
    if name in _described():
        return in_words(_described()[name])
    if name not in _meteors():
        return name
    stemmer, synonyms = _meteors()[name]
    stages = [_("exact")]
    if stemmer != "none":
        stages.append(_("%(stemmer)s stem") % {"stemmer": stage_name(stemmer)})
    if synonyms != "none":
        stages.append(stage_name(synonyms))
    return f"METEOR ({', '.join(stages)})"


@cache
def _described() -> dict[str, Message]:
    names = [measure.name for measure in baselines.LEXICAL.values()]
    return {str(name): name for name in names if isinstance(name, Message)}


@cache
def _meteors() -> dict[str, tuple[str, str]]:
    """The stages of METEOR by the name that says them."""
    settings = baselines.LEXICAL["meteor"].settings
    stages = product(settings["stemmer"], settings["synonyms"])
    return {baselines.meteor_name(*of_name): of_name for of_name in stages}
