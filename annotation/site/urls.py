"""The annotator's pages and the API."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("annotation.site.api_urls")),
    path("", include("annotation.site.annotator_urls")),
]
