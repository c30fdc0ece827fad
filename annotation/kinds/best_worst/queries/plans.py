"""What the numbers of a design lead to, before it is made."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import grouped
from annotation.kinds.best_worst.queries.pool_sizes import refusal
from annotation.kinds.design_parameters import BestWorstParameters, ImpossibleParametersError
from annotation.kinds.services.check_rows import checks_of
from annotation.models import Design, ItemTuple, Member, Pool, Study
from tuples import ImpossibleDesignError, count_tuples, max_factor, min_items

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


def warnings(design: Design) -> list[str]:
    """What of a design that was made keeps items from being scored or compared."""
    certificate = design.certificate or {}
    messages = []
    if certificate.get("appearances_min") == 0:
        # Each item looks for one of its tuples, of which there may be a million. Joined, SQLite
        # would look through all tuples for each item.
        of_design = ItemTuple.objects.filter(pk=OuterRef("tuple"), design=design)
        shown = Member.objects.filter(Exists(of_design), item=OuterRef("pk"))
        n = design.study.items.without_checks().filter(~Exists(shown)).count()
        if n:
            messages.append(
                ngettext(
                    "%(n)s item appears in no tuple and will have no score.",
                    "%(n)s items appear in no tuple and will have no score.",
                    n,
                )
                % {"n": grouped(n)}
            )
    n_pools = certificate.get("n_pools", 0)
    n = n_pools - certificate.get("n_pools_connected", n_pools)
    if n and n_pools == 1:
        messages.append(_("Not all items can be compared with one another."))
    elif n:
        messages.append(
            ngettext(
                "In %(n)s pool not all items can be compared with one another.",
                "In %(n)s pools not all items can be compared with one another.",
                n,
            )
            % {"n": grouped(n)}
        )
    return messages


class _Size(TypedDict):
    n: int


@dataclass(frozen=True)
class Plan:
    """Counts that follow from the items and the numbers alone."""

    n_items: int
    n_pools: int
    n_tuples: int
    n_booklets: int
    questions_per_booklet: int
    n_places: int
    n_answers: int
    # Checks that every booklet has in addition to its questions.
    n_checks: int = 0


def plan(study: Study, parameters: BestWorstParameters) -> Plan:
    """Count what a design would have.

    Raises ImpossibleParametersError with the reason and the nearest numbers that work.
    """
    parameters.check()
    pools = list(_pools(study).order_by("number").values_list("n", "key", "context_id"))
    sizes = Counter(n for n, _key, _context in pools)
    checks = checks_of(study, parameters.n_checks)
    total = 0
    for size, n_pools in sorted(sizes.items()):
        try:
            total += n_pools * count_tuples(size, parameters.tuple_size, parameters.factor)
        except ImpossibleDesignError as error:
            key, context = next((key, context) for n, key, context in pools if n == size)
            raise ImpossibleParametersError(
                refusal(
                    error,
                    parameters,
                    key=key,
                    n_items=size,
                    is_dialogue=context is not None,
                ),
                _field_at_fault(sizes, parameters),
            ) from error
    screens = -(-total // parameters.questions_per_screen)
    n_booklets = -(-screens // parameters.screens_per_booklet)
    return Plan(
        n_items=sum(size * n for size, n in sizes.items()),
        n_pools=sum(sizes.values()),
        n_tuples=total,
        n_booklets=n_booklets,
        questions_per_booklet=-(-total // n_booklets) if n_booklets else 0,
        n_places=n_booklets * parameters.annotations_per_tuple,
        n_answers=total * parameters.annotations_per_tuple,
        n_checks=checks.n_in_booklet,
    )


def with_fitting_factor(study: Study, parameters: BestWorstParameters) -> BestWorstParameters:
    """The numbers, with a smaller factor if no pool has enough items for the given one.

    If only some pools are too small, somebody has to decide: a smaller factor is for all of them.
    """
    sizes = [*_pools(study).values_list("n", flat=True)]
    size, factor = parameters.tuple_size, parameters.factor
    if not sizes or min(sizes) < size or max(sizes) >= min_items(size, factor):
        return parameters
    return replace(parameters, factor=float(max_factor(min(sizes), size)))


def _field_at_fault(sizes: Iterable[int], parameters: BestWorstParameters) -> str:
    """Which of the numbers to mend where they are impossible: k or the factor."""
    return "tuple_size" if min(sizes) < parameters.tuple_size else "factor"


def _pools(study: Study) -> "QuerySet[WithAnnotations[Pool, _Size]]":
    """What is compared, each with its number of items `n`; checks are not among them."""
    pools = study.pools.filter(known_answer=None)
    return pools.annotate(n=Count("items")).filter(n__gt=0)
