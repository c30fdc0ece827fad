"""Studies: find, create, read, edit their texts, delete a draft; and their state, step by step."""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import (
    PageQuery,
    Strict,
    Values,
    data_of,
    fields_of,
    wrong_fields,
)
from annotation.core.queries import consents
from annotation.kinds.described import EVERYBODY, FROZEN_FIELDS
from annotation.kinds.forms.describing import language_field
from annotation.kinds.queries.study_facts import study_counts
from annotation.kinds.registry import KINDS, kind_of
from annotation.models import AuditEvent, Study
from annotation.studies import presets
from annotation.studies.forms.studies import NewStudyForm
from annotation.studies.pages import (
    archived,
    copying,
    creating,
    describing,
    open_link,
    sharing,
    states,
)
from annotation.studies.services import archiving, contacts, copies, researchers, studies

_KINDS = [(slug, kind.slug.label) for slug, kind in KINDS.items()]
_ORDERS = ("created_at", "opened_at", "title", "slug")


class StudySerializer(serializers.ModelSerializer[Study]):
    owner = serializers.CharField(source="owner.username", help_text="Name of the account.")
    archived = serializers.SerializerMethodField(help_text="Lists leave it out.")

    class Meta:
        model = Study
        fields = [
            "slug",
            "title",
            "language",
            "kind",
            "state",
            "archived",
            "preset",
            "owner",
            "created_at",
            "opened_at",
        ]
        read_only_fields = fields

    def get_archived(self, study: Study) -> bool:
        return study.archived_at is not None


class CountsSerializer(serializers.Serializer[Any]):
    # Without those of checks.
    n_items = serializers.IntegerField()
    n_checks = serializers.IntegerField()
    n_tuples = serializers.IntegerField()
    n_booklets = serializers.IntegerField()
    n_places = serializers.IntegerField()
    n_people = serializers.IntegerField()
    n_counted_judgments = serializers.IntegerField()
    n_counted_simulated_judgments = serializers.IntegerField()


class ConsentSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(help_text="Of the text that new people agree to.")
    published_at = serializers.DateTimeField()
    asks_since = serializers.IntegerField(
        allow_null=True,
        help_text="Whoever agreed to an earlier version is asked anew; null: nobody is.",
    )
    n_agreed = serializers.IntegerField(help_text="How many agreed to the version.")
    n_unanswered = serializers.IntegerField(help_text="Asked anew, and not answered yet.")
    n_stopped = serializers.IntegerField(help_text="Asked anew, and did not agree.")


class WholeStudySerializer(StudySerializer):
    counts = CountsSerializer()
    consent = ConsentSerializer(allow_null=True)
    texts = serializers.DictField(help_text="As PATCH takes them; which, depends on the kind.")
    link_open = serializers.BooleanField()
    join_url = serializers.URLField(help_text="The open link, while it is on.")
    earlier_round = serializers.CharField(
        allow_null=True, help_text="Slug of the study it continues, if you may see that."
    )
    job = serializers.IntegerField(
        allow_null=True,
        help_text="The job that takes the items of another study, the last one; else null.",
    )

    class Meta(StudySerializer.Meta):
        fields = [
            *StudySerializer.Meta.fields,
            "earlier_round",
            "job",
            "counts",
            "consent",
            "texts",
            "link_open",
            "join_url",
        ]
        read_only_fields = fields


class StudiesQuery(PageQuery):
    state = serializers.ChoiceField(choices=Study.State.choices, required=False)
    kind = serializers.ChoiceField(choices=_KINDS, required=False)
    language = serializers.CharField(required=False, max_length=12)
    preset = serializers.ChoiceField(choices=[*presets.PRESETS], required=False)
    archived = serializers.BooleanField(
        default=False, help_text="Those in the archive, in the place of the others."
    )
    search = serializers.CharField(
        required=False, max_length=200, help_text="Part of the title or the slug."
    )
    ordering = serializers.ChoiceField(
        choices=[sign + name for name in _ORDERS for sign in ("", "-")],
        default="-created_at",
        help_text="With a minus the other way round.",
    )


class TextsSerializer(Strict):
    """Texts of a study: those that its kind has; what is left out stays as it is."""

    def get_fields(self) -> dict[str, Any]:
        return fields_of(*(kind.studies.describe_form for kind in KINDS.values()))


class EditedStudySerializer(TextsSerializer):
    def get_fields(self) -> dict[str, Any]:
        link = serializers.BooleanField(
            required=False, help_text="Whether anybody who has the link may take a place."
        )
        archived = serializers.BooleanField(
            required=False,
            help_text="Whether lists leave it out. A study that takes answers is not archived.",
        )
        return {**super().get_fields(), "link_open": link, "archived": archived}


