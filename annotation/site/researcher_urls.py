"""Addresses of the researcher's pages, which Django's admin site has."""

from importlib import import_module

from django.contrib import admin

admin.autodiscover()
# Each registers pages with the admin site, and the second one replaces Django's own.
for _module in ("annotation.site.pages.study", "annotation.studies.pages.accounts"):
    import_module(_module)

urlpatterns, app_name, _namespace = admin.site.urls
