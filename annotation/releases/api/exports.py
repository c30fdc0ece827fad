"""The data set of a study as a ZIP."""

from typing import Any, get_args

from django.http import FileResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import Strict
from annotation.core.queries.counted_answers import POPULATIONS
from annotation.kinds.exports.options import MAX_CONTEXT_SENTENCES, ExportOptions
from annotation.releases.exports import archive
from scoring.ratings.context_effects import ChosenTest


class ExportQuery(Strict):
    # The stubs take it for the argument `source` of every field.
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=POPULATIONS, default="people"
    )
    spreadsheet = serializers.BooleanField(
        default=False, help_text="Texts that a spreadsheet would compute get an apostrophe."
    )
    # Of the test files of a rating study.
    context_sentences = serializers.IntegerField(
        min_value=0, max_value=MAX_CONTEXT_SENTENCES, default=ExportOptions.context_sentences
    )
    level = serializers.FloatField(default=ExportOptions.level)
    corrected = serializers.BooleanField(default=ExportOptions.corrected)
    test = serializers.ChoiceField(choices=get_args(ChosenTest), default=ExportOptions.test)

    def validate_level(self, level: float) -> float:
        """nan is refused, too."""
        if not 0 < level < 1:
            raise serializers.ValidationError(
                _("Significance level: choose a number between 0 and 1; 0.05 is usual.")
            )
        return level


class StudyExport(ApiView):
    @operation(
        "export_read",
        query=ExportQuery,
        answers={(200, "application/zip"): OpenApiTypes.BINARY},
        refuses=(409,),
        tag="export",
    )
    def get(self, call: ApiCall, **ids: Any) -> FileResponse:
        """The data set of today, with the options of rating studies; a large one takes a while."""
        study, wanted = call.study, call.query
        file = archive.temporary_archive(
            study,
            wanted["source"],
            spreadsheet=wanted["spreadsheet"],
            options=ExportOptions.of(wanted),
        )
        call.hand_out(f"{study.slug}.zip")
        return FileResponse(
            file, as_attachment=True, filename=f"{study.slug}.zip", content_type="application/zip"
        )
