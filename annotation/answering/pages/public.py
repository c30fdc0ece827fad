"""Pages without a key: welcome, health, robots, and addresses that do not exist."""

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from annotation.answering.pages.frame import annotator_page, page
from annotation.basics.errors import UnknownKeyError
from annotation.models import WorkerMark


@annotator_page("GET")
def home(request: HttpRequest) -> HttpResponse:
    return page("answering/home.html")


@annotator_page("GET")
def health(request: HttpRequest) -> HttpResponse:
    """Says that the web server answers, and that its database does and has tables."""
    problem, status = "ok", 200
    try:
        connection.ensure_connection()
    except Error:
        problem, status = "no-database", 503
    else:
        try:
            # Two rows at most, and workers alone change them.
            WorkerMark.objects.exists()
        except Error:
            # An old connection may only now turn out to be dead.
            problem = "no-tables" if connection.is_usable() else "no-database"
            status = 503
    return HttpResponse(f"{problem}\n", status=status, content_type="text/plain")


@annotator_page("GET")
def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain")


@annotator_page("GET", "POST")
def nowhere(request: HttpRequest, rest: str) -> HttpResponse:
    """Any other address below /a/ or /j/: it may hold a key, so it has the same headers."""
    if request.method == "GET" and not rest.endswith("/"):
        # A link that lost its last character on the way.
        return HttpResponseRedirect(f"{request.path}/")
    raise UnknownKeyError(_("There is no such page. Please check that the link is complete."))
