"""The token by which a program of the researcher's reads the API."""

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods
from rest_framework.authtoken.models import Token

from annotation.admin.pages import user_of
from annotation.models import Study
from annotation.services import researchers


@require_GET
def token(request: HttpRequest) -> HttpResponse:
    study = Study.objects.seen_by(request.user).order_by("-pk").first()
    return TemplateResponse(
        request,
        "admin/token.html",
        {
            **admin.site.each_context(request),
            "title": _("API token"),
            "token": Token.objects.filter(user=user_of(request)).first(),
            "example_url": request.build_absolute_uri(
                f"/api/v1/studies/{study.slug if study else 'my-study'}/export/"
            ),
        },
    )


@require_http_methods(["GET", "POST"])
def new_token(request: HttpRequest) -> HttpResponse:
    """Create or replace the token; replacing cuts off whatever uses the old one."""
    if request.method == "POST":
        researchers.replace_token(user=user_of(request))
        messages.success(request, _("The new token is valid from now on."))
        return redirect("admin:api_token")
    return TemplateResponse(
        request,
        "admin/token_confirm.html",
        {
            **admin.site.each_context(request),
            "title": _("Replace the API token?"),
            "token": Token.objects.filter(user=user_of(request)).first(),
        },
    )
