"""`manage.py next_round STUDY NEXT`: a draft whose items were selected or rated before."""

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
        "Make the next round of a study that is closed or finished: a draft with the pairs that"
        " people selected, or with the items that they rated and their mean ratings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("next", help="short name of the draft that is made")
        parser.add_argument(
            "--preset",
            choices=_CONTINUING,
            help="its numbers (default: czech-round-2 after a selection, else sts-context)",
        )
        parser.add_argument("--title", help="default: the short name")
        parser.add_argument("--seed", type=int, help="of what is drawn (default: a random one)")
        parser.add_argument(
            "--groups",
            type=int,
            metavar="N",
            help="draw so many groups; of a selection the three pairs of a sentence are one, and"
            " an item that is in no group counts as one (default: all)",
        )
        parser.add_argument(
            "--first",
            type=int,
            metavar="N",
            help="or take the first N groups of each person who answered, in their order",
        )
        parser.add_argument(
            "--without-calibration",
            action="store_true",
            help="leave out the items that calibrated the earlier round",
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
        # Where nothing can go on with such a study, that is refused, whatever the preset.
        preset = options["preset"] or kind_of(earlier).studies.usual_next
        try:
            Study._meta.get_field("slug").run_validators(slug)
            rounds.refuse(earlier=earlier, part=part, kind=presets.PRESETS[preset].kind)
        except ValidationError as error:
            raise CommandError(f"{slug}: {' '.join(error.messages)}") from error
        except AnnotationError as error:
            raise CommandError(error.message) from error
        if Study.objects.filter(slug=slug).exists():
            raise CommandError(f"There is a study {slug!r} already.")
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
        self.say(options, facts, f"{slug} has {n} items of {earlier.slug}.")
