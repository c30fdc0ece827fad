"""A file of items for each study: small, of our own writing, and ready to be imported."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.basics.scale import Scale, plain
from annotation.kinds.examples import ExampleFile
from annotation.kinds.registry import kind_of
from annotation.models import Study

LANGUAGES = ("en", "de")


@dataclass(frozen=True)
class ExampleNumbers:
    """Values that examples on pages give to pairs, as files write them."""

    low: str = "0"
    high: str = "6"
    tolerance: str = "1"


def numbers_of(study: Study) -> ExampleNumbers:
    """Numbers of the study's own scale, so that what is shown can be imported."""
    if not study.scale:
        return ExampleNumbers()
    scale = Scale.of(study.scale)
    # Of two points neither may be right in the place of the other.
    tolerance = scale.step if scale.n_points > 2 else Decimal(0)
    return ExampleNumbers(plain(scale.low), plain(scale.high), plain(tolerance))


def example_of(study: Study) -> ExampleFile:
    """What a file for this study may look like, in its language or else in English."""
    base = study.language.split("-", maxsplit=1)[0].lower()
    return kind_of(study).items.example(study, base if base in LANGUAGES else "en")
