"""Items as the tables of rating and label studies list them: texts, contexts, what was known."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.core.queries.item_texts import ItemTexts, item_texts
from annotation.core.shown_items import ABOVE, beside_columns, question_of
from annotation.kinds.queries.answer_records import AnsweredStudy
from annotation.models import Check, Study
from scoring.arrays import BoolArray


def has_question(study: Study) -> bool:
    """Whether the imported file had a column of what stands above the texts."""
    return study.items.filter(metadata__has_key=ABOVE).exists()


class ListedItem(NamedTuple):
    """An item with its texts and what was known of it before anybody answered."""

    texts: ItemTexts
    domain: str
    source: str
    intended_class: str
    check: Check | None
    # Whether a main block asks for it: only then it is data.
    is_asked: bool

    @property
    def metadata(self) -> dict[str, Any]:
        """What the file said of the item in columns that have none here."""
        stored = self.texts.metadata
        return beside_columns(
            stored, domain=self.domain, source=self.source, question=question_of(stored)
        )


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item as a data set shows it."""

    # Its place among the items of the study.
    number: int
    key: str
    texts: tuple[str, str]
    # Each text in its marks, with the sentences around it.
    contexts: tuple[str, str]
    domain: str
    source: str
    intended_class: str
    group: str
    question: str


class ListedItems:
    """Every item by number.

    Reading them to the end fills `shown`, which data sets are written from: texts are read once.
    """

    def __init__(self, of: AnsweredStudy, is_asked: BoolArray, *, n_sentences: int) -> None:
        self.study = of.study
        self.items = of.read.items
        self.is_asked = is_asked
        self.n_sentences = n_sentences
        self.shown: list[ShownItem] = []
        self.checks = {check.item_id: check for check in of.study.checks.all()}

    def listed(self) -> Iterator[tuple[int, ListedItem]]:
        """Each item's place in the study, and the item."""
        items = self.items
        for n, texts in enumerate(item_texts(self.study)):
            item = ListedItem(
                texts=texts,
                domain=items.domains[n],
                source=items.sources[n],
                intended_class=items.classes[n],
                check=self.checks.get(items.pks[n]),
                is_asked=bool(self.is_asked[n]),
            )
            if item.is_asked:
                self.shown.append(self._shown(n, item))
            yield n, item

    def _shown(self, n: int, item: ListedItem) -> ShownItem:
        # Of a single text there is no first one to mark.
        first, second = (
            side.marked(self.n_sentences) if side.text else ""
            for side in (item.texts.target, item.texts.candidate)
        )
        return ShownItem(
            number=n,
            key=item.texts.key,
            texts=(item.texts.target.text, item.texts.candidate.text),
            contexts=(first, second),
            domain=item.domain,
            source=item.source,
            intended_class=item.intended_class,
            group=item.texts.group,
            question=question_of(item.texts.metadata),
        )
