"""Django's own, with an output that changes only where a sentence does; see scripts/messages."""

import re
from pathlib import Path

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    # A guess at a translation would be shown to nobody and would have to be found again.
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]

    # Where `_` is gettext's, a sentence kept as data is marked by this name.
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=sentence"]

    def write_po_file(self, potfile: str, locale: str) -> None:
        super().write_po_file(potfile, locale)
        for folder in self.locale_paths:
            path = Path(folder) / locale / "LC_MESSAGES" / f"{self.domain}.po"
            if path.exists():
                text = path.read_text("utf-8")
                path.write_text(re.sub(r'"POT-Creation-Date:.*\n', "", text), "utf-8")
