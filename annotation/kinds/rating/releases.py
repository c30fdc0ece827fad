"""A rating study in `releases/`."""

from annotation.kinds.contract.releases import ReleasesPart


class RatingReleases(ReleasesPart):
    """Answers what `releases/` asks."""
