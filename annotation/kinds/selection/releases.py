"""A selection study in `releases/`."""

from annotation.kinds.contract.releases import ReleasesPart


class SelectionReleases(ReleasesPart):
    """Answers what `releases/` asks."""
