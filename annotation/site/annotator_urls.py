"""Addresses of the annotator's pages: /j/ is a study's open link, /p/ that for a platform,
/a/ somebody's own pages."""

from django.urls import path

from annotation.answering import urls as answering
from annotation.answering.pages import public
from annotation.crowds import annotator_urls as crowds

app_name = "annotator"

urlpatterns = [
    *answering.FOR_ANNOTATORS,
    *crowds.FOR_ANNOTATORS,
    path("a/<path:rest>", public.nowhere),
    path("j/<path:rest>", public.nowhere),
    path("p/<path:rest>", public.nowhere),
]
