"""URLs of the annotator's pages, which need no other room (annotation/core/middleware.py)."""

from django.urls import include, path

handler400 = "annotation.core.pages.refusing.bad_request"
handler403 = "annotation.core.pages.refusing.forbidden"
handler404 = "annotation.core.pages.refusing.not_found"
handler500 = "annotation.core.pages.failing.server_error"

urlpatterns = [path("", include("annotation.site.annotator_urls"))]
