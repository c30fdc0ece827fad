"""The page on which an administrator invites colleagues, and switches accounts off and on."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.test import Client
from django.urls import reverse

from annotation.basics.errors import StateError
from annotation.models import AuditEvent, Study
from annotation.studies.services import invitations
from config.logs import masked
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

PAGE = "/admin/researchers/"
PASSWORD = "a long enough one 7"


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root", email="root@example.org")


@pytest.fixture
def desk(root: User) -> Client:
    return signed_in(root)


def invite(desk: Client, **typed: str) -> Any:
    return desk.post(
        reverse("admin:researchers"),
        {"name": "Ada Lovelace", "email": "ada@example.org", **typed},
    )


def path_of(link: str) -> str:
    return link.removeprefix("http://testserver")


def set_password(link: str, password: str = PASSWORD) -> Any:
    """What an invited colleague does, in a browser of their own."""
    browser = Client()
    page = browser.get(path_of(link), follow=True)
    if page.status_code != 200:
        return page
    form = page.redirect_chain[-1][0]
    return browser.post(form, {"new_password1": password, "new_password2": password})


def lines_about(user: User) -> list[tuple[str, str]]:
    lines = AuditEvent.objects.filter(account=user)
    return [(line.by.get_username(), line.said) for line in lines.order_by("pk")]


# -- Inviting -----------------------------------------------------------------------------------


def test_an_invited_colleague_sets_a_password_logs_in_and_makes_a_study(desk: Client) -> None:
    page = invite(desk)

    assert page.status_code == 200
    link = page.context["made"].link
    colleague = User.objects.get(email="ada@example.org")
    assert colleague.get_full_name() == "Ada Lovelace"
    assert colleague.is_staff
    assert not colleague.is_superuser
    assert not colleague.has_usable_password()
    assert not colleague.user_permissions.exists()
    assert set_password(link).status_code == 302

    browser = Client()
    typed = {"username": colleague.get_username(), "password": PASSWORD, "next": "/admin/"}
    assert browser.post(reverse("admin:login"), typed).status_code == 302
    assert browser.get(reverse("admin:index")).status_code == 200
    made = browser.post(
        reverse("admin:annotation_study_add"),
        {"title": "Mine", "preset": "giccs", "language": "en", "slug": "mine"},
    )
    study = Study.objects.get(owner=colleague)
    assert made.status_code == 302
    for section in ("change", "describe", "items", "design", "share", "history"):
        assert browser.get(url(study, section)).status_code == 200
    # Nothing of others, and no account.
    assert browser.get(url(make_study(), "change")).status_code == 404
    assert browser.get(reverse("admin:auth_user_changelist")).status_code == 403
    assert browser.get(PAGE).status_code == 403


def test_a_link_sets_one_password_and_no_second_one(desk: Client) -> None:
    link = invite(desk).context["made"].link
    set_password(link)

    again = set_password(link, "another good one 8")

    assert again.status_code == 404
    assert User.objects.get(email="ada@example.org").check_password(PASSWORD)


def test_a_weak_password_is_refused_and_the_link_stays_good(desk: Client) -> None:
    link = invite(desk).context["made"].link

    refused = set_password(link, "123")

    assert refused.context["form"].errors
    assert set_password(link).status_code == 302


def test_a_link_expires(desk: Client, settings: Any) -> None:
    link = invite(desk).context["made"].link

    settings.PASSWORD_RESET_TIMEOUT = -1

    assert set_password(link).status_code == 404
    assert not User.objects.get(email="ada@example.org").has_usable_password()


def test_a_new_link_replaces_the_one_before(desk: Client) -> None:
    first = invite(desk).context["made"].link
    colleague = User.objects.get(email="ada@example.org")

    second = desk.post(reverse("admin:researcher_link", args=[colleague.pk])).context["made"].link

    assert set_password(first).status_code == 404
    assert set_password(second).status_code == 302


def test_who_forgot_the_password_gets_a_new_link_and_keeps_the_old_one_until_then(
    desk: Client,
) -> None:
    colleague = make_user("ada", password=PASSWORD, email="ada@example.org")

    page = desk.post(reverse("admin:researcher_link", args=[colleague.pk]))

    colleague.refresh_from_db()
    assert colleague.check_password(PASSWORD)
    assert set_password(page.context["made"].link, "another good one 8").status_code == 302
    colleague.refresh_from_db()
    assert colleague.check_password("another good one 8")


def test_the_link_is_sent_where_mail_is_set(desk: Client, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.PUBLIC_URL = "https://likeness.example.org"

    page = invite(desk)

    assert [message.to for message in mail.outbox] == [["ada@example.org"]]
    link = page.context["made"].link
    assert link.startswith("https://likeness.example.org/admin/")
    assert link in mail.outbox[0].body
    assert page.context["made"].is_sent


def test_without_mail_or_when_it_fails_the_link_is_shown_and_the_account_stays(
    desk: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = invite(desk)
    settings.EMAIL_HOST = "mail.example.org"

    def fails(*_args: Any, **_options: Any) -> int:
        raise OSError("no route to host")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", fails)
    failed = invite(desk, email="grace@example.org")

    assert not mail.outbox
    for page in (without, failed):
        assert not page.context["made"].is_sent
        assert page.context["made"].link in page.content.decode()
    assert failed.context["made"].problem
    assert User.objects.filter(email="grace@example.org").exists()


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ({"email": "ROOT@Example.org"}, "email"),
        ({"email": "Taken@example.org"}, "email"),
        ({"email": "no address"}, "email"),
        ({"email": ""}, "email"),
        ({"email": "ada@example.org\nBcc: all@example.org"}, "email"),
        ({"email": "a" * 250 + "@example.org"}, "email"),
        ({"name": ""}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a" * 400}, "name"),
    ],
)
def test_what_cannot_be_invited_is_said_at_its_field_and_makes_no_account(
    desk: Client, typed: dict[str, str], wrong: str
) -> None:
    # By a user name, and switched off: still somebody's.
    make_user("taken@example.org", is_active=False)
    n_users = User.objects.count()

    page = invite(desk, **typed)

    assert page.status_code == 400
    assert set(page.context["form"].errors) == {wrong}
    assert User.objects.count() == n_users


def test_an_address_that_no_user_name_can_be_gets_one_that_can(desk: Client) -> None:
    page = invite(desk, name="Pat", email="Pat.O'Hara/x@example.org")

    made = User.objects.get(email="Pat.O'Hara/x@example.org")
    assert made.get_username() == "pat.o.hara.x@example.org"
    assert made.get_username() in page.content.decode()
    made.full_clean(exclude=["password"])


def test_the_names_of_two_addresses_do_not_collide(desk: Client) -> None:
    invite(desk, email="o'hara@example.org")
    invite(desk, email="o/hara@example.org")

    names = User.objects.filter(email__endswith="hara@example.org").values_list("username")
    assert len(set(names)) == 2


# -- The list -----------------------------------------------------------------------------------


def test_the_page_lists_accounts_with_their_studies_and_state(desk: Client) -> None:
    owner = make_user("grace", password=PASSWORD, email="grace@example.org")
    make_study(owner=owner)
    make_study(owner=owner)
    make_user("gone", is_active=False)
    invite(desk)

    rows = {row.user.get_username(): row for row in desk.get(PAGE).context["rows"]}

    assert (rows["grace"].n_studies, rows["root"].n_studies) == (2, 0)
    states = {name: row.state for name, row in rows.items()}
    assert states == {
        "root": "active",
        "grace": "active",
        "gone": "off",
        "ada@example.org": "invited",
    }


def test_the_number_of_queries_does_not_grow(
    desk: Client, django_assert_max_num_queries: Any
) -> None:
    for n in range(12):
        make_user(f"someone{n}")

    with django_assert_max_num_queries(12):
        desk.get(PAGE)


def test_only_superusers_come_here_and_only_they_are_led_here(desk: Client) -> None:
    other = make_user("other")
    researcher = signed_in(make_user())
    addresses = [
        PAGE,
        *(reverse(f"admin:researcher_{name}", args=[other.pk]) for name in ("link", "switch")),
    ]

    for address in addresses:
        for method in ("GET", "POST"):
            seen = getattr(researcher, method.lower())(address, follow=True)
            assert seen.status_code in {403, 405}
            asked = Client().generic(method, address)
            assert (asked.status_code, method) in {(302, "GET"), (403, "POST")}
    assert User.objects.count() == 3
    assert f'href="{PAGE}"' in desk.get(reverse("admin:index")).content.decode()
    assert f'href="{PAGE}"' not in researcher.get(reverse("admin:index")).content.decode()


def test_links_and_switches_take_a_post_of_this_site_alone(root: User) -> None:
    other = make_user("other")
    client = signed_in(root, enforce_csrf_checks=True)

    for name in ("link", "switch"):
        address = reverse(f"admin:researcher_{name}", args=[other.pk])
        assert client.get(address)["Location"] == reverse("admin:researchers")
        assert client.post(address).status_code == 403
    assert signed_in(root).post(reverse("admin:researcher_link", args=[0])).status_code == 404


# -- Off and on ---------------------------------------------------------------------------------


def switch(desk: Client, user: User, *, on: bool) -> Any:
    return desk.post(
        reverse("admin:researcher_switch", args=[user.pk]), {"is_on": "1" if on else "0"}
    )


def test_an_account_is_switched_off_and_on_again(desk: Client) -> None:
    colleague = make_user("grace", password=PASSWORD)
    theirs = signed_in(colleague)

    switch(desk, colleague, on=False)
    assert theirs.get(reverse("admin:index")).status_code == 302
    switch(desk, colleague, on=True)

    colleague.refresh_from_db()
    assert colleague.is_active
    assert colleague.check_password(PASSWORD)


def test_a_link_of_an_account_that_is_off_opens_nothing(desk: Client) -> None:
    link = invite(desk).context["made"].link
    colleague = User.objects.get(email="ada@example.org")

    switch(desk, colleague, on=False)

    assert set_password(link).status_code == 404
    refused = desk.post(reverse("admin:researcher_link", args=[colleague.pk]))
    assert refused.status_code == 409


def test_nobody_switches_themselves_off(desk: Client, root: User) -> None:
    User.objects.create_superuser("second")

    response = switch(desk, root, on=False)

    root.refresh_from_db()
    assert response.status_code == 409
    assert root.is_active


def test_the_last_superuser_stays_on(root: User) -> None:
    # Who asks was a superuser a moment ago.
    was = make_user("was")

    with pytest.raises(StateError):
        invitations.switch(user=root, is_on=False, by=was)

    root.refresh_from_db()
    assert root.is_active


def test_the_form_of_all_settings_keeps_the_last_superuser_too(desk: Client, root: User) -> None:
    address = reverse("admin:auth_user_change", args=[root.pk])
    typed = {
        "username": "root",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "10:00:00",
        "is_active": "on",
        "is_staff": "on",
        "is_superuser": "on",
    }

    for gone in ("is_active", "is_staff", "is_superuser"):
        refused = desk.post(address, {name: typed[name] for name in typed if name != gone})
        assert refused.status_code == 200
        assert refused.context["adminform"].form.errors

    root.refresh_from_db()
    assert (root.is_active, root.is_staff, root.is_superuser) == (True, True, True)
    assert desk.post(address, typed).status_code == 302


def test_raw_accounts_are_for_superusers_whatever_permissions_somebody_has() -> None:
    helper = make_user("helper")
    helper.user_permissions.set(Permission.objects.all())

    client = signed_in(helper)

    assert client.get(reverse("admin:auth_user_changelist")).status_code == 403
    assert client.get(reverse("admin:auth_user_add")).status_code == 403


# -- Written down -------------------------------------------------------------------------------


def test_each_step_has_a_line_about_the_account_and_none_has_the_link(desk: Client) -> None:
    link = invite(desk).context["made"].link
    colleague = User.objects.get(email="ada@example.org")
    set_password(link)
    again = desk.post(reverse("admin:researcher_link", args=[colleague.pk])).context["made"].link
    switch(desk, colleague, on=False)
    switch(desk, colleague, on=True)
    # What is so already is no step.
    switch(desk, colleague, on=True)

    lines = lines_about(colleague)
    assert [who for who, _line in lines] == ["root", "ada@example.org", "root", "root", "root"]
    tokens = [re.split("/", path_of(one))[-2] for one in (link, again)]
    assert not [line for _who, line in lines if any(token in line for token in tokens)]


def test_an_invitation_is_masked_in_logs_and_kept_by_no_cache(desk: Client) -> None:
    page = invite(desk)
    link = page.context["made"].link
    token = path_of(link).split("/")[-2]

    assert token not in masked(f"GET {path_of(link)} 302")
    assert "no-store" in page["Cache-Control"]
    opened = Client().get(path_of(link))
    assert "no-store" in opened["Cache-Control"]
    assert token not in Client().get(path_of(link), follow=True).redirect_chain[-1][0]
