"""What a drawing of pairs found, as a plot of a page and of a paper."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics import charts_of_sampling
from annotation.basics.numbers import grouped
from annotation.basics.plot import Plot

MEASURE_NAMES = {
    "words": gettext_lazy("shared words"),
    "characters": gettext_lazy("shared character trigrams"),
    "embedding": gettext_lazy("embedding: the cosine of two text vectors from a model"),
    "mean": gettext_lazy("mean of shared words and embedding"),
}


def similarity_plot(figures: Mapping[str, Any]) -> Plot:
    """How many pairs of each bin were compared, and how many were drawn."""
    bins = figures["bins"]
    # Drawings from before had no other candidates than those compared.
    compared = [bin_.get("n_compared", bin_["n_candidates"]) for bin_ in bins]
    title = _("Pairs by similarity")
    caption = _(
        "%(drawn)s pairs, drawn from %(compared)s compared pairs. Similarity: "
        "%(measure)s. Bars, with counts: drawn pairs. Dashed line: all compared "
        "pairs. Each adds up to 100 percent."
    ) % {
        "drawn": grouped(figures["n_drawn"]),
        "compared": grouped(sum(compared)),
        "measure": _measure(figures),
    }
    edges = [bins[0]["low"], *(bin_["high"] for bin_ in bins)]
    return Plot(
        "similarity",
        title,
        caption,
        charts_of_sampling.drawn_and_candidates(
            edges,
            [bin_["n_drawn"] for bin_ in bins],
            compared,
            title=title,
            x_label=_("similarity"),
            y_label=_("percent of the pairs"),
            names=(_("drawn"), _("compared")),
            description=caption,
        ),
        [
            _("similarity from"),
            _("to"),
            _("compared"),
            _("available"),
            _("drawn"),
            _("skipped"),
        ],
        [
            [
                round(bin_["low"], 6),
                round(bin_["high"], 6),
                n_compared,
                bin_["n_candidates"],
                bin_["n_drawn"],
                bin_["n_used_up"],
            ]
            for bin_, n_compared in zip(bins, compared, strict=True)
        ],
        digits=2,
    )


def _measure(figures: Mapping[str, Any]) -> str:
    name = str(MEASURE_NAMES.get(figures["measure"], figures["measure"]))
    return f"{name} ({figures['model']})" if figures.get("model") else name
