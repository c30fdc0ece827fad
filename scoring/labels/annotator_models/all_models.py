"""All models of annotators for one batch of labels."""

from scoring.labels.annotator_models.dawid_skene import dawid_skene
from scoring.labels.annotator_models.glad import glad
from scoring.labels.annotator_models.mace import mace
from scoring.labels.annotator_models.model import LabelModel
from scoring.labels.labels import Labels


def label_models(labels: Labels) -> dict[str, LabelModel]:
    """Fit all models: Dawid-Skene, MACE and GLAD, by their names.

    Parameters
    ----------
    labels : Labels
        m answers of one category each. Only each person's first answer about a unit counts.
    """
    fits = (dawid_skene(labels), mace(labels), glad(labels))
    return {model.name: model for model in fits}
