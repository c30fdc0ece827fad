"""At most so many requests a minute, counted in the database: every process counts the same."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotation.core.services import throttle

_MINUTES = 1


class PerUser(BaseThrottle):
    """`API_REQUESTS_PER_MINUTE` of one user, by whichever token or session; 0: no limit."""

    def allow_request(self, request: Request, view: Any) -> bool:
        limit = settings.API_REQUESTS_PER_MINUTE
        # Nobody else comes as far.
        if not limit or not isinstance(request.user, User):
            return True
        n = throttle.count(bucket=f"api/{request.user.pk}", minutes=_MINUTES)
        return n <= limit

    def wait(self) -> float:
        """Until the next window begins."""
        return throttle.seconds_left(_MINUTES)
