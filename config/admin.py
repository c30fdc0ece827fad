"""The admin site, renamed and dressed; its pages are in `annotation.admin`."""

from importlib import import_module

from django.contrib.admin.apps import AdminConfig


class ResearchersAdmin(AdminConfig):
    default_site = "annotation.admin.site.ResearchersSite"

    def ready(self) -> None:
        super().ready()
        # Not from `annotation.admin` itself: to find the site, Django imports that package first,
        # and what registers before there is a site is lost.
        import_module("annotation.admin.study")
        import_module("annotation.admin.accounts")
