"""The design: its numbers, what follows from them, its certificate; and the planner."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import Strict, data_of, fields_of, wrong_fields
from annotation.designs.pages.design import AnyForm, field_at_fault, form_of
from annotation.designs.queries.prices import priced
from annotation.designs.services import designs
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.registry import KINDS, kind_of
from annotation.models import Study
from annotation.studies.services import studies


class DesignSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    is_pilot = serializers.BooleanField()
    numbers = serializers.DictField(help_text="As PATCH takes them; which, depends on the kind.")
    is_made = serializers.BooleanField()
    made_at = serializers.DateTimeField(allow_null=True)
    frozen_at = serializers.DateTimeField(allow_null=True)
    code_version = serializers.CharField()
    certificate = serializers.DictField(allow_null=True, help_text="Null until it is made.")
    sentences = serializers.ListField(
        child=serializers.CharField(), help_text="The certificate in words."
    )
    warnings = serializers.ListField(child=serializers.CharField())


class NumbersSerializer(Strict):
    """Numbers of a design: those that its kind has; what is left out stays as it is."""

    def get_fields(self) -> dict[str, Any]:
        return fields_of(*(kind.designs.form for kind in KINDS.values()))


class Design(ApiView):
    @operation("design_read", answers={200: DesignSerializer}, tag="design")
    def get(self, call: ApiCall) -> Response:
        """The numbers of the design, and its certificate once it is made."""
        return Response(_shown(call.study))

    @operation(
        "design_edit", body=NumbersSerializer, answers={200: DesignSerializer}, tag="design"
    )
    def patch(self, call: ApiCall) -> Response:
        """Change numbers. Other ones throw away a design that was made of the earlier ones."""
        study = call.study
        form = form_of(study)
        given = data_of(form, call.body)
        if form.design.is_frozen:
            # Of what is frozen only what is asked for is sent, and that is refused.
            sent_names = {*call.body, *form.SETTINGS}
            given = {name: value for name, value in given.items() if name in sent_names}
        form = form_of(study, given)
        if not form.is_valid():
            raise wrong_fields(form)
        try:
            _save(study, form)
        except ImpossibleParametersError as error:
            raise serializers.ValidationError(
                {field_at_fault(form, error) or "non_field_errors": error.message}
            ) from error
        if form.changed_data:
            call.log(_("Saved the settings."))
        study.refresh_from_db()
        return Response(_shown(study))


class DesignMake(ApiView):
    @operation("design_make", answers={202: JobSerializer}, tag="design")
    def post(self, call: ApiCall) -> Response:
        """Draw tuples and booklets from the saved numbers, in the background."""
        job = designs.request(study=call.study, by=call.user)
        return started(call, job, _("Started making the design."))


def _save(study: Study, form: AnyForm) -> None:
    if not form.design.is_frozen:
        # Refused here, with the nearest numbers that work, rather than later by a job.
        kind_of(study).designs.refuse_impossible(study, form.parameters)
    if form.changes_design:
        seed = form.cleaned_data["seed"]
        designs.set_parameters(study=study, parameters=form.parameters, seed=seed)
    studies.edit(study=study, changes=form.settings)


def _shown(study: Study) -> Any:
    form = form_of(study)
    row = form.design
    of_kind = kind_of(study).designs
    return DesignSerializer(
        {
            "number": row.number,
            "is_pilot": row.study.pilot_of_id is not None,
            "numbers": {
                name: form.get_initial_for_field(field, name)
                for name, field in form.fields.items()
            },
            "is_made": row.is_made,
            "made_at": row.made_at,
            "frozen_at": row.frozen_at,
            "code_version": row.code_version,
            "certificate": row.certificate,
            "sentences": of_kind.certificate(row),
            "warnings": [str(warning) for warning in of_kind.warnings(row)],
        }
    ).data


# -- Planner ------------------------------------------------------------------------------------


class PlanQuery(Strict):
    """What is supposed; left out: as the design has it, or usual. Which, depends on the kind."""

    def get_fields(self) -> dict[str, Any]:
        every: dict[str, Any] = {}
        for kind in KINDS.values():
            if form := kind.designs.plan_form:
                every |= fields_of(form, without=("known_from",))
        return every


class CostSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="Of the platform.")
    total = serializers.CharField(help_text="With its fees, if everybody is paid.")


class ForecastRowSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Answers to each question.")
    value = serializers.FloatField(
        allow_null=True, help_text="Of the figure: mean over the simulated studies."
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    others = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="Means of the other figures, in their order.",
    )
    n_answers = serializers.IntegerField()
    hours = serializers.FloatField()
    n_people = serializers.IntegerField()
    costs = CostSerializer(many=True)
    is_chosen = serializers.BooleanField()
    is_enough = serializers.BooleanField()


class AlternativeSerializer(serializers.Serializer[Any]):
    tuple_size = serializers.IntegerField()
    factor = serializers.FloatField()
    n_tuples = serializers.IntegerField()
    n_each = serializers.IntegerField(
        allow_null=True,
        help_text="Fewest answers to each tuple with which the average study reaches what is"
        " required; null: more than asked about.",
    )
    n_answers = serializers.IntegerField(allow_null=True)
    hours = serializers.FloatField(allow_null=True)
    is_chosen = serializers.BooleanField()
    is_shortest = serializers.BooleanField()


class ForecastSerializer(serializers.Serializer[Any]):
    supposed = serializers.DictField()
    figure = serializers.CharField(help_text="What the values are of.")
    others = serializers.ListField(child=serializers.CharField())
    enough = serializers.IntegerField(
        allow_null=True,
        help_text="Fewest answers with which the average study reaches what is required; null:"
        " more than asked about.",
    )
    currency = serializers.CharField()
    rows = ForecastRowSerializer(many=True)
    alternatives = AlternativeSerializer(
        many=True, help_text="Designs of other tuples, where `compare` asks for them."
    )


class Plan(ApiView):
    @operation(
        "plan_read",
        query=PlanQuery,
        answers={200: ForecastSerializer},
        refuses=(409,),
        tag="design",
    )
    def get(self, call: ApiCall) -> Response:
        """What a study may be expected to find and to cost, simulated."""
        study = call.study
        plan_form = kind_of(study).designs.plan_form
        if plan_form is None:
            raise StateError(kind_of(study).designs.no_forecast)
        if not study.has_material:
            raise StateError(_("There are no items yet. Import them first."))
        known = plan_form.usual(study)
        if unfit := sorted({*call.query} - {*known}):
            raise serializers.ValidationError(
                {
                    name: str(_("The forecast for this kind of study does not use this."))
                    for name in unfit
                }
            )
        supposed = {**known, **call.query}
        form = plan_form(study, [], supposed)
        if not form.is_valid():
            raise wrong_fields(form)
        outcome = priced(study, form.forecast(), **form.pay)
        answer = {
            "supposed": supposed,
            "figure": outcome.words.figure,
            "others": outcome.words.others,
            "enough": outcome.enough,
            "currency": form.cleaned_data["currency"],
            "rows": [asdict(row) for row in outcome.rows],
            "alternatives": [asdict(design) for design in form.alternatives()],
        }
        return Response(ForecastSerializer(answer).data)
