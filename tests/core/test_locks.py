"""Locks are held to the end of a transaction, so there must be one."""

import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError

from annotation.core.services.locks import lock_study
from tests.support.factories import make_study


@pytest.mark.django_db(transaction=True)
def test_a_study_is_locked_within_a_transaction_only() -> None:
    study = make_study()

    with pytest.raises(TransactionManagementError, match="within a transaction"):
        lock_study(study.pk)
    with transaction.atomic():
        assert lock_study(study.pk) == study
