"""What every annotator's page does before and after its own work.

Finds whose page it is by the key in the path, speaks the study's language, turns a broken rule
into its status and one sentence, and sends the headers of pages whose address is a secret.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

from csp.constants import SELF
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

from annotation.answering.queries import visitors
from annotation.answering.services import visits
from annotation.answering.services.assignments import SITTING_OVER
from annotation.answering.services.phases import SENT
from annotation.basics import keys
from annotation.basics.errors import (
    AnnotationError,
    FormUsedError,
    NoPlaceError,
    PhaseNotOpenError,
    UnknownKeyError,
)
from annotation.basics.languages import spoken_for
from annotation.core.pages.negotiation import asks_for_json
from annotation.core.platforms import platform_of
from annotation.models import Annotator, Assignment, Listing, PhaseRun, Study, Visit
from config.bodies import BODY_LIMIT, REFUSED, WRONG_TYPE

View = Callable[..., HttpResponse]

_HEADERS = {
    # The address is the key: it must not reach other sites, caches or search engines.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
}


@dataclass(frozen=True)
class Visitor:
    """Somebody who came with their key, or with that of a sitting on a platform.

    Who claimed nothing in such a sitting is an annotator without a row.
    """

    annotator: Annotator
    key: str
    personal_url: str
    # The phase they are in, or nothing before they agreed; of a sitting what it is for.
    run: PhaseRun | None
    visit: Visit | None = None
    # Whether the study has checks of whose answers people are told.
    has_told_checks: bool = False
    n_phases: int = 0

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

    @property
    def shows_code(self) -> bool:
        """Whether they come back by link and code: a platform leads back who names sittings."""
        return self.visit is None or not self.visit.submission_id

    @property
    def remembered(self) -> str:
        """Under which name their browser keeps the way back; empty: it does not."""
        if self.visit is None:
            return store_of(self.study)
        if not self.shows_code or self.visit.listing is None or self.visit.person is None:
            return ""
        return store_of(self.visit.listing, self.visit.person.platform_id)

    @property
    def may_withdraw(self) -> bool:
        """Whether there is anything to withdraw: of a platform, in this sitting."""
        if self.visit is None:
            return self.annotator.withdrawn_at is None
        if self.visit.run is None or not visits.may_withdraw(self.visit):
            return False
        return self.visit.run.assignment.state != Assignment.State.WITHDRAWN

    def url(self, name: str, *arguments: object) -> str:
        return reverse(f"annotator:{name}", args=[self.key, *arguments])


def store_of(whose: Study | Listing, person: str = "") -> str:
    """A short name for what a browser keeps; it leads neither to a link nor to a person."""
    if isinstance(whose, Study):
        return keys.key_hash(f"store/{whose.join_token}")[:8]
    # Of a panel the next person at the same computer is not shown the one before them.
    return keys.key_hash(f"store/{whose.token}/{person}")[:8]


def annotator_page(
    *methods: str, limit: int = BODY_LIMIT, after: bool = False
) -> Callable[[View], View]:
    """Make a view of `(request, visitor | study, ...)` from one whose path has a key or token.

    `after`: the page is there also for a sitting that has ended.
    """

    def decorate(view: View) -> View:
        def answer(request: HttpRequest, framed: list[Listing], **url_values: Any) -> HttpResponse:
            try:
                whose = _find(request, url_values)
                framed += _listing_of(whose)
                if not after and (gone := _after_sitting(request, whose)):
                    return gone
                with translation.override(interface_language(whose)):
                    # Converted here, too: an unexpected error speaks the study's language.
                    guarded = convert_exception_to_response(
                        lambda r: _answer(r, view, whose, url_values, methods=methods, limit=limit)
                    )
                    return cast(HttpResponse, guarded(request))
            except AnnotationError as error:
                return problem(request, error.message, status=error.status, headers=error.headers)

        @csrf_exempt  # the key in the path is the only authority; no cookie is read here
        @wraps(view)
        def page(request: HttpRequest, **url_values: Any) -> HttpResponse:
            # Converted here and not further out, so that an unexpected error has the headers, too.
            framed: list[Listing] = []
            guarded = convert_exception_to_response(lambda r: answer(r, framed, **url_values))
            response = cast(HttpResponse, guarded(request))
            for name, value in _HEADERS.items():
                response[name] = value
            for listing in framed:
                _let_frame(response, listing)
            return response

        return page

    return decorate


def _find(request: HttpRequest, url_values: dict[str, Any]) -> Visitor | Listing | Study | None:
    if key := url_values.pop("key", None):
        return _visitor(request, key)
    if token := url_values.pop("join_token", None):
        study = Study.objects.filter(join_token=token).first()
        if study is None or study.state in Study.UNASKED:
            raise no_study()
        return study
    if token := url_values.pop("launch_token", None):
        listing = Listing.objects.select_related("study").filter(token=token).first()
        if listing is None or listing.state == Listing.State.DRAFT or listing.study.is_draft:
            raise no_study()
        return listing
    return None


def _listing_of(whose: Visitor | Listing | Study | None) -> list[Listing]:
    """The listing by which somebody comes, if they do."""
    if isinstance(whose, Visitor):
        return [whose.visit.listing] if whose.visit and whose.visit.listing else []
    return [whose] if isinstance(whose, Listing) else []


def _let_frame(response: HttpResponse, listing: Listing) -> None:
    """Let the platform's own pages show this one, and take its last form; nobody else."""
    framing = platform_of(listing.platform).framing(listing)
    changed = {}
    if framing.ancestors:
        # One header knows no origins; the other is heeded by every browser that frames.
        response.xframe_options_exempt = True
        changed["frame-ancestors"] = list(framing.ancestors)
    if framing.form_targets:
        changed["form-action"] = [SELF, *framing.form_targets]
    if changed:
        response._csp_replace = changed  # type: ignore[attr-defined]


