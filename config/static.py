"""Static files under names that change with their content, so that browsers never ask twice."""

from functools import cached_property

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """The modules that a script imports are hashed like the script itself.

    Otherwise each of them is asked for again on nearly every page, one after the other.
    """

    support_js_module_import_aggregation = True

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {}

    def url(self, name: str, force: bool = False) -> str:
        # A page names twenty files, and the manifest is read only once anyway.
        if force or name not in self._urls:
            self._urls[name] = super().url(name, force)
        return self._urls[name]
