"""The questions about people as JSON, the same as in their YAML file."""

from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import Strict
from annotation.questionnaires.queries import definitions
from annotation.questionnaires.services import definitions as services


class QuestionnairesSerializer(Strict):
    """The three questionnaires; one that is left out has no questions."""

    before = serializers.DictField(required=False, help_text="Before the task.")
    between = serializers.DictField(required=False, help_text="Before the second part.")
    after = serializers.DictField(required=False, help_text="After the task.")


class QuestionnaireView(ApiView):
    @operation("questionnaires_read", answers={200: QuestionnairesSerializer})
    def get(self, call: ApiCall) -> Response:
        """What people are asked about themselves."""
        return Response(definitions.of(call.study).as_json)

    @operation(
        "questionnaires_replace",
        body=QuestionnairesSerializer,
        answers={200: QuestionnairesSerializer},
        refuses=(409,),
    )
    def put(self, call: ApiCall) -> Response:
        """Replace all questions about people; frozen once the study has been opened."""
        study = services.put_all(study=call.study, data=call.body)
        every = definitions.of(study)
        call.log(_("Read %(n)s questions from a file.") % {"n": len(every.questions)})
        return Response(every.as_json)