class NewStudySerializer(Strict):
    title = serializers.CharField(max_length=200)
    preset = serializers.ChoiceField(choices=[*presets.PRESETS], default="best-worst")
    language = serializers.CharField(
        max_length=12, default="en", validators=language_field().validators
    )
    earlier_round = serializers.SlugField(
        required=False, help_text="Slug of the study that it continues."
    )
    n_groups = serializers.IntegerField(
        required=False, min_value=1, max_value=1_000_000, help_text="To draw from that study."
    )
    n_first = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Or the first groups of each person there, in their order.",
    )
    without_calibration = serializers.BooleanField(
        required=False, help_text="Leave out the items that calibrated there."
    )
    imported = serializers.BooleanField(
        default=False, help_text="Its values were collected elsewhere: nobody is asked here."
    )
    texts = TextsSerializer(required=False, help_text="In the place of the default texts.")


class StudyList(ApiView):
    @operation("studies_list", query=StudiesQuery, answers={200: paged_of(StudySerializer)})
    def get(self, asked: Asked) -> Response:
        """Your studies and those shared with you; the archived ones where they are asked for."""
        rows = _found(asked).select_related("owner")
        return paged(asked, rows, lambda page: StudySerializer(page, many=True).data)

    @operation(
        "studies_create", body=NewStudySerializer, answers={201: WholeStudySerializer}, refuses=()
    )
    def post(self, asked: Asked) -> Response:
        """A new draft with the numbers of a preset and the default texts of its language.

        With `imported` it is an imported study from the start, and its items come next.

        One that continues an earlier round has its items when the job is done.
        """
        given = dict(asked.body)
        texts = given.pop("texts", {})
        form = NewStudyForm(asked.user, _form_data(asked, given))
        if not form.is_valid():
            raise wrong_fields(form)
        creating.refuse(form)
        with transaction.atomic():
            study = creating.create_from(form, asked.user)
            _edit(study, texts)
        asked.log(creating.CREATED, of=study, kind=AuditEvent.Kind.CREATED)
        study.refresh_from_db()
        return Response(_whole(asked, study), status=201)


def _found(asked: Asked) -> QuerySet[Study]:
    query = asked.query
    seen = Study.objects.seen_by(asked.user)
    found = seen.archived() if query["archived"] else seen.listed()
    same = {name: query[name] for name in ("state", "kind", "language", "preset") if name in query}
    if search := query.get("search"):
        found = found.filter(Q(title__icontains=search) | Q(slug__icontains=search))
    return found.filter(**same).order_by(query["ordering"], "-pk")


def _form_data(asked: Asked, given: Values) -> Values:
    """As the page's form takes it, which names the earlier study by its key."""
    if slug := given.get("earlier_round"):
        form = NewStudyForm(asked.user)
        earlier = Study.objects.seen_by(asked.user).filter(slug=slug).first()
        choices = getattr(form.fields.get("earlier_round"), "queryset", Study.objects.none())
        if earlier is None or not choices.filter(pk=earlier.pk).exists():
            raise serializers.ValidationError(
                {"earlier_round": _("Name one of your studies that is closed or finished.")}
            )
        given = {**given, "earlier_round": earlier.pk}
    return given


class StudyDetail(ApiView):
    @operation("studies_read", answers={200: WholeStudySerializer})
    def get(self, asked: Asked, **ids: Any) -> Response:
        """A study with its numbers and its texts."""
        return Response(_whole(asked, asked.study))

    @operation("studies_edit", body=EditedStudySerializer, answers={200: WholeStudySerializer})
    def patch(self, asked: Asked, **ids: Any) -> Response:
        """Change texts; what people shall have seen alike is frozen once the study was opened."""
        study, given = asked.study, dict(asked.body)
        link_open = given.pop("link_open", study.link_open)
        was_archived = study.archived_at is not None
        is_archived = given.pop("archived", was_archived)
        with transaction.atomic():
            if is_archived != was_archived:
                act = archiving.archive if is_archived else archiving.restore
                act(study=study)
                asked.log(archived.ARCHIVED if is_archived else archived.RESTORED)
            names = _edit(study, given)
            if link_open != study.link_open:
                studies.edit(study=study, changes={"link_open": link_open})
                asked.log(open_link.said_of_link(link_open))
            if names:
                asked.log(describing.saved(names))
            if given.get("consent_asks") == EVERYBODY:
                study.refresh_from_db()
                asked.log(describing.asked_anew(study))
        study.refresh_from_db()
        return Response(_whole(asked, study))

    @operation("studies_delete", answers={204: None})
    def delete(self, asked: Asked, **ids: Any) -> Response:
        """Delete a draft that nobody has answered; only its owner may."""
        asked.refuse_others(sharing.ONLY_THE_OWNER)
        researchers.delete_draft(study=asked.study)
        return Response(status=204)


