"""Models whose folder is a link: refused when somebody asks for them, as the job would do."""

from django.conf import settings

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import translated
from annotation.core.services.model_process import without_our_folders
from scoring.neural.models import refuse_links
from scoring.neural.refusals import ModelError


def refuse(model: str) -> None:
    """Raises AnnotationError as the job would, where the folder here is a link or holds one.

    A model that is not here may be where the worker is: that is for the job to find out.
    """
    try:
        refuse_links(model, settings.MODELS)
    except ModelError as error:
        raise AnnotationError(translated(without_our_folders(error.message))) from error
