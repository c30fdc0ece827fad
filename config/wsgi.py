"""The WSGI application served by gunicorn; it does not load where something is missing."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from config.checks import require_server

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Once, before its workers are forked: one forked later starts although the database is away just
# then; it will be back.
require_server(serves_pages=True)
application = get_wsgi_application()
# Workers share what is loaded before they are forked; config/gunicorn.py loads the rest.
import_module("config.annotator_urls")
