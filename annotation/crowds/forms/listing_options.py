"""What each platform asks of a listing beside reward and places, as forms of a listing."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from annotation.crowds.forms.base_options import OptionsForm
from annotation.crowds.forms.connect_options import ConnectForm
from annotation.crowds.forms.mturk_options import MTurkForm
from annotation.crowds.forms.panel_options import PanelForm
from annotation.crowds.forms.prolific_options import ProlificForm
from annotation.models import Listing
from annotation.models.kinds import CrowdPlatform

FORMS: dict[str, type[OptionsForm]] = {
    CrowdPlatform.PANEL: PanelForm,
    CrowdPlatform.PROLIFIC: ProlificForm,
    CrowdPlatform.MTURK: MTurkForm,
    CrowdPlatform.CONNECT: ConnectForm,
}


def options_form(
    listing: Listing, data: Mapping[str, Any] | None = None, *, user: User
) -> OptionsForm:
    """The form of a listing's platform, for somebody who sees some studies."""
    return FORMS[listing.platform](listing, data, user=user)
