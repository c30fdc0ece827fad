"""The state of a study: what each step to another one would do, and taking it."""

from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import Strict, Values
from annotation.models import Study
from annotation.studies.pages import states
from annotation.studies.services import contacts


class StepSerializer(serializers.Serializer[Any]):
    step = serializers.ChoiceField(choices=[*states.STEPS])
    consequences = serializers.ListField(
        child=serializers.CharField(), help_text="What it will do."
    )
    obstacles = serializers.ListField(
        child=serializers.CharField(), help_text="Why it cannot be done now; empty: it can."
    )


class StepsSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Study.State.choices)
    design = serializers.CharField(
        help_text="The edition of the design that opening would freeze; empty: there is none."
    )
    steps = StepSerializer(many=True)


class WantedStepSerializer(Strict):
    step = serializers.ChoiceField(choices=[*states.STEPS])
    contact = serializers.CharField(
        required=False,
        max_length=200,
        help_text="To open: a person whom annotators can contact. Replaces the square brackets in"
        " the consent text of a preset.",
    )
    without_consent = serializers.BooleanField(
        default=False, help_text="To open: confirms that the study needs no consent text."
    )
    design = serializers.CharField(
        required=False,
        max_length=60,
        help_text="To open: the edition that was looked at; another one is refused.",
    )


class StudySteps(ApiView):
    @operation("steps_read", answers={200: StepsSerializer})
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """What can be done with the study in its state, and what each step would do."""
        return Response(_steps(call.study))

    @operation("steps_take", body=WantedStepSerializer, answers={200: StepsSerializer})
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Take a step, such as opening the study; asked for again, it changes nothing."""
        study, step = call.study, states.STEPS[call.body["step"]]
        if study.state != step.target:
            with transaction.atomic():
                if contact := call.body.get("contact"):
                    study = contacts.fill_in(study=study, contact=contact)
                states.refuse_obstacles(study, step)
                study = states.take(
                    step,
                    study,
                    without_consent=call.body["without_consent"],
                    seen_design=call.body.get("design", ""),
                )
            call.log(step.message, study=study)
        return Response(_steps(study))


def _steps(study: Study) -> Values:
    return {
        "state": study.state,
        "design": states.edition_of(study),
        "steps": [
            {
                "step": name,
                "consequences": [str(sentence) for sentence in step.consequences(study)],
                "obstacles": [str(sentence) for sentence in states.obstacles_of(study, step)],
            }
            for name, step in states.steps_of(study)
        ],
    }
