"""What the categories of a label study have to be."""

from annotation.basics.categories import Categories, CategoriesError
from annotation.basics.reviewed import Review
from annotation.basics.sentences import sentence as _
from annotation.kinds.label.presets import review_of
from annotation.models import Study


def check_categories(study: Study, categories: Categories) -> None:
    """Raise CategoriesError if a study made from its preset could not be read with these.

    An expert check knows the two sides of the middle by their place alone.
    """
    if review_of(study.preset) != Review.EXPERTS:
        return
    if len(categories.names) != 2 or categories.is_several:
        raise CategoriesError(
            _(
                "An expert check needs exactly two categories and one choice per item. The "
                "first line means above the middle, the second below."
            )
        )
