"""Models that are trained on what people said."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.baselines.forms.training import TrainingForm
from annotation.baselines.services import training
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import (
    PageQuery,
    Strict,
    Values,
    data_of,
    fields_of,
    wrong_fields,
)
from annotation.models import Training


class TrainingSerializer(serializers.ModelSerializer[Training]):
    parameters = serializers.DictField(help_text="How it was trained, and on what.")
    figures = serializers.DictField(help_text="What it finds in each test, beside other facts.")

    class Meta:
        model = Training
        fields = [
            "id",
            "name",
            "kind",
            "model",
            "revision",
            "parameters",
            "figures",
            "device",
            "seconds",
            "trained_at",
            "code_version",
        ]
        read_only_fields = fields


class WantedTrainingSerializer(Strict):
    """As the page asks for it; what is left out is as the page proposes it."""

    def get_fields(self) -> dict[str, Any]:
        # A file of pairs to label is taken by the page.
        fields = fields_of(TrainingForm, without=("on", "people", "further"))
        on = serializers.SlugField(
            required=False,
            allow_blank=True,
            max_length=60,
            help_text="Slug of the study that it is trained on; empty: a part of this one.",
        )
        people = serializers.CharField(
            required=False,
            allow_blank=True,
            max_length=200,
            help_text="Whose scores, in this study: the title of a source; empty: its result.",
        )
        return {**fields, "on": on, "people": people}


class TrainingList(ApiView):
    @operation(
        "trainings_list",
        query=PageQuery,
        answers={200: paged_of(TrainingSerializer)},
        tag="baselines",
    )
    def get(self, call: ApiCall) -> Response:
        """The models that were trained, the latest first, with what they find."""
        rows = call.study.trainings.order_by("-pk")
        return paged(call, rows, lambda page: TrainingSerializer(page, many=True).data)

    @operation(
        "trainings_start",
        body=WantedTrainingSerializer,
        answers={202: JobSerializer},
        tag="baselines",
    )
    def post(self, call: ApiCall) -> Response:
        """Train a model and test it, in the background."""
        empty = TrainingForm(call.study, call.user)
        del empty.fields["further"]
        given = data_of(empty, _as_sent(empty, call.body))
        form = TrainingForm(call.study, call.user, given)
        if not form.is_valid():
            raise wrong_fields(form)
        job = training.request(study=call.study, wanted=form.wanted(), by=call.user)
        message = _("Started to train %(name)s.") % {"name": form.cleaned_data["name"]}
        return started(call, job, message)


def _as_sent(form: TrainingForm, given: Values) -> Values:
    """The page names a study by its key, and a source by its place."""
    fields = dict(given)
    known = {
        "on": {other.slug: key for key, other in form.studies.items()},
        "people": {source.title: key for key, source in form.sources.items()},
    }
    for field, keys in known.items():
        name = given.get(field)
        if not name:
            continue
        if name not in keys:
            message = _(
                "There is no study or source of scores with this name. Available: %(names)s."
            )
            names = ", ".join(keys) or "–"
            raise serializers.ValidationError({field: str(message % {"names": names})})
        fields[field] = keys[name]
    return fields
