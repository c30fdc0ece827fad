"""Read-only API views. A study that the caller may not see is simply not found."""

from typing import cast

from django.contrib.auth.models import User
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.serializers import (
    CountsSerializer,
    ExportQuerySerializer,
    StudySerializer,
)
from annotation.exports import archive
from annotation.exports.options import RatingOptions
from annotation.models import Study
from annotation.queries.study_facts import study_counts
from annotation.services import history


def _study(request: Request, slug: str) -> Study:
    # IsAuthenticated has let only users in.
    return get_object_or_404(Study.objects.seen_by(cast(User, request.user)), slug=slug)


class StudyList(APIView):
    def get(self, request: Request) -> Response:
        studies = Study.objects.seen_by(cast(User, request.user))
        return Response(StudySerializer(studies, many=True).data)


class StudyDetail(APIView):
    def get(self, request: Request, slug: str) -> Response:
        study = _study(request, slug)
        counts = CountsSerializer(study_counts(study)).data
        return Response({**StudySerializer(study).data, "counts": counts})


class StudyExport(APIView):
    """`?source=people|simulated&spreadsheet=1`, and the options of rating studies"""

    def get(self, request: Request, slug: str) -> FileResponse:
        study = _study(request, slug)
        query = ExportQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        file = archive.temporary_archive(
            study,
            wanted["source"],
            spreadsheet=wanted["spreadsheet"],
            options=RatingOptions.of(wanted),
        )
        history.downloaded(study=study, what=f"{study.slug}.zip", by=cast(User, request.user))
        return FileResponse(
            file, as_attachment=True, filename=f"{study.slug}.zip", content_type="application/zip"
        )
