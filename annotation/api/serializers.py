"""What the API says of a study, and what it may be asked."""

from typing import Any, get_args

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.exports.options import MOST_SENTENCES, RatingOptions
from annotation.models import Study
from annotation.queries.answers import POPULATIONS
from scoring.context_effects import TTest


class StudySerializer(serializers.ModelSerializer[Study]):
    class Meta:
        model = Study
        fields = ["slug", "title", "language", "kind", "state", "created_at", "opened_at"]
        read_only_fields = fields


class CountsSerializer(serializers.Serializer[dict[str, Any]]):
    # Without those of checks.
    n_items = serializers.IntegerField()
    n_checks = serializers.IntegerField()
    n_tuples = serializers.IntegerField()
    n_booklets = serializers.IntegerField()
    n_places = serializers.IntegerField()
    n_people = serializers.IntegerField()
    n_counted_judgments = serializers.IntegerField()
    n_counted_simulated_judgments = serializers.IntegerField()


class ExportQuerySerializer(serializers.Serializer[dict[str, Any]]):
    # The stubs take it for the argument `source` of every field.
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=POPULATIONS, default="people"
    )
    spreadsheet = serializers.BooleanField(default=False)
    # Of the test files of a rating study.
    context_sentences = serializers.IntegerField(
        min_value=0, max_value=MOST_SENTENCES, default=RatingOptions.context_sentences
    )
    level = serializers.FloatField(default=RatingOptions.level)
    corrected = serializers.BooleanField(default=RatingOptions.corrected)
    test = serializers.ChoiceField(choices=get_args(TTest), default=RatingOptions.test)

    def validate_level(self, level: float) -> float:
        """nan is refused, too."""
        if not 0 < level < 1:
            raise serializers.ValidationError(
                _("Level: choose a number between 0 and 1; 0.05 is usual.")
            )
        return level

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A name that is ignored would leave the caller with the answers of somebody else."""
        if unknown := sorted({*self.initial_data} - {*self.fields}):
            raise serializers.ValidationError(
                {
                    name: _("There is no such parameter; those that work are: %(names)s.")
                    % {"names": ", ".join(self.fields)}
                    for name in unknown
                }
            )
        return attrs
