"""What the researcher's pages share: who may see a study, their frame, confirmations, the log."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.core import access
from annotation.core.pages.help import add_glossary, help_url
from annotation.core.pages.navigation import ASKING, OF_ANSWERS, Text, places_of
from annotation.core.services import audit_log
from annotation.core.services.imported_rules import NO_ANSWERS, NOBODY_ASKED
from annotation.models import AuditEvent, Study

P = ParamSpec("P")
File = TypeVar("File", bound=HttpResponseBase)

# Forms whose fields are the only place where something is shown.
_FORMS_TO_READ = frozenset(("studies/describe.html", "designs/design.html"))


def study_page(
    view: Callable[Concatenate[HttpRequest, Study, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, int, P], HttpResponseBase]:
    """Hand the view the study among those its user may see; anything else is not found.

    A reader of the study is refused what `access` does not name.
    """

    @wraps(view)
    def wrapped(
        request: HttpRequest, study_id: int, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        study = get_object_or_404(
            Study.objects.seen_by(request.user).select_related("owner"), pk=study_id
        )
        match = request.resolver_match
        if access.is_reader(request.user, study) and not access.reader_may_open_page(
            request.method, match.url_name if match else None
        ):
            return show(
                request,
                study,
                "core/refused.html",
                title=_("Not for readers"),
                status=403,
                reason=access.refusal(study),
            )
        if study.is_imported and (reason := _no_page(study, _first_part(request))):
            messages.error(request, str(reason))
            return to(study, "change")
        return view(request, study, *args, **kwargs)

    return wrapped  # type: ignore[return-value] # its arguments are passed by name only


def _first_part(request: HttpRequest) -> str:
    """Of the address below a study's own."""
    match = request.resolver_match
    return match.route.partition("<int:study_id>/")[2].partition("/")[0] if match else ""


def _no_page(study: Study, part: str) -> Said:
    """Why an imported study has no such page; empty if it has."""
    if part in ASKING:
        return NOBODY_ASKED
    if part in OF_ANSWERS and study.is_imported_table:
        return NO_ANSWERS
    return ""


def user_of(request: HttpRequest) -> User:
    """The researcher; the admin site lets nobody else as far as a view."""
    assert isinstance(request.user, User)
    return request.user


def owns(request: HttpRequest, study: Study) -> bool:
    """Whether somebody may share or delete a study, not only use it."""
    user = user_of(request)
    return user.is_superuser or study.owner_id == user.pk


def url(study: Study, name: str, *arguments: object) -> str:
    return reverse(f"admin:annotation_study_{name}", args=[study.pk, *arguments])


def to(study: Study, name: str, *arguments: object) -> HttpResponse:
    return redirect(url(study, name, *arguments))


def show(
    request: HttpRequest,
    study: Study,
    template: str,
    *,
    title: Text,
    section: str = "",
    status: int = 200,
    **context: Any,
) -> TemplateResponse:
    """A page of a study, in the admin site's frame with the study's own navigation."""
    is_reader = access.is_reader(request.user, study)
    if is_reader and template in _FORMS_TO_READ:
        for field in context["form"].fields.values():
            field.disabled = True
    page = TemplateResponse(
        request,
        template,
        {
            **admin.site.each_context(request),
            "opts": Study._meta,
            "title": title,
            "study": study,
            "navigation": places_of(study, partial(url, study), here=section, is_reader=is_reader),
            "is_reader": is_reader,
            "help_url": help_url(section),
            **context,
        },
        status=status,
    )
    page.add_post_render_callback(add_glossary)
    return page


@dataclass(frozen=True)
class Confirmation:
    """A page that says what will happen before it does."""

    title: Text
    consequences: Sequence[Text]
    button: Text
    is_dangerous: bool = False
    # Why it cannot be done now; then there is no button.
    obstacles: Sequence[Text] = ()
    # Where to go before or instead: address and label.
    links: Sequence[tuple[str, Text]] = ()


def confirm(
    request: HttpRequest,
    study: Study,
    confirmation: Confirmation,
    *,
    back: str = "change",
    section: str = "",
    **context: Any,
) -> TemplateResponse:
    return show(
        request,
        study,
        "core/confirm.html",
        title=confirmation.title,
        section=section,
        confirmation=confirmation,
        back=url(study, back),
        **context,
    )


@contextmanager
def refusals(request: HttpRequest) -> Iterator[None]:
    """Show a rule's refusal as a message; whatever the researcher typed is still in the form."""
    try:
        yield
    except AnnotationError as error:
        # Not cut at line breaks: a name that a sentence quotes may hold one.
        for message in error.said:
            messages.error(request, str(message))


def log(
    request: HttpRequest,
    study: Study,
    message: Text,
    *,
    kind: AuditEvent.Kind = AuditEvent.Kind.CHANGED,
) -> None:
    """Write one line into the study's history."""
    audit_log.write(study=study, message=message, by=user_of(request), kind=kind)


def done(request: HttpRequest, study: Study, message: Text) -> None:
    """Log what was done, and say so on the next page."""
    log(request, study, message)
    messages.success(request, str(message))


def hand_out(request: HttpRequest, study: Study, response: File) -> File:
    """A file of a study's data, with a line of the log that says who has it."""
    name = response.headers["Content-Disposition"].partition("filename=")[2].strip('"')
    audit_log.downloaded(study=study, what=name, by=user_of(request))
    return response


def page_of(request: HttpRequest, rows: Any, *, size: int = 50) -> Page[Any]:
    return Paginator(rows, size).get_page(request.GET.get("page"))
