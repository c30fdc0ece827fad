"""Accounts: as Django has them, but whoever did something is switched off and not deleted."""

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.http import HttpRequest

admin.site.unregister(User)


@admin.register(User)
class ResearcherAdmin(UserAdmin):  # type: ignore[type-arg] # generic in the stubs only
    """Deleting an account would delete its lines of the audit log with it."""

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        # Of many at once nobody has looked what each of them did.
        if obj is None or LogEntry.objects.filter(user=obj).exists():
            return False
        return super().has_delete_permission(request, obj)
