"""Items: a page of them, and a file of them, which is looked at and then imported."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, FileView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.items.imports.columns import parse
from annotation.items.imports.parsed import ParsedItems
from annotation.items.queries import item_rows
from annotation.items.services import adding, imports, uploads
from annotation.models import Item

_KEPT = ("keep", "replace")


class ItemSerializer(serializers.ModelSerializer[Item]):
    id = serializers.CharField(source="key", help_text="As the imported file names it.")
    pool = serializers.CharField(source="pool.key")
    target = serializers.CharField(help_text="Empty in a study of single texts.")
    candidate = serializers.CharField()
    expected = serializers.FloatField(allow_null=True)
    earlier_rating = serializers.FloatField(allow_null=True)
    is_check = serializers.SerializerMethodField(help_text="Whether it has a known answer.")
    metadata = serializers.DictField()

    class Meta:
        model = Item
        fields = [
            "id",
            "number",
            "pool",
            "target",
            "candidate",
            "expected",
            "earlier_rating",
            "intended_class",
            "is_check",
            "metadata",
        ]
        read_only_fields = fields

    def get_is_check(self, item: Item) -> bool:
        alone, together = (
            getattr(row, "known_answer", None) is not None for row in (item, item.pool)
        )
        return alone or together


class ItemsQuery(PageQuery):
    pool = serializers.CharField(required=False, max_length=200)
    intended_class = serializers.CharField(required=False, max_length=40)
    checks = serializers.BooleanField(required=False, help_text="Only checks, or only others.")
    search = serializers.CharField(
        required=False, max_length=200, help_text="Part of the id, the target or the candidate."
    )


class FileSerializer(Strict):
    file = serializers.FileField(
        allow_empty_file=True, help_text="JSON lines, JSON, CSV or TSV, as the page takes it."
    )
    columns = serializers.CharField(
        required=False,
        max_length=100_000,
        help_text="Which column of a table is what, if its name does not say it: one ROLE=COLUMN"
        " a line, such as target=answer1. A role is one that the page names (target, candidate,"
        " text, id, group, expected, ...), metadata or leave_out.",
    )


class ImportSerializer(FileSerializer):
    earlier = serializers.ChoiceField(
        choices=_KEPT,
        required=False,
        help_text="What becomes of the items that are there; has to be said where some are.",
    )


class PreviewSerializer(serializers.Serializer[Any]):
    shape = serializers.CharField(help_text="dialogues, pairs, single or incidents.")
    is_beginning = serializers.BooleanField(
        help_text="Of a file of more than 1 MiB only the beginning was read."
    )
    n_items = serializers.IntegerField()
    n_check_items = serializers.IntegerField()
    n_pools = serializers.IntegerField()
    n_contexts = serializers.IntegerField()
    n_incidents = serializers.IntegerField()
    clashes = serializers.ListField(
        child=serializers.CharField(), help_text="Why it cannot be added to what is there."
    )


class ItemList(FileView):
    @operation(
        "items_list", query=ItemsQuery, answers={200: paged_of(ItemSerializer)}, tag="items"
    )
    def get(self, call: ApiCall) -> Response:
        """The items of a study, by number."""
        rows = item_rows.of_study(call.study).filter(_wanted(call.query))
        return paged(call, rows, lambda page: ItemSerializer(page, many=True).data)

    @operation("items_import", body=ImportSerializer, answers={202: JobSerializer}, tag="items")
    def post(self, call: ApiCall) -> Response:
        """Import a file in the background; if one item is wrong, none is.

        A file of up to 1 MiB is read before: its problems are answered, each with its line, its
        field and what to do. Those of a larger one are those of the job.
        """
        study, file = call.study, call.body["file"]
        columns = _columns(call)
        name, filename, _parsed = _read(call, file, columns)
        try:
            job = imports.request(
                study=study,
                name=name,
                filename=filename,
                earlier=call.body.get("earlier"),
                by=call.user,
                columns=columns,
            )
        except AnnotationError:
            uploads.forget_upload(study=study, name=name)
            raise
        return started(call, job, _("Started to import %(file)s.") % {"file": filename})


class ItemCheck(FileView):
    @operation("items_check", body=FileSerializer, answers={200: PreviewSerializer}, tag="items")
    def post(self, call: ApiCall) -> Response:
        """Read a file as the import would, and change nothing; of a large one its beginning."""
        study = call.study
        name, _filename, parsed = _read(call, call.body["file"], _columns(call))
        uploads.forget_upload(study=study, name=name)
        clashes = adding.clashes(study, parsed) if adding.can_add(study) else []
        return Response(
            PreviewSerializer(_preview(parsed, [str(sentence) for sentence in clashes])).data
        )


def _wanted(query: Values) -> Q:
    wanted = Q()
    if "pool" in query:
        wanted &= Q(pool__key=query["pool"])
    if "intended_class" in query:
        wanted &= Q(intended_class=query["intended_class"])
    if "checks" in query:
        is_other = Q(known_answer=None, pool__known_answer=None)
        wanted &= ~is_other if query["checks"] else is_other
    if search := query.get("search"):
        wanted &= (
            Q(key__icontains=search)
            | Q(target_text__icontains=search)
            | Q(target_turn__text__icontains=search)
            | Q(candidate_text__icontains=search)
            | Q(candidate_turn__text__icontains=search)
        )
    return wanted


def _columns(call: ApiCall) -> dict[str, str]:
    return parse(call.body.get("columns", "").splitlines())


def _read(
    call: ApiCall, file: "UploadedFile[Any]", columns: dict[str, str]
) -> tuple[str, str, ParsedItems]:
    """The name it is stored by, its own name, and what it holds."""
    study = call.study
    imports.refuse_opened(study)
    stored = uploads.store_upload(
        study=study, file=file, filename=file.name or "items", by=call.user
    )
    name, filename = stored["path"], stored["filename"]
    try:
        parsed = imports.read_beginning(study=study, name=name, filename=filename, columns=columns)
    except AnnotationError:
        uploads.forget_upload(study=study, name=name)
        raise
    return name, filename, parsed


def _preview(parsed: ParsedItems, clashes: list[str]) -> Any:
    return {
        "shape": parsed.shape,
        "is_beginning": parsed.is_beginning,
        "n_items": len(parsed.items),
        "n_check_items": parsed.n_check_items,
        "n_pools": parsed.n_pools,
        "n_contexts": len(parsed.contexts),
        "n_incidents": len(parsed.groups),
        "clashes": clashes,
    }
