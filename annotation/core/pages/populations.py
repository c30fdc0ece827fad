"""Whose answers a page is about."""

from django.http import HttpRequest

from annotation.core.queries.counted_answers import Population


def population_of(request: HttpRequest) -> Population:
    """Those of people, unless the address or the form names the simulated ones."""
    wanted = request.GET.get("population", request.POST.get("population", "people"))
    return "simulated" if wanted == "simulated" else "people"
