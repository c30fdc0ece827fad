"""What Prolific says of a study's people, by their pseudonyms, as a file."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from annotation.basics import tables
from annotation.core.pages.frame import hand_out, refusals, study_page, to
from annotation.crowds.forms.demographics import DemographicsForm
from annotation.crowds.queries import demographics as queries
from annotation.models import Study


@study_page
@require_POST
def demographics(request: HttpRequest, study: Study) -> HttpResponse:
    """Join the file that was sent; neither it nor its answer is stored."""
    form = DemographicsForm(request.POST, request.FILES)
    with refusals(request):
        file = form.sent()
        rows = queries.by_pseudonym(
            study, file, merges_rare=request.POST.get("merges_rare") == "on"
        )
        text = "".join(tables.lines(rows))
        response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
        name = f"{study.slug}-demographics.tsv"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return hand_out(request, study, response)
    return to(study, "platforms")
