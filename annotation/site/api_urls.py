"""Addresses of the API. Each that names a study stands in tests/support/api_routes.py, too."""

from django.urls import URLPattern, URLResolver, path, re_path

from annotation.core.api import documents
from annotation.site import rooms
from annotation.studies.api import studies

app_name = "api"

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", documents.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    *(
        path(f"studies/<slug:slug>/{route}", view.as_view(), name=name)
        for route, view, name in rooms.API
    ),
    # What is not there is refused as the rest is, to programs and not to people.
    re_path(r"^(?:[\s\S]*/)?$", documents.Nowhere.as_view(), name="nowhere"),
]
