"""The admin site: its first page is the overview of the researcher's studies."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.messages import ERROR, get_messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from annotation.basics.errors import TooManyError
from annotation.core.pages.help import help_url


class ResearchersSite(AdminSite):
    """The researchers' desk."""

    site_header = site_title = "Likeness"
    index_title = _("Studies")
    # There is nothing to view at the site's root: annotators come by links of their own.
    site_url = None
    enable_nav_sidebar = False
    password_change_template = "admin/password_change.html"  # noqa: S105 - a template

    def get_urls(self) -> list[URLPattern | URLResolver]:
        # Models are not loaded before.
        from annotation.core.pages import audit  # noqa: PLC0415
        from annotation.studies.pages import researchers, tokens  # noqa: PLC0415

        return [
            path("log/", self.admin_view(audit.log), name="log"),
            path("token/", self.admin_view(tokens.token), name="api_token"),
            path(
                "token/<int:token_id>/revoke/",
                self.admin_view(tokens.revoke),
                name="api_token_revoke",
            ),
            path("researchers/", self.admin_view(researchers.researchers), name="researchers"),
            path(
                "researchers/<int:user_id>/link/",
                self.admin_view(researchers.link),
                name="researcher_link",
            ),
            path(
                "researchers/<int:user_id>/switch/",
                self.admin_view(researchers.switch),
                name="researcher_switch",
            ),
            # For somebody who cannot log in yet: the link itself is the right to set a password.
            path(
                "invitation/<uidb64>/<token>/",
                researchers.SetPassword.as_view(),
                name="invitation",
            ),
            *super().get_urls(),
        ]

    def admin_view(  # type: ignore[override] # the answer is a page whatever the view's type
        self, view: Callable[..., HttpResponseBase], cacheable: bool = False
    ) -> Callable[..., HttpResponseBase]:
        """Django's own, but what was typed outlives the sign-in, and every answer is a page."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            from annotation.core.pages import refusing  # noqa: PLC0415 - models are not loaded before

            is_leaving = request.path == reverse("admin:logout", current_app=self.name)
            if request.method == "POST" and not is_leaving and not self.has_permission(request):
                return refusing.signed_out(request)
            response = inner(request, *args, **kwargs)
            if isinstance(response, HttpResponseNotAllowed):
                return refusing.wrong_method(request, response)
            if isinstance(response, TemplateResponse) and response.context_data is not None:
                response.context_data["is_refused"] = _is_refused(request, response)
            return response

        return answer

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Django's own, with the way to the documentation."""
        return {**super().each_context(request), "help_url": help_url()}

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """My studies, and what each of them needs."""
        from annotation.core.services import workers  # noqa: PLC0415
        from annotation.models import Study  # noqa: PLC0415
        from annotation.studies.queries import overview  # noqa: PLC0415 - models are not loaded before

        wanted = {
            name: request.GET.get(name, "").replace("\x00", "") for name in ("words", "state")
        }
        is_archive = request.GET.get("archived") == "1"
        studies = overview.studies(
            request.user,
            page=request.GET.get("page", "1"),
            archived=is_archive,
            **wanted,
        )
        is_narrowed = any(wanted.values())
        query = {**(wanted if is_narrowed else {}), **({"archived": "1"} if is_archive else {})}
        return TemplateResponse(
            request,
            "admin/index.html",
            {
                **self.each_context(request),
                "title": self.index_title,
                "subtitle": None,
                "studies": studies,
                "wanted": wanted,
                "states": Study.State.choices,
                "is_narrowed": is_narrowed,
                # What fits on one page is looked over faster than searched.
                "is_searched": is_narrowed or studies.paginator.num_pages > 1,
                "query": urlencode(query) if query else "",
                "is_archive": is_archive,
                "n_archived": Study.objects.seen_by(request.user).archived().count(),
                "is_worker_running": workers.is_running(),
                **(extra_context or {}),
            },
        )

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's own, but passwords cannot be tried without end, and errors are in our words."""
        from annotation.core.pages.frame import user_of  # noqa: PLC0415
        from annotation.core.services import account_log  # noqa: PLC0415
        from annotation.studies.forms.sign_in import SignInForm  # noqa: PLC0415
        from annotation.studies.pages import sign_in_limits  # noqa: PLC0415 - models are not loaded before

        self.login_form = SignInForm
        if request.method != "POST":
            return super().login(request, extra_context)
        try:
            # Counted first, so that flooding uses up the tries quickly.
            sign_in_limits.count_or_refuse(request)
            with sign_in_limits.ONE_PASSWORD.taken(wait_seconds=1):
                response = super().login(request, extra_context)
        except TooManyError as error:
            answer = render(request, "429.html", {"sentence": error.message}, status=429)
            for name, value in error.headers.items():
                answer[name] = value
            return answer
        if response.status_code == 200:
            sign_in_limits.count_failure(request)
            account_log.failed(request.POST.get("username", ""))
        elif request.user.is_authenticated:
            account_log.signed_in(user_of(request))
            sign_in_limits.remember_browser(request, response)
        return response

    def password_change(  # type: ignore[override] # once it is changed, a redirection answers
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's own form; then the studies, where a message and the log say what was done."""
        from annotation.core.pages.frame import user_of  # noqa: PLC0415 - models are not loaded before
        from annotation.core.services import account_log  # noqa: PLC0415

        title = {"title": _("Change your password")}
        response = super().password_change(request, {**title, **(extra_context or {})})
        if request.method == "POST" and response.status_code == 302:
            account_log.password_changed(user_of(request))
            messages.success(request, _("Your password is changed."))
            return redirect("admin:index")
        return response

    def password_change_done(  # type: ignore[override] # a redirection is an answer as well
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("admin:index")

    def logout(  # type: ignore[override] # a redirection is an answer as well
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's own; then the form to log in, which says that somebody has logged out."""
        response = super().logout(request, extra_context)
        if response.status_code == 302:
            messages.success(request, _("You have logged out."))
        return response

    def app_index(  # type: ignore[override] # a redirection is an answer as well
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if app_label == "annotation":
            return redirect("admin:index")
        return super().app_index(request, app_label, extra_context)


def _is_refused(request: HttpRequest, page: TemplateResponse) -> bool:
    """Whether the title of a page shall begin with "Error:", before it is rendered."""
    return page.status_code >= 400 or any(
        message.level >= ERROR for message in get_messages(request)
    )
