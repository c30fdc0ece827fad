"""`manage.py copy_study STUDY COPY`: makes a draft with a study's texts, parameters and items."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.core.services import jobs
from annotation.management.own_jobs import own_job
from annotation.management.studies import StudyCommand, refusals
from annotation.models import Job, Study
from annotation.studies.services import copies, researchers, studies


class Command(StudyCommand):
    help = (
        "Copy a study to a new draft with the same texts, settings, design parameters and items."
        " People, answers, results, releases, links and sharing are not copied."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("copy", help="short name of the new draft")
        parser.add_argument(
            "--title", help="title of the draft (default: the study's title and “(copy)”)"
        )
        parser.add_argument("--owner", help="user name of its owner (default: the study's owner)")
        parser.add_argument("--without-items", action="store_true", help="do not copy the items")

    def handle(self, *args: Any, **options: Any) -> None:
        study, slug = self.study_of(options), options["copy"]
        owner = _owner(study, options["owner"])
        title = options["title"] or copies.proposed_title(study)
        if len(title) > studies.MAX_TITLE_LENGTH:
            raise CommandError(f"--title: at most {studies.MAX_TITLE_LENGTH} characters.")
        try:
            Study._meta.get_field("slug").run_validators(slug)
        except ValidationError as error:
            raise CommandError(f"{slug}: {' '.join(error.messages)}") from error
        if Study.objects.filter(slug=slug).exists():
            raise CommandError(f"A study called {slug!r} already exists.")
        with_items = not options["without_items"]
        with refusals():
            draft = copies.make_draft(
                study=study, title=title, with_items=with_items, by=owner, slug=slug
            )
        if with_items and study.has_material:
            self._copy_items(study, draft)
        facts = {
            "study": slug,
            "copied": study.slug,
            "items": draft.items.count(),
            "contexts": draft.contexts.count(),
        }
        self.say(options, facts, f"{slug} is a copy of {study.slug}.")

    def _copy_items(self, study: Study, draft: Study) -> None:
        is_done = False
        try:
            with own_job(self) as on_start:
                job = jobs.run_here(
                    study=draft,
                    kind=Job.Kind.COPY,
                    parameters=copies.job_parameters(study),
                    on_start=on_start,
                )
            is_done = job.state == Job.State.DONE
        finally:
            if not is_done:
                researchers.delete_draft(study=draft)
        if not is_done:
            raise CommandError("\n".join(job.problems) or job.said)


def _owner(study: Study, name: str | None) -> User:
    if name is None:
        return study.owner
    owner = User.objects.filter(username=name, is_active=True, is_staff=True).first()
    if owner is None:
        raise CommandError(f"--owner: there is no researcher {name!r}.")
    if not Study.objects.seen_by(owner).filter(pk=study.pk).exists():
        raise CommandError(
            f"--owner: {name} has no access to {study.slug}. Share the study first."
        )
    return owner
