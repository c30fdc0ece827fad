"""A label study in `releases/`."""

from annotation.kinds.contract.releases import ReleasesPart


class LabelReleases(ReleasesPart):
    """Answers what `releases/` asks."""
