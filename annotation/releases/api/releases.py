"""Releases: numbered snapshots that are never changed, made, read and downloaded."""

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, data_of, fields_of, wrong_fields
from annotation.core.queries.comments import n_comments
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.forms.export_options import ExportOptionsForm
from annotation.kinds.registry import kind_of
from annotation.models import Release, Study
from annotation.releases.forms import ReleaseForm
from annotation.releases.queries import releases as queries
from annotation.releases.services import releases


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    sha256 = serializers.CharField(source="digest")
    design = serializers.IntegerField(source="design.number")

    class Meta:
        model = Release
        fields = [
            "number",
            "made_at",
            "state",
            "design",
            "n_items",
            "n_judgments",
            "n_people",
            "n_bytes",
            "sha256",
            "code_version",
            "notes",
        ]
        read_only_fields = fields


class ChangeSerializer(serializers.Serializer[Any]):
    release = serializers.IntegerField()
    at = serializers.DateTimeField()
    is_later = serializers.BooleanField(help_text="Whether it happened after that was made.")
    lines = serializers.ListField(child=serializers.CharField())


class WholeReleaseSerializer(ReleaseSerializer):
    description = serializers.DictField()
    options = serializers.DictField()
    changes = ChangeSerializer(many=True, help_text="Its change log, with what happened since.")

    class Meta(ReleaseSerializer.Meta):
        fields = [*ReleaseSerializer.Meta.fields, "description", "options", "changes"]
        read_only_fields = fields


class NewReleaseSerializer(Strict):
    """What is left out is as in the last release; options are for studies with ratings."""

    def get_fields(self) -> dict[str, Any]:
        return fields_of(ReleaseForm, ExportOptionsForm)


class StartedReleaseSerializer(JobSerializer):
    n_comments = serializers.IntegerField(
        help_text="Comments of annotators that will be in it, word for word."
    )
    n_comments_left_out = serializers.IntegerField(
        help_text="Those that will not, unless `comments` is true."
    )
    further_columns = serializers.ListField(
        child=serializers.CharField(),
        help_text="Columns of the imported file that annotators were not shown.",
    )
    has_further_columns = serializers.BooleanField(
        help_text="Whether they are published, which `metadata` decides."
    )

    class Meta(JobSerializer.Meta):
        fields = [
            *JobSerializer.Meta.fields,
            "n_comments",
            "n_comments_left_out",
            "further_columns",
            "has_further_columns",
        ]
        read_only_fields = fields


class ReleaseList(ApiView):
    @operation(
        "releases_list",
        query=PageQuery,
        answers={200: paged_of(ReleaseSerializer)},
        tag="releases",
    )
    def get(self, call: ApiCall) -> Response:
        """The releases of a study, the latest first."""
        rows = queries.releases_of(call.study)
        return paged(call, rows, lambda page: ReleaseSerializer(page, many=True).data)

    @operation(
        "releases_make",
        body=NewReleaseSerializer,
        answers={202: StartedReleaseSerializer},
        tag="releases",
    )
    def post(self, call: ApiCall) -> Response:
        """Make the next release, in the background; what is not scored yet is scored first."""
        study, last = call.study, queries.latest(call.study)
        given = dict(call.body)
        options = _options(study, last, given)
        form = ReleaseForm(study, last, data_of(ReleaseForm(study, last), given))
        if not form.is_valid() or form.description is None:
            raise wrong_fields(form)
        job = releases.start(
            study=study,
            description=form.description,
            notes=form.cleaned_data["notes"],
            options=options,
            by=call.user,
        )
        number = last.number + 1 if last else 1
        answer = started(call, job, _("Making release %(n)s.") % {"n": number})
        n, is_published = n_comments(study), form.description.comments
        answer.data["n_comments"] = n if is_published else 0
        answer.data["n_comments_left_out"] = 0 if is_published else n
        answer.data["further_columns"] = form.further_columns
        answer.data["has_further_columns"] = bool(form.further_columns) and (
            study.is_imported_table or form.description.metadata
        )
        return answer


def _options(study: Study, last: Release | None, given: dict[str, Any]) -> ExportOptions | None:
    """Those of ratings, taken out of what was given."""
    form_class = kind_of(study).releases.options_form
    if form_class is None:
        return None
    usual = last.options if last else ExportOptions().as_dict()
    own = {name: given.pop(name) for name in form_class.base_fields if name in given}
    form = form_class(data_of(form_class(initial=usual), own), initial=usual)
    if not form.is_valid():
        raise wrong_fields(form)
    return form.options


class ReleaseDetail(ApiView):
    @operation("releases_read", answers={200: WholeReleaseSerializer}, tag="releases")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One release with its description and its change log."""
        release = _of(call, ids["number"])
        changes = [
            {
                "release": change.number,
                "at": change.at,
                "is_later": change.is_later,
                "lines": change.lines,
            }
            for change in queries.change_log(release)
        ]
        return Response(
            {
                **ReleaseSerializer(release).data,
                "description": release.description,
                "options": release.options,
                "changes": ChangeSerializer(changes, many=True).data,
            }
        )


class ReleaseFile(ApiView):
    @operation(
        "releases_download",
        answers={(200, "application/zip"): OpenApiTypes.BINARY},
        refuses=(500,),
        tag="releases",
    )
    def get(self, call: ApiCall, **ids: Any) -> FileResponse:
        """The ZIP as it was made: the same bytes each time."""
        release = _of(call, ids["number"])
        file = releases.path(release).open("rb")
        name = f"{call.study.slug}-{release.number}.0.0.zip"
        call.hand_out(name)
        return FileResponse(
            file,
            as_attachment=True,
            filename=name,
            content_type="application/zip",
        )


def _of(call: ApiCall, number: int) -> Release:
    return get_object_or_404(queries.releases_of(call.study), number=number)
