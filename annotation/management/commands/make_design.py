"""Draw a draft study's tuples and compose its booklets."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.services import designs


class Command(BaseCommand):
    help = "Make the design of a draft study and print its certificate."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name (slug)")
        parser.add_argument("--json", action="store_true", help="the whole certificate as JSON")
        parser.add_argument("--seed", type=int, help="default: the one the study has")
        parser.add_argument("--tuple-size", type=int)
        parser.add_argument("--factor", type=float)
        parser.add_argument("--annotations-per-tuple", type=int)
        parser.add_argument("--questions-per-screen", type=int)
        parser.add_argument("--screens-per-booklet", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        names = (
            "tuple_size",
            "factor",
            "annotations_per_tuple",
            "questions_per_screen",
            "screens_per_booklet",
        )
        chosen = {name: options[name] for name in names if options[name] is not None}
        design = study.design
        try:
            design = designs.set_parameters(
                study=study,
                parameters=replace(designs.Parameters.of(design), **chosen),
                seed=design.seed if options["seed"] is None else options["seed"],
            )
            design = designs.make(design=design)
        except AnnotationError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            json.dump(design.certificate, sys.stdout, indent=1)
            self.stdout.write("")
            return
        assert design.certificate is not None  # a made design has one
        for sentence in (
            *design.certificate["sentences"],
            *design.certificate["booklets"]["notes"],
        ):
            self.stdout.write(sentence)