def _after_sitting(
    request: HttpRequest, whose: Visitor | Listing | Study | None
) -> HttpResponse | None:
    """Where a sitting has ended its last page is all there is; a closed one has not even that."""
    visit = whose.visit if isinstance(whose, Visitor) else None
    if visit is None or visit.state == Visit.State.WORKING:
        return None
    assert isinstance(whose, Visitor)
    if request.method in {"GET", "HEAD"} and visit.state == Visit.State.ENDED:
        return see_other(whose.url("own"))
    with translation.override(interface_language(whose)):
        sentence = str(SENT if visit.outcome in visits.DONE else SITTING_OVER)
        return problem(request, sentence, status=409, whose=whose, details={"closed": True})


def no_study() -> UnknownKeyError:
    return UnknownKeyError(
        _("This link does not lead to a study. Please check that it is complete.")
    )


def _visitor(request: HttpRequest, key: str) -> Visitor:
    holder = visitors.of_key(keys.key_hash(key))
    if holder is None:
        raise UnknownKeyError(
            _(
                "We do not know this link. Please check that it is complete, or ask "
                "the person who sent it for a new one."
            )
        )
    url = request.build_absolute_uri(reverse("annotator:own", args=[key]))
    return Visitor(
        holder.annotator,
        key,
        url,
        holder.run,
        holder.visit,
        has_told_checks=holder.has_told_checks,
        n_phases=holder.n_phases,
    )


def _answer(
    request: HttpRequest,
    view: View,
    whose: Visitor | Listing | Study | None,
    url_values: dict[str, Any],
    *,
    methods: tuple[str, ...],
    limit: int,
) -> HttpResponse:
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)
    if request.method not in allowed:
        response = problem(
            request,
            _("This page cannot be opened in this way."),
            status=405,
            whose=whose,
        )
        response["Allow"] = ", ".join(allowed)
        return response
    if request.META.get(REFUSED) == WRONG_TYPE:
        return problem(
            request,
            _("This address only accepts what the forms on this site send."),
            status=415,
            whose=whose,
        )
    if _length(request) > limit:
        return problem(
            request,
            _("That is too long. Please shorten your comment and send it again."),
            status=413,
            whose=whose,
        )
    try:
        return view(request, whose, **url_values) if whose else view(request, **url_values)
    except AnnotationError as error:
        return problem(
            request,
            error.message,
            status=error.status,
            whose=whose,
            details=error.details,
            headers=error.headers,
            opens_at=error.opens_at if isinstance(error, PhaseNotOpenError) else None,
            no_place=isinstance(error, NoPlaceError),
            by_code=isinstance(error, FormUsedError),
        )


def _length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def study_of(whose: Visitor | Listing | Study | None) -> Study | None:
    return whose.study if isinstance(whose, Visitor | Listing) else whose


def interface_language(whose: Visitor | Listing | Study | None) -> str:
    """The language of our own words: the study's, where they are translated into it."""
    study = study_of(whose)
    if study is None:
        # The browser's, as the middleware found it.
        return translation.get_language()
    return spoken_for(study.language)


def page(
    template: str,
    context: dict[str, Any] | None = None,
    *,
    whose: Visitor | Listing | Study | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page as HTML. Rendered without the request: no context processor can touch a session."""
    everywhere = {
        "study": study_of(whose),
        # A person who comes by a platform is not shown the ways in and back of the others.
        "by_platform": bool(_listing_of(whose)),
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
    whose: Visitor | Listing | Study | None = None,
    details: dict[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    opens_at: datetime | None = None,
    no_place: bool = False,
    by_code: bool = False,
) -> HttpResponse:
    """One sentence, as a page for people or as JSON for the page's own requests."""
    response: HttpResponse
    if asks_for_json(request):
        response = JsonResponse({"error": sentence, **(details or {})}, status=status)
    else:
        must_wait = status == HTTPStatus.TOO_MANY_REQUESTS
        context = {
            "sentence": sentence,
            "opens_at": opens_at,
            "must_wait": must_wait,
            "no_place": no_place,
            # A person who tried to come back is not led to where people begin anew.
            "by_code": by_code or getattr(request.resolver_match, "url_name", "") == "return",
        }
        response = page("answering/problem.html", context, whose=whose, status=status)
    for name, value in (headers or {}).items():
        response[name] = value
    return response


def see_other(url: str) -> HttpResponse:
    """303: whatever was sent, the next page is fetched with GET."""
    return HttpResponse(status=303, headers={"Location": url})
