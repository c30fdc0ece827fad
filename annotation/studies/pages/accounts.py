"""All settings of an account, for superusers; the page Researchers has what is needed mostly."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.core.pages.frame import user_of
from annotation.core.services import account_log
from annotation.models import AuditEvent

admin.site.unregister(User)
# A study says itself who may see it: no permission, and so no group of them, means anything here.
admin.site.unregister(Group)


class AccountForm(UserChangeForm):  # type: ignore[type-arg] # generic in the stubs only
    """Django's own; somebody stays who may change accounts."""

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        needed = ("is_active", "is_staff", "is_superuser")
        others = User.objects.filter(is_active=True, is_staff=True, is_superuser=True)
        others = others.exclude(pk=self.instance.pk)
        lost = [name for name in needed if name in self.fields and not cleaned.get(name)]
        was = User.objects.get(pk=self.instance.pk)
        if lost and all(getattr(was, name) for name in needed) and not others.exists():
            self.add_error(lost[0], _("This is the last administrator. At least one must remain."))
        return cleaned


@admin.register(User)
class ResearcherAdmin(UserAdmin):  # type: ignore[type-arg] # generic in the stubs only
    """Who did something that the audit log tells cannot be deleted."""

    form = AccountForm
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (None, {"fields": ("first_name", "last_name", "email")}),
        (None, {"fields": ("is_active", "is_staff", "is_superuser")}),
        (None, {"fields": ("last_login", "date_joined")}),
    )
    filter_horizontal = ()
    list_filter = ("is_superuser", "is_active")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self._may(request)

    def has_view_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return self._may(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may(request)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return self._may(request)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        # If many are deleted at once, nobody has looked at what each of them did.
        if obj is None or AuditEvent.objects.filter(by=obj).exists():
            return False
        return self._may(request)

    # What happens here stands in our own log, and not in Django's.
    def log_addition(self, request: HttpRequest, obj: User, message: Any) -> None:  # type: ignore[override]
        account_log.made(obj, by=user_of(request))

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> None:  # type: ignore[override]
        changed = [entry["changed"]["fields"] for entry in message if entry.get("changed")]
        account_log.changed(
            obj, fields=[name for names in changed for name in names], by=user_of(request)
        )

    def log_deletions(self, request: HttpRequest, queryset: Iterable[User]) -> None:  # type: ignore[override]
        for user in queryset:
            account_log.deleted(user, by=user_of(request))

    @staticmethod
    def _may(request: HttpRequest) -> bool:
        """Who changes accounts could make a superuser of themselves."""
        return bool(request.user.is_active and request.user.is_superuser)
