"""The knobs of the simulator: what documentation leaves open and what a test may turn."""

from dataclasses import dataclass, fields
from typing import Any

DAY_S = 86_400


@dataclass
class Settings:
    # How fresh things are: seconds on the simulated clock.
    list_lag_s: float = 0
    qual_index_lag_s: float = 0
    qual_effect_lag_s: float = 0
    fresh_hit_s: float = 5
    # How long things live.
    page_token_life_s: float = 3600
    request_token_life_s: float = DAY_S
    retention_s: float = 120 * DAY_S
    override_rejection_s: float = 30 * DAY_S
    bonus_window_s: float = 180 * DAY_S
    qualification_limbo_s: float = 2 * DAY_S
    # Rules that are assumed.
    default_page_size: int = 10
    max_queue: int = 25
    reuse_assignment_ids: bool = True
    may_shorten_expiration: bool = True
    associate_needs_value: bool = True
    delete_reviewing: bool = False
    # Where questions may come from, and what a worker's frame is like.
    allow_local_http: bool = True
    frame_sandbox: str = "allow-scripts allow-same-origin allow-forms allow-popups"
    turk_submit_to: str = "right"  # right, missing, or the address to lie with
    doubled_parameter: str = ""
    worker_id_in_preview: bool = False
    cookie_same_site: str = "None"
    # Real seconds.
    hang_s: float = 30
    # Notifications.
    notices_duplicate: bool = False
    notices_reorder: bool = False
    notices_drop: bool = False
    notices_delay_s: float = 0
    # Every call that changes something is refused, as since the service closed.
    closed: bool = False

    def change(self, values: dict[str, Any]) -> None:
        known = {field.name for field in fields(self)}
        if unknown := sorted(set(values) - known):
            raise ValueError(f"no such setting: {', '.join(unknown)}")
        for name, value in values.items():
            setattr(self, name, type(getattr(self, name))(value))
