"""What every annotator's page does before and after its own work.

Finds whose page it is by the key in the path, speaks the study's language, turns a broken rule
into its status and one sentence, and sends the headers of pages whose address is a secret.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, cast

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import Context
from django.template.backends.django import Template as DjangoTemplate
from django.template.base import Template
from django.template.loader import get_template
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from annotation import keys
from annotation.errors import AnnotationError, PhaseNotOpenError, UnknownKeyError
from annotation.languages import spoken_for
from annotation.models import Annotator, Study
from annotation.queries import visitors

View = Callable[..., HttpResponse]

BODY_LIMIT = 128 * 1024
# A form without JavaScript sends all questions of a screen, each with its comment.
SCREEN_BODY_LIMIT = 512 * 1024

_HEADERS = {
    # The address is the key: it must not reach other sites, caches or search engines.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
}


@dataclass(frozen=True)
class Visitor:
    """Somebody who came with their key."""

    annotator: Annotator
    key: str
    personal_url: str

    @property
    def study(self) -> Study:
        return self.annotator.study

    @property
    def code(self) -> str:
        return keys.code_of(self.key)

    @property
    def store(self) -> str:
        """A short name for what their browser keeps; it does not lead back to the key."""
        return keys.key_hash(f"store/{self.key}")[:8]

    def url(self, name: str, *arguments: object) -> str:
        return reverse(f"annotator:{name}", args=[self.key, *arguments])


def annotator_page(*methods: str, limit: int = BODY_LIMIT) -> Callable[[View], View]:
    """Make a view of `(request, visitor | study, ...)` from one whose path has a key or token."""

    def decorate(view: View) -> View:
        def answer(request: HttpRequest, **found: Any) -> HttpResponse:
            try:
                whose = _find(request, found)
                with translation.override(interface_language(whose)):
                    return _answer(request, view, whose, found, methods=methods, limit=limit)
            except AnnotationError as error:
                return problem(request, error.message, status=error.status)

        @csrf_exempt  # the key in the path is the only authority; no cookie is read here
        @wraps(view)
        def page(request: HttpRequest, **found: Any) -> HttpResponse:
            # Converted here and not further out, so that an unexpected error has the headers, too.
            guarded = convert_exception_to_response(lambda r: answer(r, **found))
            response = cast(HttpResponse, guarded(request))
            for name, value in _HEADERS.items():
                response[name] = value
            return response

        return page

    return decorate


def _find(request: HttpRequest, found: dict[str, Any]) -> Visitor | Study | None:
    if key := found.pop("key", None):
        return _visitor(request, key)
    if token := found.pop("join_token", None):
        study = Study.objects.filter(join_token=token).first()
        if study is None or study.is_draft:
            raise no_study()
        return study
    return None


def no_study() -> UnknownKeyError:
    return UnknownKeyError(
        _("There is no study behind this link. Please check that it is complete.")
    )


def _visitor(request: HttpRequest, key: str) -> Visitor:
    annotator = visitors.annotator_of_key(keys.key_hash(key))
    if annotator is None:
        raise UnknownKeyError(
            _(
                "This link is not known. Please check that it is complete,"
                " or ask for a new one where you got it."
            )
        )
    url = request.build_absolute_uri(reverse("annotator:own", args=[key]))
    return Visitor(annotator, key, url)


def _answer(
    request: HttpRequest,
    view: View,
    whose: Visitor | Study | None,
    found: dict[str, Any],
    *,
    methods: tuple[str, ...],
    limit: int,
) -> HttpResponse:
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)
    if request.method not in allowed:
        response = problem(
            request,
            _("This address cannot be opened in that way."),
            status=405,
            whose=whose,
        )
        response["Allow"] = ", ".join(allowed)
        return response
    if _length(request) > limit:
        return problem(
            request,
            _("That is more than fits here. Please shorten your comment and send it again."),
            status=413,
            whose=whose,
        )
    try:
        return view(request, whose, **found) if whose else view(request, **found)
    except AnnotationError as error:
        return problem(
            request,
            error.message,
            status=error.status,
            whose=whose,
            details=error.details,
            opens_at=error.opens_at if isinstance(error, PhaseNotOpenError) else None,
        )


def _length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def interface_language(whose: Visitor | Study | None) -> str:
    """The language of our own words: the study's, where they are translated into it."""
    study = whose.study if isinstance(whose, Visitor) else whose
    if study is None:
        # The browser's, as the middleware found it.
        return translation.get_language()
    return spoken_for(study.language)


def page(
    template: str,
    context: dict[str, Any] | None = None,
    *,
    whose: Visitor | Study | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page as HTML. Rendered without the request: no context processor can touch a session."""
    study = whose.study if isinstance(whose, Visitor) else whose
    everywhere = {
        "study": study,
        "visitor": whose if isinstance(whose, Visitor) else None,
        "page_language": translation.get_language(),
    }
    # Keys and counts are written as they are, without a look at a language's formats each time;
    # what people read as a number of their language goes through a filter, such as `localize`.
    shown = Context({**everywhere, **(context or {})}, use_l10n=False)
    return HttpResponse(_template(template).render(shown), status=status)


def _template(name: str) -> Template:
    """The template without the back end's wrapper, which would make a context of its own."""
    return cast(DjangoTemplate, get_template(name)).template


def problem(
    request: HttpRequest,
    sentence: str,
    *,
    status: int,
    whose: Visitor | Study | None = None,
    details: dict[str, Any] | None = None,
    opens_at: datetime | None = None,
) -> HttpResponse:
    """One sentence, as a page for people or as JSON for the page's own requests."""
    if asks_for_json(request):
        return JsonResponse({"error": sentence, **(details or {})}, status=status)
    context = {"sentence": sentence, "opens_at": opens_at}
    return page("annotator/problem.html", context, whose=whose, status=status)


def asks_for_json(request: HttpRequest) -> bool:
    """Whether a script asked, and not a browser on its way to a page."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def see_other(url: str) -> HttpResponse:
    """303: whatever was sent, the next page is fetched with GET."""
    return HttpResponse(status=303, headers={"Location": url})
