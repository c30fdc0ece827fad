"""How the next release is described: who made it, who may use it, what changed."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.core.forms.fields import LongText
from annotation.core.queries.further_columns import listed
from annotation.models import Release, Study
from annotation.releases.exports.documents.questions import QUESTIONS
from annotation.releases.queries import left_out
from annotation.releases.release_description import (
    LICENCES,
    Description,
    DescriptionError,
    author_lines,
    authors_of,
)

NONE, OTHER = "", "other"
# In place of what is refused: what stands beside it is looked at, too.
_UNWRITTEN: dict[str, Any] = {
    "title": "-",
    "authors": [{"name": "-"}],
    "keywords": [],
    "datasheet": {},
    **dict.fromkeys(("summary", "licence", "url", "doi", "funding", "contact"), ""),
}
_LICENCES = (
    (NONE, gettext_lazy("none: others may not use the data")),
    ("CC-BY-4.0", gettext_lazy("CC BY 4.0: users must credit you")),
    ("CC-BY-SA-4.0", gettext_lazy("CC BY-SA 4.0: users must credit you and share alike")),
    ("CC-BY-NC-4.0", gettext_lazy("CC BY-NC 4.0: users must credit you; no commercial use")),
    ("CC0-1.0", gettext_lazy("CC0 1.0: no conditions")),
    ("ODC-By-1.0", gettext_lazy("ODC-By 1.0: for databases; users must credit you")),
    (OTHER, gettext_lazy("other")),
)


def _line(label: Any, help_text: Any = "", **options: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"class": "vTextField"})
    return forms.CharField(
        label=label, help_text=help_text, max_length=300, widget=widget, **options
    )


class ReleaseForm(forms.Form):
    """What cannot be is said beside its field, and nothing that was typed is lost."""

    title = _line(gettext_lazy("Title"))
    summary = LongText(
        label=gettext_lazy("Summary"),
        rows=4,
        max_length=20_000,
        help_text=gettext_lazy(
            "One paragraph that tells readers what the data set is. Markdown is allowed."
        ),
    )
    authors = LongText(
        label=gettext_lazy("Authors"),
        rows=4,
        max_length=20_000,
        help_text=gettext_lazy(
            "One per line: name; affiliation; ORCID. Affiliation and ORCID are optional."
        ),
    )
    licence = forms.ChoiceField(
        label=gettext_lazy("Licence"),
        required=False,
        choices=_LICENCES,
        widget=forms.Select(attrs={"class": "long-choices"}),
    )
    other_licence = _line(
        gettext_lazy("Other licence"),
        gettext_lazy(
            "Needed only if you choose “other”: the licence's identifier in the SPDX list "
            "(spdx.org/licenses), such as PDDL-1.0."
        ),
        required=False,
    )
    url = _line(
        gettext_lazy("Web address (URL)"),
        gettext_lazy("The address where the data will be available, if you know it."),
        required=False,
    )
    doi = _line(gettext_lazy("DOI"), required=False)
    keywords = _line(
        gettext_lazy("Keywords"), gettext_lazy("Separate them with commas."), required=False
    )
    funding = LongText(
        label=gettext_lazy("Funding"),
        rows=2,
        max_length=20_000,
        help_text=gettext_lazy("Who funded the work, with grant numbers."),
    )
    contact = _line(
        gettext_lazy("Contact"),
        gettext_lazy("A lasting e-mail or web address for questions about the data."),
        required=False,
    )
    exact_times = forms.BooleanField(
        label=gettext_lazy("Exact times"),
        required=False,
        help_text=gettext_lazy(
            "Publish the time of each answer to the millisecond; otherwise, tables contain only "
            "dates and durations. Combined with other information, exact times can identify a "
            "person."
        ),
    )
    comments = forms.BooleanField(
        label=gettext_lazy("Publish comments"),
        required=False,
        help_text=gettext_lazy(
            "What annotators wrote beside their answers, word for word. A comment "
            "may name somebody and cannot be withdrawn, so read them first."
        ),
    )
    metadata = forms.BooleanField(
        label=gettext_lazy("Publish other columns of the imported file"),
        required=False,
        help_text=gettext_lazy(
            "Annotators did not see these columns. They may name somebody and cannot be withdrawn."
        ),
    )
    notes = LongText(
        label=gettext_lazy("What changed"),
        rows=3,
        max_length=20_000,
        help_text=gettext_lazy(
            "Write in your own words, one point per line. Likeness adds the changes that it "
            "detects."
        ),
    )

    def __init__(self, study: Study, last: Release | None, data: Any = None) -> None:
        super().__init__(data, initial=_initial(study, last))
        if study.is_imported_table:
            # It has values, and no answers at any time.
            del self.fields["exact_times"]
        self.further_columns = left_out.further_columns(study)
        self.listed_columns = listed(self.further_columns)
        if self.further_columns:
            self.fields["metadata"].label = _(
                "Publish these columns of the imported file: %(names)s"
            ) % {"names": self.listed_columns}
        # Answers to questions of the datasheet are carried from release to release; those that
        # came from a file under another name, too.
        answers = dict(last.description["datasheet"]) if last else {}
        for question in QUESTIONS:
            self.fields[_field_of(question.key)] = LongText(
                label=question.question,
                rows=2,
                max_length=20_000,
                initial=answers.pop(question.key, ""),
            )
        self._unasked = answers
        self.description: Description | None = None

    @property
    def datasheet_groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The questions of the datasheet by heading; both in English, as the datasheet is."""
        groups: dict[str, list[forms.BoundField]] = {}
        for question in QUESTIONS:
            groups.setdefault(question.heading, []).append(self[_field_of(question.key)])
        return [*groups.items()]

    @property
    def has_answers(self) -> bool:
        """Whether a question is answered, so that they are shown."""
        return any(field.value() for _heading, fields in self.datasheet_groups for field in fields)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return given
        licence, other = given["licence"], given["other_licence"].strip()
        if licence == OTHER:
            licence = other
            if not licence:
                self.add_error(
                    "other_licence", _("Enter an identifier, or choose a licence from the list.")
                )
                return given
        elif other:
            self.add_error(
                "other_licence",
                _("You chose a licence from the list above. Choose “other” there, or empty this."),
            )
            return given
        data = {
            "title": given["title"],
            "summary": given["summary"],
            "authors": self._authors(given["authors"]),
            "licence": licence,
            "url": given["url"],
            "doi": given["doi"],
            "keywords": given["keywords"].split(","),
            "funding": given["funding"],
            "contact": given["contact"],
            "exact_times": given.get("exact_times", False),
            "comments": given["comments"],
            "metadata": given["metadata"],
            "datasheet": self._unasked
            | {question.key: given[_field_of(question.key)].strip() for question in QUESTIONS},
        }
        # As often as there is something wrong, so that all of it is said at once.
        for _field in data:
            try:
                description = Description.of(data)
            except DescriptionError as error:
                self._refuse(error, is_other=given["licence"] == OTHER)
                data[error.field] = _UNWRITTEN[error.field]
            else:
                self.description = None if self.errors else description
                break
        return given

    def _authors(self, text: str) -> list[dict[str, str]]:
        try:
            return [asdict(author) for author in authors_of(text)]
        except DescriptionError as error:
            self._refuse(error)
            return [{"name": "-"}]

    def _refuse(self, error: DescriptionError, *, is_other: bool = False) -> None:
        name = "other_licence" if is_other and error.field == "licence" else error.field
        self.add_error(name if name in self.fields else None, error.message)


def _field_of(key: str) -> str:
    return f"datasheet_{key}"


def _initial(study: Study, last: Release | None) -> dict[str, Any]:
    """From the last release, else from the study."""
    if last is None:
        return {"title": study.title, "authors": study.owner.get_full_name()}
    described = Description.of_release(last)
    is_listed = described.licence in ("", *LICENCES)
    return {
        "title": described.title,
        "summary": described.summary,
        "authors": author_lines(described.authors),
        "licence": described.licence if is_listed else OTHER,
        "other_licence": "" if is_listed else described.licence,
        "url": described.url,
        "doi": described.doi,
        "keywords": ", ".join(described.keywords),
        "funding": described.funding,
        "contact": described.contact,
        "metadata": described.metadata,
    }
