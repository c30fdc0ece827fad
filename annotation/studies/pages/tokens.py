"""The tokens by which programs of the researcher use the API."""

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.core.pages.frame import user_of
from annotation.core.services import tokens
from annotation.models import Study
from annotation.studies.forms.tokens import TokenForm


@require_http_methods(["GET", "POST"])
def token(request: HttpRequest) -> HttpResponse:
    """Which tokens there are; a new one is shown in the answer, this once."""
    user = user_of(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    made, status = None, 200
    if form.is_bound:
        status = 400
        if form.is_valid():
            try:
                made = tokens.make(user=user, **form.cleaned_data)
                form, status = TokenForm(), 200
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
    study = Study.objects.seen_by(user).order_by("-pk").first()
    now = clock.now()
    return TemplateResponse(
        request,
        "admin/token.html",
        {
            **admin.site.each_context(request),
            "title": _("API token"),
            "form": form,
            "made": made,
            "tokens": [
                (api_token, api_token.is_valid(now))
                for api_token in user.api_tokens.order_by("-pk")
            ],
            "example_url": request.build_absolute_uri(
                f"/api/v1/studies/{study.slug if study else 'my-study'}/export/"
            ),
        },
        status=status,
    )


@require_http_methods(["GET", "POST"])
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token, after a page that says what that means."""
    api_token = get_object_or_404(user_of(request).api_tokens, pk=token_id)
    if request.method == "POST":
        tokens.revoke(token=api_token)
        messages.success(request, _("Revoked: %(name)s.") % {"name": api_token.name})
        return redirect("admin:api_token")
    return TemplateResponse(
        request,
        "admin/token_confirm.html",
        {
            **admin.site.each_context(request),
            "title": _("Revoke the token %(name)s?") % {"name": api_token.name},
            "token": api_token,
        },
    )
