"""The studies in the admin site: which pages there are, and who may see them."""

from collections.abc import Callable

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path

from annotation.core.pages.frame import owns, user_of
from annotation.models import Study
from annotation.site import rooms
from annotation.site.pages import desk
from annotation.studies.pages import creating


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # generic in the stubs only
    """Studies need no permission of Django's: who sees a study is said by the study itself."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        return Study.objects.seen_by(user_of(request))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()

    def has_change_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return obj is None or owns(request, obj)

    def get_urls(self) -> list[URLPattern]:
        def page(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(route, self.admin_site.admin_view(view), name=f"annotation_study_{name}")

        def of_study(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return page(f"<int:study_id>/{route}", view, name)

        return [
            page("", _overview, "changelist"),
            page("add/", creating.add, "add"),
            of_study("", desk.desk, "change"),
            *(of_study(route, view, name) for route, view, name in rooms.PAGES),
        ]


def _overview(request: HttpRequest) -> HttpResponse:
    return redirect("admin:index")
