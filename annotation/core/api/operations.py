"""One operation of the API: who may call it, what it reads, what it answers, as code and as text.

`operation` says all of it once: the check of what comes in, and the OpenAPI document.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import exceptions, serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.basics.sentences import mebibytes
from annotation.core import access
from annotation.core.api.errors import ErrorSerializer, TooLargeError
from annotation.core.api.serializing import Nothing, Strict, Values
from annotation.core.services import audit_log
from annotation.models import Study

SAFE = {"get", "head", "options"}
_REFUSALS = {
    400: "Something that was sent is wrong: each problem is said.",
    401: "No token or session, or one that is not valid (any more).",
    403: "Not for you: a reading token, a reader of the study, not its owner, or no CSRF token.",
    404: "There is nothing here, or nothing that you may see; both are answered alike.",
    409: "The state of the study forbids it; the sentence says what to do.",
    413: "The body is too large.",
    415: "The body has a type that is not read here.",
    500: "An error of the server, or the file of a release is not what was made; restore it.",
    503: "The disk is full, the database is busy or too many large files arrive; try again later.",
    429: "Too many requests this minute; Retry-After says how many seconds to wait.",
}


class AlwaysTheSame(BaseContentNegotiation):
    """Every address answers in one type, or in the one that its parameters name."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        media = request.content_type or ""
        kind = media.split(";", 1)[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(  # type: ignore[override] # the stubs know the renderers by class
        self, request: Request, renderers: Sequence[BaseRenderer], format_suffix: Any = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """A body of JSON, unless the operation takes a file; not larger than it may be."""

    parser_classes: Sequence[type[BaseParser]] = [JSONParser]
    content_negotiation_class = AlwaysTheSame

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if MultiPartParser in self.parser_classes:
            limit += settings.IMPORT_LIMIT_BYTES
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > limit:
            raise TooLargeError(str(mebibytes(limit)))


class FileView(ApiView):
    """The body is a form with a file."""

    parser_classes = [MultiPartParser]


@dataclass(frozen=True)
class ApiCall:
    """What was asked, once it was checked."""

    request: Request
    user: User
    query: Values
    body: Values
    # Only where the address names one.
    maybe_study: Study | None = None

    @property
    def study(self) -> Study:
        assert self.maybe_study is not None
        return self.maybe_study

    def refuse_others(self, message: str | Promise) -> None:
        """Of what the owner alone may do; `message` names the owner."""
        if not (self.user.is_superuser or self.study.owner_id == self.user.pk):
            owner = {"owner": self.study.owner.get_username()}
            raise exceptions.PermissionDenied(str(message) % owner)

    def log(self, message: str | Promise, *, study: Study | None = None, **options: Any) -> None:
        """Write one line into the study's history."""
        audit_log.write(study=study or self.study, message=message, by=self.user, **options)

    def hand_out(self, file: str, *, goes_on: bool = False) -> None:
        """Write down who has fetched a copy of data; who goes on with one, once."""
        if not goes_on or not audit_log.has_downloaded(study=self.study, what=file, by=self.user):
            audit_log.downloaded(study=self.study, what=file, by=self.user)


# (view, asked, **ids)
Handler = Callable[..., HttpResponseBase]


def operation(
    name: str,
    *,
    answers: Mapping[Any, Any],
    query: type[Strict] = Nothing,
    body: type[Strict] | None = None,
    refuses: Iterable[int] = (),
    tag: str = "studies",
) -> Callable[[Handler], Callable[..., HttpResponseBase]]:
    """Make a method of a view an operation; its docstring is its description.

    `answers`: a serializer by status, or by status and type. `refuses`: beside the usual ones.
    """

    def decorate(handler: Handler) -> Callable[..., HttpResponseBase]:
        method = handler.__name__

        @wraps(handler)
        def call(view: ApiView, request: Request, **ids: Any) -> HttpResponseBase:
            # IsAuthenticated has let only users in.
            user = cast(User, request.user)
            study = None
            if "slug" in ids:
                # Before anything else is looked at: a stranger learns nothing from any refusal.
                studies = Study.objects.seen_by(user).select_related("owner")
                study = get_object_or_404(studies, slug=ids.pop("slug"))
                match = request.resolver_match
                if access.is_reader(user, study) and not access.reader_may_ask(
                    request.method, match.url_name if match else None
                ):
                    raise exceptions.PermissionDenied(str(access.refusal(study)))
            api_call = ApiCall(
                request=request,
                user=user,
                query=_read(query, _once(request)),
                body=_read(body, _body(request)) if method not in SAFE else {},
                maybe_study=study,
            )
            return handler(view, api_call, **ids)

        described = extend_schema(
            operation_id=name,
            tags=[tag],
            parameters=[query] if query is not Nothing else [],
            request=body,
            responses={
                **dict(answers),
                **{
                    code: OpenApiResponse(ErrorSerializer, _REFUSALS[code])
                    for code in sorted(_refusals(method, body, query, refuses))
                },
            },
        )
        return cast(Callable[..., HttpResponseBase], described(call))

    return decorate


def _refusals(
    method: str, body: type[Strict] | None, query: type[Strict], refuses: Iterable[int]
) -> set[int]:
    statuses = {400, 401, 403, 404, 429, 503, *refuses}
    if method not in SAFE:
        statuses |= {409, 413, 415}
    return statuses


def _read(known: type[Strict] | None, given: Any) -> Values:
    serializer = (known or Nothing)(data=given)
    serializer.is_valid(raise_exception=True)
    return cast(Values, serializer.validated_data)


def _once(request: Request) -> Values:
    """The parameters of the address. One that stands there twice could be meant in two ways."""
    twice = [name for name, values in request.query_params.lists() if len(values) > 1]
    if twice:
        raise serializers.ValidationError(
            {name[:100]: _("This parameter occurs twice. Give it once.") for name in twice}
        )
    return request.query_params.dict()


def _body(request: Request) -> Any:
    try:
        data = request.data
    except RecursionError as error:
        raise exceptions.ParseError(_("This is nested too deeply. Flatten it.")) from error
    if hasattr(data, "lists"):
        # Of a form. What is left out has its default, which a form's switch would not have.
        return {name: values[-1] for name, values in data.lists()}
    return data


# -- Pages --------------------------------------------------------------------------------------


def paged_of(serializer: Any) -> Any:
    """The schema of one page of many."""
    row_class = serializer if isinstance(serializer, type) else type(serializer)
    return inline_serializer(
        f"PageOf{row_class.__name__.removesuffix('Serializer')}",
        {
            "count": serializers.IntegerField(help_text="On all pages together."),
            "next": serializers.URLField(allow_null=True, help_text="Null on the last page."),
            "previous": serializers.URLField(allow_null=True, help_text="Null on the first."),
            "results": row_class(many=True),
        },
    )


class Pages(PageNumberPagination):
    page_size = 50
    page_size_query_param = "page_size"


def paged(call: ApiCall, rows: Any, shown: Callable[[list[Any]], Any], **more: Any) -> Response:
    """One page of rows; one behind the last is not there. `more` stands beside it."""
    pages = Pages()
    page: list[Any] = pages.paginate_queryset(rows, call.request) or []
    answer = pages.get_paginated_response(shown(page))
    return Response({**answer.data, **more})
