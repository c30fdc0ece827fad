"""What is stored about somebody, for themselves: by their own key, to be read and to be kept."""

from collections.abc import Callable, Iterator

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from annotation.answering import exports as files
from annotation.answering.pages.frame import Visitor, annotator_page, page
from annotation.answering.queries import own_data
from annotation.answering.services import visits
from annotation.answering.services.assignments import SITTING_OVER
from annotation.basics import keys
from annotation.basics.errors import AssignmentClosedError, UnknownKeyError
from annotation.basics.sentences import sentence as _
from annotation.core.services import throttle
from annotation.models import Annotator, Visit
from annotation.models.kinds import CrowdPlatform

ANSWERS_PER_PAGE = 20
# A person who loses a file fetches it again; a program that fetches it all day is stopped.
DOWNLOADS_PER_HOUR = 20

_FILES: dict[str, tuple[str, str, Callable[[Annotator, Visit | None], Iterator[bytes]]]] = {
    "json": ("my-data.json", "application/json", files.as_json),
    "tsv": ("my-answers.tsv", "text/tab-separated-values; charset=utf-8", files.tsv),
}


@annotator_page("GET", after=True)
def stored(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    _refuse_closed(visitor)
    rows = own_data.ready(own_data.answers_of(visitor.annotator, visitor.visit), visitor.study)
    shown = Paginator(rows, ANSWERS_PER_PAGE).get_page(request.GET.get("page"))
    summary = own_data.stored(visitor.annotator, visitor.visit)
    labels = dict(CrowdPlatform.choices)
    context = {
        "stored": summary,
        "platform": labels.get(summary.platform, ""),
        "page": shown,
        "answers": own_data.read(list(shown.object_list), visitor.study),
        "n_days_of_addresses": settings.ACCESS_LOG_ADDRESS_DAYS,
    }
    return page("answering/stored.html", context, whose=visitor)


@annotator_page("POST", after=True)
def download(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The same as a file. By POST: it is counted, and looking writes nothing."""
    _refuse_closed(visitor)
    if (wanted := _FILES.get(request.POST.get("file", ""))) is None:
        raise UnknownKeyError(_("There is no such file."))
    throttle.count_try(
        bucket=f"own-data/{keys.key_hash(visitor.key)[:32]}", limit=DOWNLOADS_PER_HOUR, minutes=60
    )
    name, content_type, write = wanted
    response = StreamingHttpResponse(
        write(visitor.annotator, visitor.visit), content_type=content_type
    )
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response  # type: ignore[return-value] # headers are all that is done to it further out


def _refuse_closed(visitor: Visitor) -> None:
    """Another's launch may have gone on with this sitting: then it is not theirs to look at."""
    if visitor.visit and not visits.is_theirs(visitor.visit):
        raise AssignmentClosedError(SITTING_OVER)
