"""URLs: the researcher's pages in the admin site, the annotator's pages, the API."""

from django.contrib import admin
from django.urls import include, path

handler400 = "annotation.admin.refusing.bad_request"
handler403 = "annotation.admin.refusing.forbidden"
handler404 = "annotation.admin.refusing.not_found"
handler500 = "annotation.views.failing.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("annotation.urls")),
]
