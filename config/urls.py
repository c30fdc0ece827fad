"""URLs: the researcher's pages in the admin site, the annotator's pages, the API."""

from django.contrib import admin
from django.urls import include, path

handler400 = "annotation.core.pages.refusing.bad_request"
handler403 = "annotation.core.pages.refusing.forbidden"
handler404 = "annotation.core.pages.refusing.not_found"
handler500 = "annotation.core.pages.failing.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("annotation.site.urls")),
]
