"""The researcher's page of questionnaires: what it offers in which state of the study."""

import pytest

from tests.support.factories import make_open_study, make_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def test_without_questions_a_frozen_study_has_nothing_to_export_or_import() -> None:
    for study, is_offered in ((make_study(), True), (make_open_study(), False)):
        page = text(signed_in(study.owner).get(url(study, "questionnaires")))

        assert ('id="file-title"' in page) == is_offered
