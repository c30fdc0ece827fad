"""Creating and describing a study."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.kinds.forms.describing import language_field
from annotation.kinds.presets import Preset
from annotation.kinds.registry import KINDS, kind_of
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import copies


class NewStudyForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        help_text=gettext_lazy("Annotators see it too."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("Preset"),
        choices=[(preset.key, preset.name) for preset in presets.PRESETS.values()],
        initial="best-worst",
        widget=forms.RadioSelect,
    )
    language = language_field()
    imported = forms.BooleanField(
        label=gettext_lazy("Imported: the values were collected elsewhere"),
        required=False,
        help_text=gettext_lazy(
            "For a table of items with published values, or for answers that another tool"
            " collected. Likeness collects no answers in such a study. You can turn it back into a"
            " draft as long as it has no answers and no release, and no other study uses its"
            " items."
        ),
    )
    earlier_round = forms.ModelChoiceField(
        label=gettext_lazy("Earlier study"),
        queryset=Study.objects.none(),
        required=False,
        empty_label=gettext_lazy("no other study"),
        help_text=gettext_lazy(
            "A rating study can continue a closed, finished or imported rating study "
            "(items keep their mean ratings) or selection study (chosen sentences become "
            "pairs). For an expert check or a review, choose the scored study to examine and "
            "leave the fields below empty: you choose the items on the next page."
        ),
    )
    n_groups = forms.IntegerField(
        label=gettext_lazy("Number of groups to take"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=gettext_lazy(
            "Leave empty for all; otherwise this many are drawn at random. In a selection "
            "study, each answer gives one group of three pairs. In a rating study, an item "
            "without a group counts as a group."
        ),
    )
    n_first = forms.IntegerField(
        label=gettext_lazy("Or: number of first groups per person"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=gettext_lazy(
            "This takes the first groups that each person answered in the earlier study, up to "
            "this number. Nothing is drawn at random. A group that several people answered is "
            "taken once."
        ),
    )
    without_calibration = forms.BooleanField(
        label=gettext_lazy("Leave out the earlier study's calibration items"),
        required=False,
        help_text=gettext_lazy(
            "Otherwise they are copied and become calibration items of the new design."
        ),
    )

    # Which items of the earlier round are taken.
    OF_PART = ("n_groups", "n_first", "without_calibration")

    def __init__(
        self,
        user: User,
        data: Mapping[str, Any] | None = None,
        *,
        continues: str = "",
        preset: str = "",
    ) -> None:
        """`continues`, `preset`: key of the study to be continued and plan, as a link has them."""
        super().__init__(data)
        earlier = self.fields["earlier_round"]
        assert isinstance(earlier, forms.ModelChoiceField)
        earlier.queryset = Study.objects.edited_by(user).filter(
            kind__in={
                kind
                for preset in presets.PRESETS.values()
                for kind in presets.continued_kinds(preset)
            },
            state__in=Study.OVER,
        )
        if continues.isdecimal():
            self._propose(earlier.queryset.filter(pk=int(continues[:18])).first(), preset)
        if not earlier.queryset.exists():
            for name in ("earlier_round", *self.OF_PART):
                del self.fields[name]

    def _propose(self, earlier: Study | None, preset: str) -> None:
        if earlier is None:
            return
        wanted = presets.PRESETS.get(preset)
        fits = wanted is not None and earlier.kind in presets.continued_kinds(wanted)
        self.initial = {
            "earlier_round": earlier.pk,
            "language": earlier.language,
            "preset": preset if fits else kind_of(earlier).studies.usual_next,
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        preset = presets.PRESETS.get(cleaned.get("preset", ""))
        earlier = cleaned.get("earlier_round")
        if preset and "earlier_round" not in self.errors:
            field, problem = self._problem(preset, earlier)
            if problem:
                self.add_error(field, problem)
        if cleaned.get("imported") and preset:
            field, problem = self._imported_problem(preset, earlier)
            if problem:
                self.add_error(field, problem)
        for name in self.OF_PART:
            if not cleaned.get(name):
                continue
            if not earlier:
                self.add_error(name, _("Choose the study to draw them from."))
            elif preset and preset.review:
                self.add_error(name, _("Leave this empty. You choose the items on the next page."))
        return cleaned

    @property
    def part(self) -> Part:
        """What is taken of the earlier round."""
        cleaned = self.cleaned_data
        return Part(
            cleaned.get("n_groups"),
            cleaned.get("n_first"),
            with_calibration=not cleaned.get("without_calibration"),
        )

    def _imported_problem(self, preset: Preset, earlier: Study | None) -> tuple[str, str]:
        """The field to mend and what is wrong, if a plan cannot have imported values."""
        if preset.review or KINDS[preset.kind].studies.why_no_imported_values:
            return "preset", _(
                "This preset collects answers from people. Choose another one for imported values."
            )
        if earlier:
            return "earlier_round", _("An imported study has its own items. Leave this empty.")
        return "", ""

    def _problem(self, preset: Preset, earlier: Study | None) -> tuple[str, str]:
        """The field to mend and what is wrong, if a plan cannot go on with a study."""
        if preset.review and "earlier_round" not in self.fields:
            return "preset", _(
                "This preset needs a scored study, and no study is closed or finished "
                "yet. Close one first."
            )
        continued = presets.continued_kinds(preset)
        if preset.review and (earlier is None or earlier.kind not in continued):
            return "earlier_round", _(
                "This preset needs a scored study. Choose a best-worst, ranking or rating study."
            )
        if earlier is None or earlier.kind in continued:
            return "", ""
        if KINDS[preset.kind].designs.continues_rounds:
            return "earlier_round", _(
                "A rating preset can only continue a rating study or a selection "
                "study. Choose one of these."
            )
        return "earlier_round", _(
            "Only a rating study can continue another study. Choose a preset with ratings."
        )


class CopyForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=200,
        help_text=gettext_lazy("Annotators see it too."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    with_items = forms.BooleanField(
        label=gettext_lazy("Copy the items as well"), required=False, initial=True
    )

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"title": copies.proposed_title(study)})
        if not study.has_material:
            del self.fields["with_items"]
