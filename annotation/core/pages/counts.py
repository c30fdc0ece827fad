"""Numbers with their nouns, as sentences of the pages use them."""

from django.utils.translation import ngettext

from annotation.basics.numbers import grouped


def items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": grouped(n)}


def incidents(n: int) -> str:
    return ngettext("%(n)s incident", "%(n)s incidents", n) % {"n": grouped(n)}


def dialogues(n: int) -> str:
    return ngettext("%(n)s dialogue", "%(n)s dialogues", n) % {"n": grouped(n)}


def tuples(n: int) -> str:
    return ngettext("%(n)s tuple", "%(n)s tuples", n) % {"n": grouped(n)}


def booklets(n: int) -> str:
    return ngettext("%(n)s booklet", "%(n)s booklets", n) % {"n": grouped(n)}


def questions(n: int) -> str:
    return ngettext("%(n)s question", "%(n)s questions", n) % {"n": grouped(n)}


def people(n: int) -> str:
    return ngettext("%(n)s person", "%(n)s people", n) % {"n": grouped(n)}


def places(n: int) -> str:
    return ngettext("%(n)s place", "%(n)s places", n) % {"n": grouped(n)}


def answers(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": grouped(n)}
