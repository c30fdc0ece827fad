from .lexical import LEXICAL
from .pairs import Pair
from .specification import Specification
from .translation import meteor_name

__all__ = ["LEXICAL", "Pair", "Specification", "meteor_name"]
