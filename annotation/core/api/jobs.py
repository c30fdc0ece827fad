"""Work in the background: what was started, how far it is, and its end."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core import access
from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery
from annotation.core.pages.job_pages import page_of
from annotation.core.pages.jobs import remedy_of
from annotation.core.queries.jobs import message_of
from annotation.core.services import jobs, repeated_jobs
from annotation.models import Job


class JobSerializer(serializers.ModelSerializer[Job]):
    message = serializers.SerializerMethodField(
        help_text="What the work is at, or what it waits for."
    )
    problems = serializers.SerializerMethodField(
        help_text="Why it failed; empty unless it did, and where a reader is not told."
    )
    remedy = serializers.SerializerMethodField(help_text="What to do, where it did not end well.")
    is_finished = serializers.BooleanField(help_text="Whether it has ended, well or not.")

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "state",
            "progress",
            "message",
            "problems",
            "remedy",
            "is_finished",
            "created_at",
            "started_at",
            "finished_at",
        ]
        read_only_fields = fields

    def get_message(self, job: Job) -> str:
        return message_of(job)

    def get_problems(self, job: Job) -> list[str]:
        return job.problems if self._is_told(job) else []

    def get_remedy(self, job: Job) -> str:
        return remedy_of(job, is_told=self._is_told(job))

    def _is_told(self, job: Job) -> bool:
        return not (job.may_name_people and self.context["is_reader"])


def shown(call: Asked, jobs: Job | list[Job]) -> Any:
    """One job, or several of the same study, as whoever asks may see them."""
    study = call.study if isinstance(jobs, list) else jobs.study
    context = {"is_reader": access.is_reader(call.user, study)}
    return JobSerializer(jobs, many=isinstance(jobs, list), context=context).data


def started(call: Asked, job: Job, message: Said) -> Response:
    """The answer to whoever asked for work in the background."""
    call.log(message)
    return Response(shown(call, job), status=202)


class JobsQuery(PageQuery):
    kind = serializers.ChoiceField(choices=Job.Kind.choices, required=False)
    state = serializers.ChoiceField(choices=Job.State.choices, required=False)


class JobList(ApiView):
    @operation("jobs_list", query=JobsQuery, answers={200: paged_of(JobSerializer)}, tag="jobs")
    def get(self, call: Asked) -> Response:
        """The work that was started for a study, the latest first."""
        wanted = {name: call.query[name] for name in ("kind", "state") if name in call.query}
        rows = call.study.jobs.filter(**wanted).order_by("-pk")
        return paged(call, rows, lambda page: shown(call, page))


class JobDetail(ApiView):
    @operation("jobs_read", answers={200: JobSerializer}, tag="jobs")
    def get(self, call: Asked, **ids: Any) -> Response:
        """One piece of work; ask again until `is_finished`."""
        job = get_object_or_404(call.study.jobs, pk=ids["job_id"])
        return Response(shown(call, job))


class JobCancel(ApiView):
    @operation("jobs_cancel", answers={200: JobSerializer}, tag="jobs")
    def post(self, call: Asked, **ids: Any) -> Response:
        """End work that is queued or running; what it has kept until now stays."""
        job = get_object_or_404(call.study.jobs, pk=ids["job_id"])
        if jobs.cancel(job=job, by=call.user):
            call.log(_("Cancelled: %(job)s.") % {"job": job.what})
        return Response(shown(call, job))


class JobAgain(ApiView):
    @operation("jobs_again", answers={202: JobSerializer}, tag="jobs")
    def post(self, call: Asked, **ids: Any) -> Response:
        """Start a job that failed or was cancelled once more.

        Of measures, of a training, or of taking the items of another study.
        """
        ended = get_object_or_404(
            call.study.jobs, pk=ids["job_id"], kind__in=repeated_jobs.kinds()
        )
        job = repeated_jobs.repeat(ended, call.user)
        return started(call, job, page_of(job).repeated)
