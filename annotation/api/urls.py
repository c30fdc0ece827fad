from django.urls import URLPattern, URLResolver, path

from annotation.api import views

app_name = "api"

urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/", views.StudyList.as_view(), name="studies"),
    path("studies/<slug:slug>/", views.StudyDetail.as_view(), name="study"),
    path("studies/<slug:slug>/export/", views.StudyExport.as_view(), name="export"),
]
