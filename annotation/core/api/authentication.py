"""Who asks: by a token, of which only a hash is kept; and what a token may do."""

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from drf_spectacular.authentication import TokenScheme
from rest_framework import exceptions
from rest_framework.authentication import TokenAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotation.core.services import tokens
from annotation.models import ApiToken


class ByToken(TokenAuthentication):
    """`Authorization: Token …`"""

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        token = tokens.find(key)
        if token is None:
            raise exceptions.AuthenticationFailed(
                _(
                    "This token is unknown, revoked or expired. Create a new one on the "
                    "page API token."
                )
            )
        # Who is no researcher any more: their token goes the way of their pages.
        if not (token.user.is_active and token.user.is_staff):
            raise exceptions.AuthenticationFailed(_("User inactive or deleted."))
        return token.user, token


class ByTokenScheme(TokenScheme):  # type: ignore[no-untyped-call] # its package has no types
    target_class = ByToken  # type: ignore[assignment] # a class will do as well as its name


class MayWrite(BasePermission):
    """A researcher's session, or a token that is not for reading alone."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method in SAFE_METHODS:
            return True
        if not request.user.is_staff:
            return False
        if isinstance(request.auth, ApiToken) and not request.auth.can_write:
            raise exceptions.PermissionDenied(
                _("This token can only read. On the API token page, create one that can write.")
            )
        return True
