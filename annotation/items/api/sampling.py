"""Pairs for a rating or label study, drawn from two columns of texts."""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, FileView, operation, paged, paged_of
from annotation.core.api.serializing import (
    PageQuery,
    Strict,
    Values,
    data_of,
    fields_of,
    wrong_fields,
)
from annotation.core.queries import model_folders
from annotation.items.forms.sampling import SamplingForm
from annotation.items.services import sampling_jobs, uploads
from annotation.models import Job

_TSV = "text/tab-separated-values"


class SampleSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="Its number: ask for jobs/ID/ until it is finished.")
    state = serializers.ChoiceField(choices=Job.State.choices)
    created_at = serializers.DateTimeField()
    file = serializers.CharField(help_text="From which the pairs are drawn.")
    numbers = serializers.DictField(help_text="What was asked for.")
    figures = serializers.DictField(
        allow_null=True, help_text="What was drawn, bin by bin; null until it is done."
    )


class WantedSampleSerializer(Strict):
    """A file of texts, and numbers; what is left out is as the page proposes it."""

    def get_fields(self) -> dict[str, Any]:
        file = serializers.FileField(
            allow_empty_file=True, help_text="Two columns of texts, TSV or CSV, as the page says."
        )
        return {"file": file, **fields_of(SamplingForm)}


class SampleList(FileView):
    @operation(
        "samples_list", query=PageQuery, answers={200: paged_of(SampleSerializer)}, tag="items"
    )
    def get(self, call: ApiCall) -> Response:
        """Which pairs were drawn, the latest first."""
        rows = sampling_jobs.jobs_of(call.study).order_by("-pk")
        return paged(
            call, rows, lambda page: SampleSerializer([*map(_shown, page)], many=True).data
        )

    @operation(
        "samples_draw", body=WantedSampleSerializer, answers={202: JobSerializer}, tag="items"
    )
    def post(self, call: ApiCall) -> Response:
        """Draw pairs evenly over how alike they look, in the background; no item is made.

        The table of what was drawn is imported as any other: `items/`.
        """
        study, given = call.study, dict(call.body)
        file: UploadedFile[Any] = given.pop("file")
        models = model_folders.encoders(call.user)
        proposed = SamplingForm(models=models, has_hub=settings.HUB)
        form = SamplingForm(data_of(proposed, given), models=models, has_hub=settings.HUB)
        if not form.is_valid():
            raise wrong_fields(form)
        sampling_jobs.refuse(study)
        stored = uploads.store_upload(
            study=study, file=file, filename=file.name or "texts", by=call.user
        )
        try:
            job = sampling_jobs.request(
                study=study,
                name=stored["path"],
                filename=stored["filename"],
                options=form.options,
                by=call.user,
            )
        except AnnotationError:
            uploads.forget_upload(study=study, name=stored["path"])
            raise
        message = _("Started to draw pairs from %(file)s.") % {"file": stored["filename"]}
        return started(call, job, message)


class SampleDetail(ApiView):
    @operation("samples_read", answers={200: SampleSerializer}, tag="items")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """What was drawn, how flat it is, and what was left out."""
        return Response(SampleSerializer(_shown(_job(call, ids))).data)


class SampleTable(ApiView):
    @operation(
        "samples_table",
        answers={(200, _TSV): OpenApiTypes.STR},
        refuses=(409,),
        tag="items",
    )
    def get(self, call: ApiCall, **ids: Any) -> StreamingHttpResponse:
        """The pairs, as `items/` takes them; kept for two days."""
        job = _job(call, ids)
        if job.figures is None:
            raise StateError(_("No pairs are drawn yet. Wait until the job is finished."))
        path = uploads.upload(study=call.study, name=job.figures["table"])
        return StreamingHttpResponse(
            iter([path.read_bytes()]), content_type=f"{_TSV}; charset=utf-8"
        )


def _job(call: ApiCall, ids: Values) -> Job:
    return get_object_or_404(sampling_jobs.jobs_of(call.study), pk=ids["sample_id"])


def _shown(job: Job) -> Values:
    figures = job.figures
    return {
        "job": job.pk,
        "state": job.state,
        "created_at": job.created_at,
        "file": job.parameters["filename"],
        "numbers": job.parameters["sampled"],
        # By its name the file could be guessed at.
        "figures": figures and {name: value for name, value in figures.items() if name != "table"},
    }
