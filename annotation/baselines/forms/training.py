"""The form that starts a training."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.baselines.queries import human_scores
from annotation.baselines.services.training_requests import (
    LIMITS,
    NAME,
    NO_NAME,
    LabellingOptions,
    TrainingRequest,
    TrainingSource,
)
from annotation.basics.errors import ImportProblemsError
from annotation.core.forms.fields import NumberField, plain_input
from annotation.items.imports import text_pairs
from annotation.kinds.registry import kind_of
from annotation.models import Study
from scoring.neural.models import MAX_NAME_LENGTH
from scoring.neural.trainees import KINDS
from scoring.neural.training_settings import TrainingSettings

_USUAL = TrainingSettings()
_ITSELF = ""
# The ranges that a search with Optuna covers: those of the papers.
SPACE: dict[str, Any] = {
    "batch_size": [8, 16, 32],
    "epochs": [1, 2, 3, 4],
    "warmup": {"low": 0.0, "high": 0.3},
    "learning_rate": {"low": 5e-6, "high": 1e-4, "log": True},
}
# How a study's own items are split.
AT_RANDOM, BY_CONDITION = "random", "condition"
_SETTINGS = ("epochs", "batch_size", "learning_rate", "warmup", "runs", "seed")


class TrainingForm(forms.Form):
    """A training as a researcher asks for it."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        widget=plain_input(),
        help_text=gettext_lazy("Name of the trained model and its folder."),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Type of model"),
        choices=[
            (
                "bi_encoder",
                gettext_lazy("a bi-encoder (two towers): it encodes each text by itself"),
            ),
            ("cross_encoder", gettext_lazy("a cross-encoder: it reads both texts at once")),
        ],
        initial="bi_encoder",
        widget=forms.RadioSelect,
    )
    model = forms.CharField(
        label=gettext_lazy("Base model"),
        max_length=MAX_NAME_LENGTH,
        widget=plain_input(list="models"),
        help_text=gettext_lazy(
            "A folder inside the models folder (LIKENESS_MODELS) or, if this server allows the "
            "Hugging Face hub, a name there, such as org/name."
        ),
    )
    on = forms.ChoiceField(
        label=gettext_lazy("Training data"),
        required=False,
        help_text=gettext_lazy("Test pairs are never used for training."),
    )
    limit = forms.TypedChoiceField(
        label=gettext_lazy("Filter for pairs of a selection study"),
        choices=[
            ("", gettext_lazy("all")),
            (
                LIMITS[0],
                gettext_lazy(
                    "pairs whose rating is at most 1 away from the value expected for their class "
                    "(N1)"
                ),
            ),
            (
                LIMITS[1],
                gettext_lazy(
                    "pairs whose rating is at most 2 away from the value expected for their class "
                    "(N2)"
                ),
            ),
        ],
        coerce=int,
        empty_value=None,
        required=False,
    )
    people = forms.ChoiceField(label=gettext_lazy("Scores to train and test on"), required=False)
    split = forms.ChoiceField(
        label=gettext_lazy("How the items of this study are split"),
        choices=[
            (AT_RANDOM, gettext_lazy("at random, into training and test items")),
            (
                BY_CONDITION,
                gettext_lazy(
                    "by a condition, for example on a column with the values train and test"
                ),
            ),
        ],
        initial=AT_RANDOM,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Only when training on this study itself. A random split keeps items of the same "
            "pool, dialogue or incident together."
        ),
    )
    share = NumberField(
        label=gettext_lazy("Training share"),
        min_value=0.01,
        max_value=0.99,
        initial=0.8,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "For a random split: 0.8 leaves about one fifth of the items for the test."
        ),
    )
    split_seed = forms.IntegerField(
        label=gettext_lazy("Seed of the split"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        required=False,
        help_text=gettext_lazy("The same seed gives the same split."),
    )
    where = forms.CharField(
        label=gettext_lazy("Only items that meet this condition"),
        max_length=500,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy(
            "In a split by condition, these items are for training and the others for testing. "
            "In a random split, or with pairs from another study, the others are left out. "
            "Example: split == 'train'. For pairs of a selection study, use the columns of its "
            "train.tsv, as in intended_class == 'similar'."
        ),
    )
    tests = forms.CharField(
        label=gettext_lazy("Test only on items that meet this condition"),
        max_length=500,
        required=False,
        widget=plain_input(),
        help_text=gettext_lazy(
            "Only for a split by condition. Leave empty to test on all other items with a score."
        ),
    )
    epochs = forms.IntegerField(
        label=gettext_lazy("Epochs"),
        min_value=1,
        max_value=100,
        initial=_USUAL.epochs,
        help_text=gettext_lazy("Number of passes over the pairs; 1 to 4 are usual."),
    )
    batch_size = forms.IntegerField(
        label=gettext_lazy("Batch size"),
        min_value=1,
        max_value=1024,
        initial=_USUAL.batch_size,
        help_text=gettext_lazy("Pairs per step. Choose fewer if memory runs out."),
    )
    learning_rate = NumberField(
        label=gettext_lazy("Learning rate"),
        min_value=1e-9,
        max_value=0.1,
        # Not in the notation that Python has for it.
        initial=f"{_USUAL.learning_rate:f}".rstrip("0"),
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy(
            "Peak learning rate of AdamW. After the warm-up, it falls linearly to 0."
        ),
    )
    warmup = NumberField(
        label=gettext_lazy("Warm-up"),
        min_value=0,
        max_value=0.9,
        initial=_USUAL.warmup,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=gettext_lazy("Share of the steps over which the learning rate rises from 0."),
    )
    runs = forms.IntegerField(
        label=gettext_lazy("Runs (seeds)"),
        min_value=1,
        max_value=50,
        initial=3,
        help_text=gettext_lazy(
            "Each run trains a model with its own seed. Tables show the mean and the standard "
            "deviation."
        ),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed of the first run"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=gettext_lazy(
            "It determines the order of the pairs and dropout. Each further run uses the next "
            "number."
        ),
    )
    loss = forms.ChoiceField(
        label=gettext_lazy("Loss of a cross-encoder"),
        choices=[
            ("bce", gettext_lazy("bce: binary cross-entropy")),
            ("mse", gettext_lazy("mse: mean squared error")),
        ],
        required=False,
        help_text=gettext_lazy("Bi-encoders always use the squared error of the cosine."),
    )
    trials = forms.IntegerField(
        label=gettext_lazy("Trials of the hyper-parameter search (Optuna)"),
        min_value=0,
        max_value=200,
        initial=0,
        required=False,
        help_text=gettext_lazy(
            "The search covers batch size, epochs, warm-up and learning rate. It uses one tenth "
            "of the training pairs for validation. Enter 0 for no search."
        ),
    )

    labeller = forms.CharField(
        label=gettext_lazy("Cross-encoder that labels additional pairs"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        widget=plain_input(list="models"),
        help_text=gettext_lazy(
            "A model trained here, or one in the models folder. It scores pairs that people have "
            "not scored. The bi-encoder is then trained on both kinds of pairs."
        ),
    )
    unscored = forms.BooleanField(
        label=gettext_lazy("Label the items of this study that have no score"), required=False
    )
    further = forms.FileField(
        label=gettext_lazy("Label the pairs of a file (TSV or CSV, UTF-8)"),
        required=False,
        help_text=gettext_lazy("One pair per line: text, tab, text. Test pairs are left out."),
    )

    # Fields that the page shows in a folded section.
    FURTHER = ("loss", "seed", "trials")
    LABELS = ("labeller", "unscored", "further")

    def __init__(
        self, study: Study, user: User, data: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.study = study
        # Only what this researcher may see.
        seen = Study.objects.seen_by(user).filter(state__in=Study.OVER).exclude(pk=study.pk)
        self.studies = {
            str(other.pk): other for other in seen.order_by("-pk") if _has_pairs(other)
        }
        self.sources = {str(n): source for n, source in enumerate(human_scores.sources(study))}
        self._choices("on", self._studies())
        self._choices(
            "people",
            [
                ("", _("the study's own result")),
                *((n, source.title) for n, source in self.sources.items()),
            ],
        )
        if study.earlier_round_id and str(study.earlier_round_id) in self.studies:
            self.initial.setdefault("on", str(study.earlier_round_id))

    def _choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def _studies(self) -> list[tuple[str, Any]]:
        return [
            (_ITSELF, _("a part of this study, split as follows")),
            *((key, other.title) for key, other in self.studies.items()),
        ]

    @property
    def unfolded(self) -> bool:
        """Whether something that the page folds up is wrong."""
        return bool(self.errors.keys() & {*self.FURTHER})

    @property
    def labels(self) -> bool:
        """Whether the part about labelled pairs has something in it."""
        return bool(self.errors.keys() & {*self.LABELS}) or bool(self["labeller"].value())

    def clean_further(self) -> Any:
        file = self.cleaned_data["further"]
        if file is not None:
            try:
                text_pairs.read(file.file)
            except ImportProblemsError as error:
                raise forms.ValidationError([str(sentence) for sentence in error.said]) from error
            file.seek(0)
        return file

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not NAME.fullmatch(name):
            raise forms.ValidationError(str(NO_NAME))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        other = self.studies.get(cleaned.get("on", _ITSELF))
        where = cleaned.get("where", "").strip()
        is_random = other is None and cleaned.get("split") == AT_RANDOM
        if other is None and not where and not is_random and "where" not in self.errors:
            self.add_error(
                "where", _("Say which items are for training. The others are for testing.")
            )
        for name in ("share", "split_seed") if is_random else ():
            if cleaned.get(name) is None and name not in self.errors:
                self.add_error(name, _("A random split needs this number."))
        if is_random and cleaned.get("tests", "").strip():
            self.add_error("tests", _("Leave this empty, because the split is random."))
        is_selected = other is not None and kind_of(other).baselines.has_selected_pairs
        if cleaned.get("limit") and not is_selected:
            self.add_error(
                "limit", _("These pairs do not come from a selection study. Choose “all”.")
            )
        if other is not None and cleaned.get("tests", "").strip():
            self.add_error(
                "tests", _("Leave this empty, because all items of this study are for testing.")
            )
        if other is not None and cleaned.get("people"):
            self.add_error(
                "people",
                _(
                    "This applies only when training on this study. Choose “the study's own "
                    "result”."
                ),
            )
        self._check_labels(cleaned)
        return cleaned

    def _check_labels(self, cleaned: dict[str, Any]) -> None:
        pairs = cleaned.get("unscored") or cleaned.get("further")
        if cleaned.get("labeller", "").strip():
            if cleaned.get("kind") == KINDS[1]:
                self.add_error(
                    "labeller",
                    _(
                        "Only a bi-encoder can use labelled pairs. Choose that type, or leave "
                        "this empty."
                    ),
                )
            if not pairs and "further" not in self.errors:
                self.add_error("further", _("Choose the pairs to label: a file or the items."))
        elif pairs and "labeller" not in self.errors:
            self.add_error("labeller", _("Name the cross-encoder that labels these pairs."))

    def wanted(self, upload: Mapping[str, str] | None = None) -> TrainingRequest:
        """`upload`: where the file of further pairs was stored."""
        given = self.cleaned_data
        labelled = None
        if given["labeller"].strip():
            labelled = LabellingOptions(given["labeller"].strip(), given["unscored"], upload)
        settings = {name: given[name] for name in _SETTINGS}
        if given["kind"] == KINDS[1] and given["loss"]:
            settings["loss"] = given["loss"]
        other = self.studies.get(given["on"])
        is_random = other is None and given["split"] == AT_RANDOM
        drawn = {"share": given["share"], "seed": given["split_seed"]} if is_random else {}
        learnt = TrainingSource(
            other,
            source=None if other else self.sources.get(given["people"]),
            limit=given["limit"],
            where=given["where"].strip(),
            tests=given["tests"].strip(),
            **drawn,
        )
        search = {"trials": given["trials"], "space": SPACE} if given["trials"] else {}
        return TrainingRequest(
            given["name"],
            given["kind"],
            given["model"],
            learnt,
            settings,
            search=search,
            labelled=labelled,
        )


def _has_pairs(study: Study) -> bool:
    """Whether a model could be trained on what people said there."""
    baselines = kind_of(study).baselines
    return baselines.has_selected_pairs or (
        baselines.scores is not None and study.results.exists()
    )
