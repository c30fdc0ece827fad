"""The admin site, renamed and dressed; the rooms have its pages."""

from importlib import import_module

from django.contrib.admin.apps import AdminConfig


class ResearchersAdmin(AdminConfig):
    default_site = "annotation.site.admin_site.ResearchersSite"

    def ready(self) -> None:
        super().ready()
        # Not before: to find the site, Django imports its module first,
        # and what registers before there is a site is lost.
        import_module("annotation.site.pages.study")
        import_module("annotation.studies.pages.accounts")
