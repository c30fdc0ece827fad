"""A best-worst study in `releases/`."""

from annotation.kinds.contract.releases import ReleasesPart


class BestWorstReleases(ReleasesPart):
    """Answers what `releases/` asks."""
