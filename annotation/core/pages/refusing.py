"""What was refused before a page could answer: still a page of the site, with a way back.

A form that outlived its sign-in shows what was typed in it, so that nothing is typed twice.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.request import UnreadablePostError
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import patch_cache_control
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views import defaults

from annotation.models import Study

_View = TypeVar("_View", bound=Callable[..., Any])

_LONG = 40
# Never shown again, wherever they stood: passwords, tokens, personal links.
_SECRETS = ("password", "token", "links")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_of_the_site(request) or not admin.site.has_permission(request):
        return defaults.page_not_found(request, exception)
    return refused(
        request,
        status=404,
        title=_("There is no such page"),
        reasons=[
            _("It may have been deleted, or it belongs to a study that is not shared with you."),
            _("The owner of the study can share it with you on its page “Share”."),
        ],
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_of_the_site(request) or not admin.site.has_permission(request):
        return defaults.permission_denied(request, exception)
    return refused(
        request,
        status=403,
        title=_("You do not have access to this page"),
        reasons=[_("If you need it, ask the administrator of this site.")],
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    is_too_much = isinstance(exception, RequestDataTooBig | TooManyFieldsSent)
    if not is_too_much or not _is_of_the_site(request) or not admin.site.has_permission(request):
        return defaults.bad_request(request, exception)
    return refused(
        request,
        status=400,
        title=_("That was too large for one form"),
        reasons=[
            _("A form can hold %(n)s MiB. Nothing was saved.")
            % {"n": (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) // 2**20},
            _("Go back in your browser. Your text is still there: shorten it."),
        ],
    )


def wrong_method(request: HttpRequest, response: HttpResponseNotAllowed) -> HttpResponse:
    """An address that only a button leads to was opened as a page, or the like.

    It stays in the address bar after an error, so opening it leads to the page with the button.
    """
    if request.method in {"GET", "HEAD"}:
        return redirect(_page_above(request))
    answer = refused(
        request,
        status=405,
        title=_("There is nothing to see here"),
        reasons=[_("This address only works from a button. Go back and press the button there.")],
    )
    answer["Allow"] = response["Allow"]
    return answer


def signed_out(request: HttpRequest) -> HttpResponse:
    """A form was sent after the sign-in had ended."""
    return refused(
        request,
        status=403,
        title=_("You are no longer signed in"),
        reasons=[
            _("Nothing was saved."),
            _("Sign in in a new tab, then come back to this one and send the form again."),
        ],
        **_resending(request),
        login_url=_login_url(request),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's word for a form that is older than the sign-in, or that another site sent."""
    if not _is_of_the_site(request):
        return defaults.permission_denied(request, PermissionDenied(reason))
    shown: dict[str, Any] = {}
    reasons = [_("Nothing was saved.")]
    if request.path == reverse("admin:login"):
        reasons.append(_("The sign-in page was out of date, or your browser blocks cookies."))
        shown["login_url"] = _login_url(request)
    elif _comes_from_here(request):
        reasons.append(
            _("This page was opened before you signed in. Send it again; it will work now.")
        )
        shown = _resending(request)
    else:
        reasons.append(
            _("Likeness cannot verify that this form came from this site. Open its page again.")
        )
    return refused(
        request,
        status=403,
        title=_("That form was out of date"),
        reasons=reasons,
        **shown,
    )


def refused(
    request: HttpRequest, *, status: int, title: str, reasons: list[str], **context: Any
) -> HttpResponse:
    """Why, what helps, and the way back: to the study if the address names one of ours."""
    study = _study_of(request)
    response = TemplateResponse(
        request,
        "admin/refused.html",
        {
            **admin.site.each_context(request),
            "title": title,
            "is_refused": True,
            "reasons": reasons,
            "study": study,
            "back": reverse("admin:annotation_study_change", args=[study.pk])
            if study
            else reverse("admin:index"),
            **context,
        },
        status=status,
    )
    # It may show what was typed, and one page is like the others: no cache keeps any.
    patch_cache_control(response, no_store=True)
    return response.render()


def with_field_labels(labels: Callable[[], Mapping[str, Any]]) -> Callable[[_View], _View]:
    """Name the fields of a page, for the time when its form is refused unread."""

    def named(view: _View) -> _View:
        vars(view)["field_labels"] = labels
        return view

    return named


def _is_of_the_site(request: HttpRequest) -> bool:
    return request.path_info.startswith("/admin/") and hasattr(request, "user")


def _page_above(request: HttpRequest) -> str:
    """The nearest page that an address lies below: /collect/ for /collect/link/."""
    address = request.path
    while (address := address.rstrip("/").rpartition("/")[0] + "/") != "/":
        try:
            # Django's admin site answers every address below its own; pages have names.
            if resolve(address).url_name:
                break
        except Resolver404:
            continue
    return address


def _study_of(request: HttpRequest) -> Study | None:
    try:
        number = resolve(request.path_info).kwargs.get("study_id")
    except Resolver404:
        return None
    if number is None or not admin.site.has_permission(request):
        return None
    return Study.objects.seen_by(request.user).filter(pk=number).first()


def _login_url(request: HttpRequest) -> str:
    back = request.get_full_path() if request.method == "GET" else reverse("admin:index")
    return f"{reverse('admin:login')}?{urlencode({'next': back})}"


def _comes_from_here(request: HttpRequest) -> bool:
    """Browsers say truly which site a form was sent from, whatever that site wants."""
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def _labels(request: HttpRequest) -> Mapping[str, Any]:
    """What the fields of the page are called, where the page says so: names are for programs."""
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return {}
    labels: Callable[[], Mapping[str, Any]] = getattr(view, "field_labels", dict)
    return labels()


def _resending(request: HttpRequest) -> dict[str, Any]:
    """What was typed, to be sent again; files have to be chosen again."""
    try:
        # Whether it is long enough to be worth showing; the rest travels along unseen.
        labels = _labels(request)
        typed = [
            (name, labels.get(name), value, len(value) > _LONG and name != "basis")
            for name, values in request.POST.lists()
            if not any(secret in name for secret in _SECRETS)
            for value in values
        ]
        has_files = bool(request.FILES)
    except (UnreadablePostError, RequestDataTooBig, TooManyFieldsSent):
        return {}
    return {"again_url": request.get_full_path(), "typed": typed, "has_files": has_files}
