"""The WSGI application served by gunicorn; it does not load where something is missing."""

import os

from django.core.wsgi import get_wsgi_application

from config.checks import require_server
from config.gunicorn import CHECKED

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

if CHECKED not in os.environ:
    require_server(serves_pages=True)
application = get_wsgi_application()
