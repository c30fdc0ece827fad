"""Who may log in, with what an administrator wants to know of each."""

from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.db.models import Count


@dataclass(frozen=True)
class Account:
    user: User
    n_studies: int
    # Invited: has set no password yet.
    state: Literal["active", "invited", "off"]


def accounts() -> list[Account]:
    users = User.objects.annotate(n_studies=Count("studies")).order_by("-is_active", "username")
    return [Account(user, user.n_studies, _state(user)) for user in users]


def _state(user: User) -> Literal["active", "invited", "off"]:
    if not user.is_active or not user.is_staff:
        return "off"
    if user.last_login is None and not user.has_usable_password():
        return "invited"
    return "active"
