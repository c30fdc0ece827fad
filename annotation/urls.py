"""The annotator's pages and the API."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("annotation.api.urls")),
    path("", include("annotation.views.urls")),
]
