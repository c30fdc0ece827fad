"""Who answered: pseudonyms, never keys; leaving somebody out of the scores, with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods

from annotation.answering.services import phases
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    page_of,
    show,
    study_page,
    to,
    user_of,
)
from annotation.core.pages.navigation import Text
from annotation.kinds.queries import check_answers
from annotation.kinds.registry import kind_of
from annotation.models import Exclusion, Job, PhaseRun, Study
from annotation.people.queries import people as queries
from annotation.people.queries import people_by_answer, people_order


@study_page
@require_GET
def people(request: HttpRequest, study: Study) -> HttpResponse:
    of_people = kind_of(study).people
    simulated = request.GET.get("population") == "simulated"
    agreement = queries.agreement_range(study, simulated=simulated)
    # A person who agrees least comes first, flagged or not.
    usual_sort = "agreement" if agreement else "arrival"
    sort = request.GET.get("sort", usual_sort)
    sort = sort if sort.removeprefix("-") in people_order.SORTS else usual_sort
    shown = request.GET.get("show", "all")
    shown = shown if shown in people_order.SHOWN else "all"
    together = people_order.number_in(request.GET.get("together", ""))
    answers = people_by_answer.options(study)
    answer = request.GET.get("answer", "")
    answer = answer if answer in dict(answers) else ""
    in_order = people_order.in_order(
        study, simulated=simulated, show=shown, sort=sort, together=together, answer=answer
    )
    page = page_of(request, in_order)
    rows = queries.person_rows(study, people_order.of_page(study, list(page.object_list)))
    n_simulated = people_order.annotators(study, simulated=True).count()
    query = {"population": "simulated"} if simulated else {}
    if together is not None:
        query["together"] = str(together)
    if answer:
        query["answer"] = answer
    of_list = {
        **query,
        **({"show": shown} if shown != "all" else {}),
        **({"sort": sort} if sort != usual_sort else {}),
    }
    return show(
        request,
        study,
        "people/people.html",
        title=_("People"),
        section="people",
        page=page,
        rows=rows,
        columns=_columns(study, rows, sort=sort, filters={**query, "show": shown}),
        filters=_filters(study, simulated=simulated, query=query, shown=shown),
        is_filtered=shown != "all" or together is not None or bool(answer),
        answers=answers,
        answer=answer,
        together=together,
        show_held=shown == "held",
        query=urlencode(of_list),
        undo=_to_undo(request, study),
        can_exclude=any(row.can_be_chosen and not row.exclusion for row in rows),
        can_include=any(row.can_be_chosen and row.exclusion for row in rows),
        can_count=any(row.can_be_chosen and row.is_held for row in rows),
        can_compare_flagged=_has(study, "flagged", simulated=simulated),
        can_compare_excluded=_has(study, "excluded", simulated=simulated),
        compared=_last_comparison(study),
        compares_people=of_people.compares_people,
        agreement_explained=of_people.agreement_explained,
        has_flags=any(row.flags for row in rows),
        among_few=(
            of_people.among_few_people
            if agreement and shown == "all" and page.paginator.count <= of_people.few_people
            else ""
        ),
        agreement=agreement,
        has_checks=any(row.checks for row in rows),
        checks=check_answers.summary(study, "simulated" if simulated else "people"),
        simulated=simulated,
        n_simulated=n_simulated,
    )


@dataclass(frozen=True)
class Column:
    """A heading of the table; one that sorts has the query of the next press."""

    label: Text
    query: str = ""
    direction: str = ""


def _columns(
    study: Study, rows: Sequence[queries.PersonRow], *, sort: str, filters: dict[str, str]
) -> list[Column]:
    def sorting(label: Text, name: str) -> Column:
        up, down = sort == name, sort == f"-{name}"
        query = urlencode({**filters, "sort": f"-{name}" if up else name})
        return Column(label, query, "ascending" if up else "descending" if down else "")

    has_checks = any(row.checks for row in rows)
    return [
        sorting(_("Pseudonym"), "pseudonym"),
        Column(_("Answers from")),
        Column(_("State")),
        Column(_("Booklet no.")),
        sorting(_("Answered"), "answered"),
        sorting(_("Median seconds per question"), "seconds"),
        Column(_("Hours worked")),
        sorting(kind_of(study).people.agreement_name, "agreement"),
        *([Column(_("Checks"))] if has_checks else []),
        sorting(_("Last active"), "active"),
        Column(_("Exclude or include")),
    ]


def _filters(
    study: Study, *, simulated: bool, query: dict[str, str], shown: str
) -> list[tuple[Text, int, str, bool]]:
    """Label, how many there are, the query that shows them, whether they are shown now."""
    names = {
        "all": _("all"),
        "flagged": _("flagged"),
        "held": _("held for review"),
        "excluded": _("excluded"),
        "counted": _("in the scores"),
    }
    return [
        (
            label,
            people_order.n_shown(
                study,
                simulated=simulated,
                show=name,
                together=people_order.number_in(query.get("together", "")),
            ),
            urlencode({**query, "show": name}),
            name == shown,
        )
        for name, label in names.items()
    ]


def _has(study: Study, group: str, *, simulated: bool) -> bool:
    """Whether anybody is in a group who could be chosen."""
    people = people_order.shown(study, simulated=simulated, show=group)
    return people.filter(withdrawn_at=None).exists()


def _to_undo(request: HttpRequest, study: Study) -> list[Exclusion]:
    """What was excluded a moment ago and stands: the page says so, and offers to take it back."""
    keys = request.GET.get("undo", "")[:2000].split(".")
    pks = [int(key) for key in keys if key.isdecimal() and len(key) < 19]
    return list(
        Exclusion.objects.in_force()
        .filter(pk__in=pks, annotator__study=study)
        .select_related("annotator")
        .order_by("pk")
    )


def _last_comparison(study: Study) -> Job | None:
    """The latest that can still be looked at."""
    done = study.jobs.filter(kind=Job.Kind.COMPARE, figures__isnull=False)
    return done.order_by("-pk").defer("figures").first()


@study_page
@require_http_methods(["GET", "POST"])
def open_phase(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Open a phase for one person before its time, or once more after it."""
    run = get_object_or_404(
        PhaseRun.objects.select_related("phase", "assignment__annotator"),
        pk=run_id,
        assignment__annotator__study=study,
    )
    problem, reason = "", ""
    who, number = run.assignment.annotator, run.phase.number
    if request.method == "POST":
        reason = request.POST.get("reason", "")
        try:
            phases.open_now(run=run, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            done(request, study, said_of_opening(run, reason))
            return to(study, "people")
    response = confirm(
        request,
        study,
        Confirmation(
            title=_("Open phase %(n)s for %(who)s now?") % {"n": number, "who": who},
            consequences=[
                _("This person can start immediately. The pause of all others stays the same."),
                _(
                    "The export contains the actual pause in hours and your reason. The person "
                    "can read it."
                ),
                _("Likeness does not notify the person. Please write to them yourself."),
            ],
            button=_("Open now"),
        ),
        back="people",
        section="people",
        asks_reason=True,
        reason=reason,
        problem=problem,
    )
    if problem:
        response.status_code = 400
    return response


def said_of_opening(run: PhaseRun, reason: str) -> Said:
    return _("Opened phase %(n)s for %(who)s: %(reason)s") % {
        "n": run.phase.number,
        "who": run.assignment.annotator,
        "reason": reason.strip(),
    }
