"""What has changed since a result was computed."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers, relabellings
from annotation.core.queries.counted_answers import Basis, Population
from annotation.kinds.registry import kind_of
from annotation.models import Result, Study


def since(result: Result, population: Population) -> Said:
    """What has changed since the result was computed; empty if nothing has."""
    return since_of(result, population, counted_answers.basis(result.design, population))


def since_of(result: Result, population: Population, counted: Basis) -> Said:
    """The same for answers that were counted before."""
    return _since(result, population, counted, relabellings.n_splitting, _other_sources)


def since_each(results: Sequence[tuple[Result, Population]]) -> list[Said]:
    """The same for many results; a few queries for each design and population."""
    n_splitting = cache(relabellings.n_splitting)
    basis = cache(counted_answers.basis)
    other_sources = cache(_other_sources)
    return [
        _since(result, population, basis(result.design, population), n_splitting, other_sources)
        for result, population in results
    ]


def _since(
    result: Result,
    population: Population,
    now: Basis,
    n_splitting: Callable[[Study], int],
    other_sources: Callable[[Study, Population], list[Any]],
) -> Said:
    if not now.is_of(result):
        return _since_answers(now.n_judgments - result.n_judgments)
    if n_splitting(result.study) != relabellings.n_splitting_then(result):
        return _("Domains, sources or intended classes have since been changed.")
    if result.parameters.get("other_sources", []) != other_sources(result.study, population):
        return kind_of(result.study).results.other_sources_changed
    return ""


def _since_answers(n_more: int) -> Said:
    if n_more > 0:
        sentence = ngettext(
            "%(n)s answer has come in since.", "%(n)s answers have come in since.", n_more
        )
        return sentence % {"n": n_more}
    if n_more < 0:
        sentence = ngettext(
            "%(n)s answer has since been excluded or withdrawn.",
            "%(n)s answers have since been excluded or withdrawn.",
            -n_more,
        )
        return sentence % {"n": -n_more}
    return _("Other answers count now than when this was computed.")


def _other_sources(study: Study, population: Population) -> list[Any]:
    return kind_of(study).results.other_sources(study, population)
