"""Answers that another tool collected, and their import."""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import mebibytes
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, FileView, operation
from annotation.core.api.serializing import Strict, data_of, fields_of, wrong_fields
from annotation.items.forms.finished_answers import FinishedAnswersForm
from annotation.items.imports.foreign.reading import FORMATS
from annotation.items.services import finished_answers, uploads
from annotation.items.services.answer_rows import check_can_take
from annotation.items.services.finished_answers import FinishedFile


class FinishedFileSerializer(Strict):
    """A file, and what it does not say itself, as the page asks for it."""

    def get_fields(self) -> dict[str, Any]:
        file = serializers.FileField(allow_empty_file=True)
        tool = serializers.ChoiceField(choices=[*FORMATS], help_text="Which tool wrote it.")
        fields = fields_of(FinishedAnswersForm, without=("format",))
        return {"file": file, "format": tool, **fields}


class LookedSerializer(serializers.Serializer[Any]):
    shown = serializers.ListField(child=serializers.CharField())
    answer = serializers.CharField()
    worst = serializers.CharField()


class FinishedSerializer(serializers.Serializer[Any]):
    n_judgments = serializers.IntegerField()
    n_annotators = serializers.IntegerField()
    n_items = serializers.IntegerField()
    items_from_file = serializers.BooleanField(help_text="Else they are those of the study.")
    columns = serializers.DictField(help_text="What each field of the file was taken for.")
    left_out = serializers.DictField(child=serializers.IntegerField())
    first = LookedSerializer(many=True, help_text="The first answers that would be stored.")


class FinishedCheck(FileView):
    @operation(
        "finished_check",
        body=FinishedFileSerializer,
        answers={200: FinishedSerializer},
        tag="items",
    )
    def post(self, call: ApiCall) -> Response:
        """Read a file of up to 1 MiB as the import would, and change nothing."""
        stored, _form, finished = _read(call)
        uploads.forget_upload(study=call.study, name=stored["path"])
        if finished is None:
            raise StateError(
                _(
                    "Only files of up to %(limit)s are checked before the import. Import "
                    "this file without a check: if it has a problem, the job reports it "
                    "and stores nothing."
                )
                % {"limit": mebibytes(settings.IMPORT_PREVIEW_BYTES)}
            )
        return Response(FinishedSerializer({**finished.summary, "first": finished.first()}).data)


class FinishedAnswers(FileView):
    @operation(
        "finished_import",
        body=FinishedFileSerializer,
        answers={202: JobSerializer},
        tag="items",
    )
    def post(self, call: ApiCall) -> Response:
        """Fill a draft with finished answers, which makes it imported; in the background."""
        study = call.study
        stored, form, _found = _read(call)
        try:
            job = finished_answers.request(
                study=study, upload=stored, read_options=form.read_options, by=call.user
            )
        except AnnotationError:
            uploads.forget_upload(study=study, name=stored["path"])
            raise
        return started(call, job, _("Started to import %(file)s.") % {"file": stored["filename"]})


def _read(call: ApiCall) -> tuple[dict[str, str], FinishedAnswersForm, FinishedFile | None]:
    """What the file is stored as, how it is read, and what it holds; a large one is not read."""
    study, given = call.study, dict(call.body)
    file: UploadedFile[Any] = given.pop("file")
    form = FinishedAnswersForm(study, data_of(FinishedAnswersForm(study), given))
    if not form.is_valid():
        raise wrong_fields(form)
    check_can_take(study)
    stored = uploads.store_upload(
        study=study, file=file, filename=file.name or "answers", by=call.user
    )
    try:
        path = uploads.upload(study=study, name=stored["path"])
        if not uploads.is_short(path):
            return stored, form, None
        return stored, form, finished_answers.look(study, form.source(path))
    except AnnotationError:
        uploads.forget_upload(study=study, name=stored["path"])
        raise
