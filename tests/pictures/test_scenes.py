"""The list of pages that are pictured and inspected forgets none."""

from collections import Counter
from itertools import chain
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.pictures import annotator, desk

# Not pages: answers for programs, files to download, and forms that lead on to a page.
NO_PAGES = {
    "annotator": {"health", "robots", "prolific-webhook"},
    "admin": {
        "autocomplete",
        "jsi18n",
        "view_on_site",
        "app_list",
        "annotation_study_changelist",
        "annotation_study_unshare",
        "annotation_study_share_role",
        "annotation_study_archive_study",
        "annotation_study_restore_study",
        "annotation_study_alert_email",
        "annotation_study_example",
        "annotation_study_import_start",
        "annotation_study_switch_link",
        "annotation_study_announce",
        "annotation_study_cancel_announcement",
        "annotation_study_renew_code",
        "annotation_study_roster_links",
        "annotation_study_credit",
        "annotation_study_undo_exclusions",
        "annotation_study_let_count",
        "annotation_study_give_place_back",
        "annotation_study_compare",
        "annotation_study_sampled_table",
        "annotation_study_sampled_plot",
        "annotation_study_comparison_plot",
        "annotation_study_person_plot",
        "annotation_study_archive",
        "annotation_study_release_file",
        "annotation_study_release_changes",
        "annotation_study_label_studio",
        "annotation_study_lift_adjudication",
        "annotation_study_plot",
        "annotation_study_baselines_again",
        "annotation_study_baselines_put_away",
        "annotation_study_baseline_comparisons",
        "annotation_study_baseline_differences",
        "annotation_study_baseline_plot",
        "annotation_study_plan_plot",
        "annotation_study_live_plot",
        "annotation_study_baseline_table",
        "annotation_study_baseline_further",
        "annotation_study_continue",
        "annotation_study_lexical",
        "annotation_study_measure_texts",
        "annotation_study_result_table",
        "annotation_study_result_items_latex",
        "annotation_study_baseline_values",
        "annotation_study_listing_credit",
        "annotation_study_payments",
        "annotation_study_prepare",
        "annotation_study_score",
        "annotation_study_review_table",
        "annotation_study_review_counts",
        "annotation_study_prepared",
        "annotation_study_demographics",
        "annotation_study_try_walked",
        "annotation_study_questionnaire_file",
        "annotation_study_approve_passed",
        "annotation_study_questionnaire_upload",
        "annotation_study_questionnaire_published",
        "annotation_study_questionnaire_texts",
        "annotation_study_questionnaire_ready",
        "annotation_study_questionnaire_move",
        "annotation_study_questionnaire_remove",
    },
}
# Django's own pages for accounts, seen by administrators alone.
DJANGOS = ("auth_", "password_change_done")


def names(patterns: Any, namespace: str, inside: str = "") -> set[str]:
    """The names of all addresses of a namespace."""
    found = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            found |= names(pattern.url_patterns, namespace, pattern.namespace or inside)
        elif isinstance(pattern, URLPattern) and pattern.name and inside == namespace:
            found.add(pattern.name)
    return found


@pytest.mark.parametrize(
    ("namespace", "scenes"), [("annotator", annotator.SCENES), ("admin", desk.SCENES)]
)
def test_every_page_is_in_the_list(namespace: str, scenes: Any) -> None:
    there = names(get_resolver().url_patterns, namespace)
    covered = set(chain.from_iterable(scene.covers for scene in scenes))

    pages = {name for name in there - NO_PAGES[namespace] if not name.startswith(DJANGOS)}

    assert pages - covered == set()
    assert covered - there == set()


@pytest.mark.parametrize("scenes", [annotator.SCENES, desk.SCENES])
def test_each_scene_has_a_name_of_its_own(scenes: Any) -> None:
    assert [name for name, n in Counter(s.name for s in scenes).items() if n > 1] == []
