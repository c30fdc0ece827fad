"""Step 6: the open link, and how far the collection is."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotation.admin.pages import done, page_of, show, study_page, to
from annotation.models import Booklet, Study
from annotation.models.kinds import Source
from annotation.queries import progress
from annotation.queries.phase_progress import phase_progress
from annotation.sentences import Said
from annotation.sentences import sentence as _
from annotation.services import studies


def join_url(request: HttpRequest, study: Study) -> str:
    return request.build_absolute_uri(reverse("annotator:join", args=[study.join_token]))


def said_of_link(is_open: bool) -> Said:
    return _("The open link is on.") if is_open else _("The open link is off.")


@study_page
@require_GET
def collect(request: HttpRequest, study: Study) -> HttpResponse:
    return show(
        request,
        study,
        "collect.html",
        title=_("Collect"),
        section="collect",
        link=join_url(request, study),
        progress=[(of, phase_progress(study, of.source)) for of in progress.progress(study)],
        is_finished=study.state == Study.State.FINISHED,
        n_on_roster=study.annotators.filter(source=Source.REAL, person__platform="roster").count(),
    )


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
        "booklets.html",
        title=_("Booklets"),
        section="collect",
        page=page,
        rows=progress.booklet_rows(study, page.object_list),
        is_finished=study.state == Study.State.FINISHED,
    )
