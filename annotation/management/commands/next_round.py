"""`manage.py next_round STUDY NEXT`: makes a draft with items that were selected or rated."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.designs.services import rounds
from annotation.kinds.registry import KINDS, kind_of
from annotation.kinds.services.drawn_groups import Part
from annotation.management.own_jobs import own_job
from annotation.management.studies import StudyCommand
from annotation.models import Job, Study
from annotation.studies import presets
from annotation.studies.services import researchers, studies

_CONTINUING = sorted(
    key
    for key, preset in presets.PRESETS.items()
    if KINDS[preset.kind].designs.continues_rounds and not preset.review
)


class Command(StudyCommand):
    help = (
        "Make the next round of a closed or finished study: a draft with the pairs that people"
        " selected, or with the items that they rated and the mean ratings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("next", help="short name of the new draft")
        parser.add_argument(
            "--preset",
            choices=_CONTINUING,
            help="preset (default: czech-round-2 after a selection study, otherwise sts-context)",
        )
        parser.add_argument("--title", help="title of the draft (default: its short name)")
        parser.add_argument("--seed", type=int, help="seed of the draft (default: a random one)")
        parser.add_argument(
            "--groups",
            type=int,
            metavar="N",
            help="take N random groups; in a selection study, the three pairs of a sentence are a"
            " group, and an item without a group counts as one (default: all)",
        )
        parser.add_argument(
            "--first",
            type=int,
            metavar="N",
            help="instead, take the first N groups of each person, in the order of the answers",
        )
        parser.add_argument(
            "--without-calibration",
            action="store_true",
            help="leave out the calibration items of the earlier round",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        earlier = self.study_of(options)
        slug = options["next"]
        for name in ("groups", "first"):
            if options[name] is not None and options[name] < 1:
                raise CommandError(f"--{name}: choose 1 or more.")
        if options["seed"] is not None and options["seed"] < 0:
            raise CommandError("--seed: choose 0 or more.")
        part = Part(
            options["groups"],
            options["first"],
            with_calibration=not options["without_calibration"],
        )
        # The kind of the earlier study alone can be refused, whatever the preset.
        preset = options["preset"] or kind_of(earlier).studies.usual_next
        try:
            Study._meta.get_field("slug").run_validators(slug)
            rounds.refuse(earlier=earlier, part=part, kind=presets.PRESETS[preset].kind)
        except ValidationError as error:
            raise CommandError(f"{slug}: {' '.join(error.messages)}") from error
        except AnnotationError as error:
            raise CommandError(error.message) from error
        if Study.objects.filter(slug=slug).exists():
            raise CommandError(f"A study called {slug!r} already exists.")
        study = studies.create(
            owner=earlier.owner,
            title=options["title"] or slug,
            language=earlier.language,
            preset=preset,
            slug=slug,
            seed=options["seed"],
            earlier_round=earlier,
        )
        is_done = False
        try:
            with own_job(self) as on_start:
                job = jobs.run_here(
                    study=study,
                    kind=Job.Kind.CONTINUE,
                    parameters={"earlier": earlier.pk, **asdict(part)},
                    on_start=on_start,
                )
            is_done = job.state == Job.State.DONE
        finally:
            if not is_done:
                researchers.delete_draft(study=study)
        if not is_done:
            raise CommandError("\n".join(job.problems) or job.said)
        n = study.items.count()
        facts = {"study": slug, "earlier": earlier.slug, "items": n}
        self.say(options, facts, f"{slug} has {n} items from {earlier.slug}.")
