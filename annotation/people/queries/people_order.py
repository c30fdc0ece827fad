"""Which of a study's people a table shows, and in which order; whom somebody has chosen there."""

from django.db.models import Exists, F, Max, OuterRef, QuerySet, Subquery
from django.http import QueryDict

from annotation.core.queries import median_times, run_sums
from annotation.core.queries.counted_answers import counted_judgments
from annotation.models import (
    Annotator,
    AnnotatorStatistics,
    Arrival,
    Exclusion,
    PhaseRun,
    Study,
)
from annotation.models.kinds import Source
from annotation.people.queries import people_by_answer

# By what the table sorts; what does not say something of everybody puts the others last.
SORTS = ("arrival", "pseudonym", "answered", "seconds", "agreement", "active")
SHOWN = ("all", "flagged", "held", "excluded", "counted")


def annotators(study: Study, *, simulated: bool) -> QuerySet[Annotator]:
    """Simulated people, or everybody else, in the order in which they came."""
    everybody = study.annotators.select_related("person").order_by("pk")
    if simulated:
        return everybody.filter(source=Source.SIMULATED)
    return everybody.exclude(source=Source.SIMULATED)


def shown(study: Study, *, simulated: bool, show: str) -> QuerySet[Annotator]:
    """All, or those flagged in the latest result, excluded now, or whose answers are scored."""
    everybody = annotators(study, simulated=simulated)
    is_excluded = Exists(Exclusion.objects.in_force().filter(annotator=OuterRef("pk")))
    match show:
        case "flagged":
            flagged = _latest(study, simulated=simulated).exclude(flags=[])
            return everybody.filter(Exists(flagged.filter(annotator=OuterRef("pk"))))
        case "held":
            held = PhaseRun.objects.filter(assignment__annotator=OuterRef("pk"), is_held=True)
            return everybody.filter(Exists(held), ~is_excluded, withdrawn_at=None)
        case "excluded":
            return everybody.filter(is_excluded)
        case "counted":
            counted = counted_judgments(study, "simulated" if simulated else "people")
            # In no order: that would be sorted anew for each of them.
            theirs = counted.order_by().filter(assignment__annotator=OuterRef("pk"))
            return everybody.filter(Exists(theirs))
        case _:
            return everybody


def together_with(study: Study, annotator: int) -> QuerySet[Annotator]:
    """Everybody who came from the same network as somebody, in the order in which they came."""
    theirs = Arrival.objects.filter(
        assignment__annotator=annotator, assignment__annotator__study=study
    ).exclude(group="")
    together = Arrival.objects.filter(
        assignment__annotator__study=study, group__in=theirs.values("group")
    )
    return annotators(study, simulated=False).filter(
        pk__in=together.values("assignment__annotator")
    )


def n_shown(study: Study, *, simulated: bool, show: str, together: int | None = None) -> int:
    """How many there are of whom `in_order` has the keys."""
    return _near(study, shown(study, simulated=simulated, show=show), together).count()


def _near(study: Study, people: QuerySet[Annotator], together: int | None) -> QuerySet[Annotator]:
    """Only those who came from the network of somebody, if one is named."""
    if together is None:
        return people
    return people.filter(pk__in=together_with(study, together).values("pk"))


def in_order(
    study: Study,
    *,
    simulated: bool,
    show: str,
    sort: str,
    together: int | None = None,
    answer: str = "",
) -> list[int]:
    """Their primary keys, by `sort`, a name of `SORTS` with a minus for the other way round.

    `together`: only those who came from the network of this person; `answer`: only those who
    chose it, as `people_by_answer.options` names it.
    """
    annotators = _near(study, shown(study, simulated=simulated, show=show), together)
    if answer:
        annotators = annotators.filter(pk__in=people_by_answer.who(study, answer))
    by, is_down = sort.removeprefix("-"), sort.startswith("-")
    if by == "pseudonym":
        return list(
            annotators.order_by("-pseudonym" if is_down else "pseudonym").values_list(
                "pk", flat=True
            )
        )
    if by == "seconds":
        times = median_times.median_seconds(annotators.order_by().values("pk"))
        pks = list(annotators.values_list("pk", flat=True))
        known = sorted((pk for pk in pks if pk in times), key=times.__getitem__, reverse=is_down)
        return [*known, *(pk for pk in pks if pk not in times)]
    if by == "answered":
        runs = PhaseRun.objects.filter(assignment__annotator__in=annotators.order_by())
        n_answers = run_sums.n_answers_by("assignment__annotator", runs)
        pks = list(annotators.order_by("pk").values_list("pk", flat=True))
        return sorted(pks, key=n_answers.__getitem__, reverse=is_down)
    if by == "agreement":
        latest = _latest(study, simulated=simulated).filter(annotator=OuterRef("pk"))
        annotators = annotators.annotate(of=Subquery(latest.values("compliance")[:1]))
    elif by == "active":
        annotators = annotators.annotate(of=Max("assignments__last_active_at"))
    else:
        pks = list(annotators.values_list("pk", flat=True))
        return pks[::-1] if is_down else pks
    order = F("of").desc(nulls_last=True) if is_down else F("of").asc(nulls_last=True)
    return list(annotators.order_by(order, "pk").values_list("pk", flat=True))


def of_page(study: Study, pks: list[int]) -> list[Annotator]:
    """These people, in this order."""
    annotators = study.annotators.select_related("person").in_bulk(pks)
    return [annotators[pk] for pk in pks if pk in annotators]


def number_in(text: str) -> int | None:
    """A primary key in an address, if it is one."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def chosen(study: Study, data: QueryDict) -> list[Annotator]:
    """The people ticked in the table, or all of one of its groups; nobody who has withdrawn."""
    simulated = data.get("population") == "simulated"
    group = data.get("group", "")
    if group in {"flagged", "excluded", "held"}:
        annotators = shown(study, simulated=simulated, show=group)
        if (together := number_in(data.get("together", ""))) is not None:
            annotators = annotators.filter(pk__in=together_with(study, together).values("pk"))
    elif group == "answer":
        theirs = people_by_answer.who(study, data.get("answer", ""))
        annotators = study.annotators.filter(pk__in=theirs).order_by("pk")
    elif group == "together":
        annotators = together_with(study, number_in(data.get("together", "")) or 0)
    else:
        pks = [int(pk) for pk in data.getlist("who") if pk.isdecimal() and len(pk) < 19]
        annotators = study.annotators.filter(pk__in=pks).order_by("pk")
    return list(annotators.filter(withdrawn_at=None))


def _latest(study: Study, *, simulated: bool) -> QuerySet[AnnotatorStatistics]:
    results = study.results.filter(population="simulated" if simulated else "people")
    return AnnotatorStatistics.objects.filter(result__in=results.order_by("-pk").values("pk")[:1])
