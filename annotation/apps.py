"""The one Django application of Likeness."""

from importlib import import_module

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    verbose_name = "Likeness"

    def ready(self) -> None:
        # What a server needs is registered with Django's checks.
        import_module("config.checks")
