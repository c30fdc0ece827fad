"""Between two phases: when the next one opens, a file for the calendar, a reminder by e-mail."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.answering.forms import ReminderForm, problem_with
from annotation.answering.pages import outcome
from annotation.answering.pages.frame import Visitor, annotator_page, page, see_other
from annotation.answering.services import phases, reminders
from annotation.basics import clock
from annotation.basics.calendar_file import opening
from annotation.basics.errors import AssignmentClosedError
from annotation.models import Phase, PhaseRun


def shut_page(visitor: Visitor, run: PhaseRun, *, status: int = 200) -> HttpResponse | None:
    """The page of somebody whose phase is not open; nothing if it is."""
    if visitor.visit:
        return outcome.shut_page(visitor, run, status=status)
    if clock.now() < run.opens_at:
        return _waiting_page(visitor, run, status=status)
    if phases.is_over(run):
        return page("answering/over.html", {"run": run}, whose=visitor, status=status)
    return None


def opened_page(visitor: Visitor, run: PhaseRun) -> HttpResponse:
    """What somebody sees who comes back in time: how the next phase differs, and its beginning."""
    return page("answering/opened.html", _about(run), whose=visitor)


def _about(run: PhaseRun) -> dict[str, object]:
    is_dependent = run.phase.condition == Phase.Condition.DEPENDENT
    return {"run": run, "number": run.phase.number, "is_in_context": is_dependent}


def _waiting_page(
    visitor: Visitor, run: PhaseRun, *, error: str = "", typed: str = "", status: int = 200
) -> HttpResponse:
    left = run.opens_at - clock.now()
    context = {
        **_about(run),
        "milliseconds_left": int(left.total_seconds() * 1000),
        "sends_email": bool(settings.EMAIL_HOST),
        "error": error,
        "typed": typed,
    }
    return page("answering/waiting.html", context, whose=visitor, status=status)


def _waiting_run(visitor: Visitor) -> PhaseRun | None:
    """The phase that somebody waits for, if they do; a sitting on a platform has an end."""
    if visitor.visit:
        return None
    run = visitor.run
    if visitor.annotator.withdrawn_at or run is None or clock.now() >= run.opens_at:
        return None
    return run


@annotator_page("GET")
def calendar(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The opening as an entry for a calendar. It leads to the study, and holds no key."""
    run = _waiting_run(visitor)
    if run is None:
        return see_other(visitor.url("own"))
    study = visitor.study
    way_back = request.build_absolute_uri(reverse("annotator:return", args=[study.join_token]))
    entry = opening(
        uid=f"phase-{run.pk}@{request.get_host()}",
        made_at=clock.now(),
        opens_at=run.opens_at,
        title=_("%(study)s: the next part is open") % {"study": study.title},
        description=_(
            "Please open your personal page in the browser you used before, or enter "
            "your code at %(address)s"
        )
        % {"address": way_back},
        address=way_back,
    )
    response = HttpResponse(entry, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="next-part.ics"'
    return response


@annotator_page("POST")
def remind(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Take an address to write to when the phase opens, or forget it again."""
    run = _waiting_run(visitor)
    if run is None:
        raise AssignmentClosedError(_("There is nothing left to remind you of."))
    form = ReminderForm(request.POST)
    if not form.is_valid():
        return _waiting_page(
            visitor,
            run,
            error=problem_with(form, "email"),
            typed=request.POST.get("email", ""),
            status=400,
        )
    study = visitor.study
    way_back = request.build_absolute_uri(reverse("annotator:return", args=[study.join_token]))
    reminders.remember(run=run, email=form.cleaned_data["email"], way_back=way_back)
    return see_other(visitor.url("own"))
