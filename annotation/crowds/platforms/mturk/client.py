"""The clients of boto3 that send to Mechanical Turk, or to what speaks its requester API.

A client is told its keys and its address, and looks for none of them anywhere else.
"""

import os
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from annotation.crowds.platforms.mturk.environments import REGION, Credentials
from annotation.crowds.platforms.mturk.requester import hush

_CONNECT_SECONDS, _READ_SECONDS = 5, 20
_LOADING = Lock()


@lru_cache(maxsize=8)
def client(endpoint: str, credentials: Credentials) -> Any:
    """A boto3 client that sends once, to this address, with these keys."""
    # Only here: loading it takes long, and what no listing needs is not loaded with every page.
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        region_name=REGION,
        retries={"mode": "standard", "total_max_attempts": 1},
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        ignore_configured_endpoint_urls=True,
    )
    with _LOADING:
        made = _session().client(
            "mturk",
            endpoint_url=endpoint,
            aws_access_key_id=credentials.key_id,
            aws_secret_access_key=credentials.secret,
            config=config,
        )
    hush()
    return made


@cache
def _session() -> Any:
    """What all clients share: it reads the description of the service, which takes long, once."""
    import boto3  # noqa: PLC0415
    import botocore.session  # noqa: PLC0415

    # Neither a profile nor a file of the machine's user has a say in what is called, or how.
    nothing = {
        "profile": (None, None, None, None),
        "config_file": (None, None, os.devnull, None),
        "credentials_file": (None, None, os.devnull, None),
    }
    return boto3.Session(
        botocore_session=botocore.session.Session(session_vars=nothing), region_name=REGION
    )
