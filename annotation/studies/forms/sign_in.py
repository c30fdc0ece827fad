"""Signing in, in the words of the other pages."""

from django.contrib.admin.forms import AdminAuthenticationForm
from django.utils.translation import gettext_lazy


class SignInForm(AdminAuthenticationForm):
    error_messages = {
        **AdminAuthenticationForm.error_messages,
        "invalid_login": gettext_lazy(
            "The user name or the password is wrong. Check capital and small letters, too."
        ),
    }
