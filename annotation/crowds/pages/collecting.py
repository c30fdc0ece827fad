"""Step 6: the open link, and how far the collection is."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.answering.services import join_limits
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, page_of, show, study_page, to, user_of
from annotation.core.queries import booklet_rows, progress
from annotation.crowds.forms.arrivals import AnnouncementForm
from annotation.models import Announcement, Booklet, Listing, Study
from annotation.models.kinds import CrowdPlatform, Source
from annotation.monitoring.queries.phase_progress import PhaseProgress, phase_progress
from annotation.studies.pages.open_link import join_url, said_of_link
from annotation.studies.services import studies

RENEWED = _("Created a new invitation code. The old code no longer works.")


def invitation_url(request: HttpRequest, study: Study) -> str:
    """The open link with the code in it."""
    return _link_with(request, study, study.invitation_code)


def class_url(request: HttpRequest, announced: Announcement) -> str:
    """The link to give to a class: the open one with the code of its announcement in it."""
    return _link_with(request, announced.study, announced.code)


def _link_with(request: HttpRequest, study: Study, code: str) -> str:
    return f"{join_url(request, study)}?invitation={code}"


def said_of_announcement(announced: Announcement) -> Said:
    return _("Announced a class of %(n)s people, from %(starts)s to %(ends)s.") % {
        "n": announced.n_people,
        "starts": _minute(announced.starts_at),
        "ends": _minute(announced.ends_at),
    }


def _minute(time: datetime) -> str:
    return f"{timezone.localtime(time):%Y-%m-%d %H:%M}"


def said_of_cancelling(announced: Announcement) -> Said:
    return _("Cancelled the announcement of %(n)s people.") % {"n": announced.n_people}


@study_page
@require_GET
def collect(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, AnnouncementForm())


def _page(
    request: HttpRequest, study: Study, form: AnnouncementForm, *, status: int = 200
) -> HttpResponse:
    return show(
        request,
        study,
        "crowds/collect.html",
        title=_("Links and progress"),
        section="collect",
        status=status,
        link=join_url(request, study),
        joins=join_limits.limit_of(study),
        joins_in_a_day=join_limits.limit_in_a_day(study),
        code=join_limits.code_shown(study),
        code_link=invitation_url(request, study),
        announcements=[
            (announcement, class_url(request, announcement))
            for announcement in join_limits.standing(study)
        ],
        announcing=form,
        panels=study.listings.filter(platform=CrowdPlatform.PANEL, state=Listing.State.PUBLISHED),
        progress=[
            (row, phases, _shown_columns(phases))
            for row in progress.progress(study)
            for phases in [phase_progress(study, row.source)]
        ],
        has_later_phases=study.design.phases.filter(number__gt=1).exists(),
        sends_email=bool(settings.EMAIL_HOST),
        is_finished=study.state == Study.State.FINISHED,
        n_on_roster=study.annotators.filter(source=Source.REAL, person__platform="roster").count(),
    )


def _shown_columns(phases: Sequence[PhaseProgress]) -> dict[str, bool]:
    """Of the columns that few studies have anything in, those that hold something."""
    names = ("n_surplus", "n_unverified", "n_given_up", "n_held", "n_lapsed")
    return {name: any(getattr(phase, name) for phase in phases) for name in names}


@study_page
@require_POST
def switch_link(request: HttpRequest, study: Study) -> HttpResponse:
    """Switch the open link on or off; personal links work either way."""
    wanted = request.POST.get("link_open") == "on"
    if wanted != study.link_open:
        studies.edit(study=study, changes={"link_open": wanted})
        done(request, study, said_of_link(wanted))
    return to(study, "collect")


@study_page
@require_POST
def announce(request: HttpRequest, study: Study) -> HttpResponse:
    """Let a class in that comes from one network."""
    form = AnnouncementForm(request.POST)
    if form.is_valid():
        try:
            announced = join_limits.announce(study=study, by=user_of(request), **form.cleaned_data)
        except AnnotationError as error:
            form.add_error(None, error.message)
        else:
            done(request, study, said_of_announcement(announced))
            return to(study, "collect")
    return _page(request, study, form, status=400)


@study_page
@require_POST
def cancel_announcement(request: HttpRequest, study: Study, announcement_id: int) -> HttpResponse:
    announced = get_object_or_404(study.announcements, pk=announcement_id)
    sentence = said_of_cancelling(announced)
    join_limits.cancel(announcement=announced)
    done(request, study, sentence)
    return to(study, "collect")


@study_page
@require_POST
def renew_code(request: HttpRequest, study: Study) -> HttpResponse:
    join_limits.renew_code(study=study)
    done(request, study, RENEWED)
    return to(study, "collect")


@study_page
@require_GET
def booklets(request: HttpRequest, study: Study) -> HttpResponse:
    page = page_of(
        request,
        Booklet.objects.filter(design__in=progress.current_designs([study]).values()).order_by(
            "number"
        ),
    )
    return show(
        request,
        study,
        "crowds/booklets.html",
        title=_("Booklets"),
        section="collect",
        page=page,
        rows=booklet_rows.booklet_rows(study, page.object_list),
        is_finished=study.state == Study.State.FINISHED,
    )
