"""A fresh web process that answers one screen, and what it has loaded by then.

`python -m tests.support.first_page /a/KEY/s/1/` prints it as JSON. What reads the page is written
without the rest of the tests' tools, which load nearly everything.
"""

import json
import os
import sys

import django
from django.test import Client
from django.utils.module_loading import import_string

from tests.support.form_reader import FormReader

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def main(address: str) -> None:
    django.setup()
    client = Client(SERVER_NAME="localhost")
    shown = client.get(address)
    page = FormReader(shown.content.decode())
    form = page.forms[address]
    for n, (name, options) in enumerate(page.options.items()):
        form[name] = options[n % len(options)]
    saved = client.post(address, {**form, "go": "next"})
    # The screens of the other kinds of studies.
    for kind in import_string("annotation.kinds.registry.KINDS").values():
        assert kind.answering
    loaded = sorted(sys.modules)
    # Afterwards the same process answers a researcher.
    of_researchers = client.get("/admin/login/")
    statuses = [response.status_code for response in (shown, saved, of_researchers)]
    sys.stdout.write(json.dumps({"statuses": statuses, "loaded": loaded}))


if __name__ == "__main__":
    main(sys.argv[1])
