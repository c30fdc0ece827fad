"""What `make run` prints of the account, where there is one already."""

from pathlib import Path
from typing import Any

import pytest

from annotation.management.commands import serve
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_new_password_is_set_in_the_data_that_are_served(settings: Any, tmp_path: Path) -> None:
    make_user("researcher", is_superuser=True)
    command = ".venv/bin/python manage.py changepassword researcher)"

    settings.DATA = settings.BASE_DIR / "var"
    [usual] = serve._researcher("http://127.0.0.1:8000")
    settings.DATA = tmp_path / "of the crowd"
    [other] = serve._researcher("http://127.0.0.1:8000")

    assert usual.endswith(f" a new one: {command}")
    assert other.endswith(f" a new one: LIKENESS_DATA='{tmp_path}/of the crowd' {command}")
