"""What annotators wrote beside their answers, on one list: read before it is published."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import page_of, show, study_page
from annotation.core.queries import comments as queries
from annotation.models import Study

_SHOWN = (
    "comment",
    "assignment__annotator__pseudonym",
    "assignment__booklet__number",
    "question__screen",
)


@study_page
@require_GET
def comments(request: HttpRequest, study: Study) -> HttpResponse:
    """Every comment that a release could publish; a link on each leads to blanking it."""
    return show(
        request,
        study,
        "people/comments.html",
        title=_("Comments of annotators"),
        section="releases",
        # All are sorted to show some of them: whole rows would be most of that work.
        page=page_of(request, queries.comments(study).only(*_SHOWN)),
    )