def _edit(study: Study, texts: Values) -> list[str]:
    """Change texts as the page does; return the names of what was changed."""
    if not texts:
        return []
    consent = studies.current_consent(study).text
    form_class = kind_of(study).studies.describe_form
    form = form_class(study, consent)
    given = data_of(form, texts)
    if form.is_frozen:
        # Of what is frozen only what is asked for is sent, and that is refused.
        frozen = form.fields.keys() - texts.keys()
        given = {
            name: value
            for name, value in given.items()
            if name not in frozen or form_class.column(name) not in FROZEN_FIELDS
        }
    form = form_class(study, consent, given)
    if not form.is_valid():
        raise wrong_fields(form)
    changes = form.changes()
    studies.edit(study=study, changes=changes)
    return [describing.name_of(form, name) for name in changes]


def _whole(asked: Asked, study: Study) -> Any:
    consent = consents.texts(study).first()
    form = kind_of(study).studies.describe_form(study, consent.text if consent else "")
    earlier = study.earlier_round
    is_seen = earlier and Study.objects.seen_by(asked.user).filter(pk=earlier.pk).exists()
    return {
        **StudySerializer(study).data,
        "earlier_round": earlier.slug if earlier and is_seen else None,
        "job": job.pk if (job := creating.copying_job(study)) else None,
        "counts": CountsSerializer(study_counts(study)).data,
        "consent": {
            "version": consent.version,
            "published_at": consent.created_at,
            "asks_since": study.consent_asked or None,
            "n_agreed": getattr(consent, "n_agreed", 0),
            "n_unanswered": consents.unanswered(study).count(),
            "n_stopped": consents.stopped(study).count(),
        }
        if consent
        else None,
        "texts": {
            name: form.get_initial_for_field(field, name) for name, field in form.fields.items()
        },
        "link_open": study.link_open,
        "join_url": open_link.join_url(asked.request, study),
    }


class CopySerializer(Strict):
    title = serializers.CharField(
        required=False, max_length=200, help_text="Left out: the title with “(copy)” after it."
    )
    with_items = serializers.BooleanField(
        default=True, help_text="Whether a job copies the items, too."
    )


class StudyCopies(ApiView):
    @operation("studies_copy", body=CopySerializer, answers={201: WholeStudySerializer})
    def post(self, asked: Asked, **ids: Any) -> Response:
        """A new draft of yours with the texts, numbers and settings of the study.

        People, answers, results, releases, links and sharing are not copied. Its items are there
        when the job is done.
        """
        study = asked.study
        draft = copies.begin(
            study=study,
            title=asked.body.get("title") or copies.proposed_title(study),
            with_items=asked.body["with_items"],
            by=asked.user,
        )
        asked.log(copying.COPIED)
        asked.log(copying.said_of_copy(study), of=draft, kind=AuditEvent.Kind.CREATED)
        return Response(_whole(asked, draft), status=201)


# -- State --------------------------------------------------------------------------------------


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
        help_text="To open: whom people can ask; stands in the consent text then, where a plan's"
        " text has square brackets.",
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
    def get(self, asked: Asked, **ids: Any) -> Response:
        """What can be done with the study in its state, and what each step would do."""
        return Response(_steps(asked.study))

    @operation("steps_take", body=WantedStepSerializer, answers={200: StepsSerializer})
    def post(self, asked: Asked, **ids: Any) -> Response:
        """Take a step, such as opening the study; asked for again, it changes nothing."""
        study, step = asked.study, states.STEPS[asked.body["step"]]
        if study.state != step.target:
            with transaction.atomic():
                if contact := asked.body.get("contact"):
                    study = contacts.fill_in(study=study, contact=contact)
                states.refuse_obstacles(study, step)
                study = states.take(
                    step,
                    study,
                    without_consent=asked.body["without_consent"],
                    seen_design=asked.body.get("design", ""),
                )
            asked.log(step.said, of=study)
        return Response(_steps(study))


def _steps(study: Study) -> Values:
    return {
        "state": study.state,
        "design": states.edition_of(study),
        "steps": [
            {
                "step": name,
                "consequences": [str(one) for one in step.consequences(study)],
                "obstacles": [str(one) for one in states.obstacles_of(study, step)],
            }
            for name, step in states.steps_of(study)
        ],
    }
