"""The admin site, renamed and dressed; the rooms have its pages."""

from django.contrib.admin.apps import SimpleAdminConfig


class ResearchersAdmin(SimpleAdminConfig):
    """Its pages are loaded with their addresses, annotation/site/researcher_urls.py."""

    default_site = "annotation.site.admin_site.ResearchersSite"
