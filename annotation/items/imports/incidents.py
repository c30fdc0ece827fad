"""Incidents, one on each line of JSON Lines: a summary and the reports it was written from."""

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import is_check
from annotation.items.imports.entries import NAME_LIMIT
from annotation.items.imports.json_entry import Entry, with_turns
from annotation.items.imports.parsed import ParsedContext
from annotation.items.imports.problems import length_problem

_SUFFIX = "/summary"
_KNOWN = {"id", "domain", "source", "summary", "reports"}
_REPORTS = '[{"id": "r1", "sentences": ["First.", "Second."]}]'


class Incident(Entry):
    """A group of contexts: the summary, then each report, with ids that no other context has."""

    def read(self) -> None:
        entry, builder = self.entry, self.builder
        key = self.key(entry, "id")
        summary = f"{key}{_SUFFIX}"
        if key is not None and len(summary) > NAME_LIMIT:
            self.add("id", length_problem(len(key), NAME_LIMIT - len(_SUFFIX)))
        elif key is not None and builder.is_new_group(self.line, key):
            builder.is_new_context(self.line, "id", summary)
        if is_check(entry):
            self.add(
                "check",
                Problem(
                    "conflict",
                    _("%(field)s is given, but a selection study has no known answers"),
                    _("leave it out"),
                ),
            )
        group = builder.add_group(key or "")
        domain = self.name(entry, "domain", "domain")
        source = self.name(entry, "source", "source")
        turns, extras = self.sentences(entry, "summary", "summary")
        metadata = with_turns(self.further(entry, "", _KNOWN), extras)
        builder.add_context(
            self.line,
            ParsedContext(summary, tuple(turns), domain, source, metadata, group),
        )
        for where, report in self.objects(entry, "reports", _REPORTS):
            name = self.key(report, f"{where}.id")
            if name is not None:
                builder.is_new_context(self.line, f"{where}.id", name)
            # A report may come from another newspaper than the rest.
            of_domain = self.name(report, "domain", f"{where}.domain")
            of_source = self.name(report, "source", f"{where}.source")
            turns, extras = self.sentences(report, "sentences", f"{where}.sentences")
            further = self.further(report, f"{where}.", {"id", "domain", "source", "sentences"})
            builder.add_context(
                self.line,
                ParsedContext(
                    name or "",
                    tuple(turns),
                    of_domain or domain,
                    of_source or source,
                    with_turns(further, extras),
                    group,
                ),
            )
