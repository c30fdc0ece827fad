"""All URLs: the researcher's pages in the admin site, the API, the annotator's pages."""

from django.urls import include, path

from config import annotator_urls
from config.annotator_urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns = [
    path("admin/", include("annotation.site.researcher_urls")),
    path("api/v1/", include("annotation.site.api_urls")),
    *annotator_urls.urlpatterns,
]
