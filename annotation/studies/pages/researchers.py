"""Who may log in: the list of accounts, invitations, and the page where a password is set."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse_lazy
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError
from annotation.core.pages.frame import user_of
from annotation.core.services import account_log
from annotation.studies.forms.researchers import InvitationForm
from annotation.studies.queries import accounts
from annotation.studies.services import invitations
from annotation.studies.services.invitations import Invitation


def _administrator(request: HttpRequest) -> User:
    user = user_of(request)
    if not user.is_superuser:
        raise PermissionDenied
    return user


@require_http_methods(["GET", "POST"])
def researchers(request: HttpRequest) -> HttpResponse:
    """Who has an account; inviting somebody shows the link in the answer."""
    by = _administrator(request)
    if request.method != "POST":
        return _page(request, form=InvitationForm())
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            user = invitations.invite(**form.cleaned_data, by=by)
        except invitations.TakenError as error:
            form.add_error("email", error.message)
        else:
            made = invitations.send(user=user, origin=_origin(request))
            return _page(request, form=InvitationForm(), made=made)
    return _page(request, form=form, status=400)


@require_POST
def link(request: HttpRequest, user_id: int) -> HttpResponse:
    """A new link for somebody who lost the invitation or forgot the password."""
    by = _administrator(request)
    user = get_object_or_404(User, pk=user_id)
    try:
        user = invitations.renew(user=user, by=by)
    except AnnotationError as error:
        return _refused(request, error)
    made = invitations.send(user=user, origin=_origin(request))
    return _page(request, form=InvitationForm(), made=made)


@require_POST
def switch(request: HttpRequest, user_id: int) -> HttpResponse:
    """Let somebody log in again, or no longer."""
    by = _administrator(request)
    user = get_object_or_404(User, pk=user_id)
    is_on = request.POST.get("is_on") == "1"
    try:
        invitations.switch(user=user, is_on=is_on, by=by)
    except AnnotationError as error:
        return _refused(request, error)
    sentence = _("Switched on: %(name)s.") if is_on else _("Switched off: %(name)s.")
    messages.success(request, sentence % {"name": user.get_username()})
    return redirect("admin:researchers")


def _refused(request: HttpRequest, error: AnnotationError) -> HttpResponse:
    messages.error(request, error.message)
    return _page(request, form=InvitationForm(), status=error.status)


def _origin(request: HttpRequest) -> str:
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


def _page(
    request: HttpRequest,
    *,
    form: InvitationForm,
    made: Invitation | None = None,
    status: int = 200,
) -> HttpResponse:
    response = TemplateResponse(
        request,
        "admin/researchers.html",
        {
            **admin.site.each_context(request),
            "title": _("Researchers"),
            "form": form,
            "made": made,
            "n_days": invitations.n_days(),
            "rows": accounts.accounts(),
            "sends_mail": bool(settings.EMAIL_HOST),
        },
        status=status,
    )
    patch_cache_control(response, no_store=True)
    return response


class SetPassword(PasswordResetConfirmView):
    """Django's own: the link is signed, works once and expires."""

    template_name = "admin/set_password.html"
    title = gettext_lazy("Set your password")
    success_url = reverse_lazy("admin:login")

    def get_user(self, uidb64: str) -> User | None:
        user = super().get_user(uidb64)
        # An account that is switched off is not prepared for a return.
        return user if isinstance(user, User) and user.is_active and user.is_staff else None

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return {**admin.site.each_context(self.request), **super().get_context_data(**context)}

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        if not self.validlink:
            options["status"] = 404
        return super().render_to_response(context, **options)

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        account_log.password_changed(form.user)
        messages.success(
            self.request,
            _("Your password is set. Log in as %(name)s.") % {"name": form.user.get_username()},
        )
        return response
