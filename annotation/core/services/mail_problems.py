"""Why a mail server takes no message at all, each cause with the settings that mend it."""

import ssl
from smtplib import (
    SMTPAuthenticationError,
    SMTPNotSupportedError,
    SMTPResponseException,
    SMTPSenderRefused,
)

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _


def of_server(error: Exception) -> Said:
    """Of an error while connecting to a server, logging in to it, or naming the sender."""
    match error:
        case SMTPAuthenticationError():
            return _(
                "The mail server refused the login with the code %(code)s: correct"
                " EMAIL_HOST_USER and EMAIL_HOST_PASSWORD."
            ) % {"code": error.smtp_code}
        case SMTPSenderRefused():
            return _(
                "The mail server refused the sender with the code %(code)s: correct"
                " DEFAULT_FROM_EMAIL."
            ) % {"code": error.smtp_code}
        case SMTPResponseException():
            return _("The mail server refused the message with the code %(code)s.") % {
                "code": error.smtp_code
            }
        # The words are smtplib's own, not the server's.
        case SMTPNotSupportedError() if "STARTTLS" in str(error):
            return _(
                "The mail server offers no encryption. If it is on this machine or in "
                "its network, set EMAIL_USE_TLS=0. Otherwise use a server with "
                "encryption."
            )
        case SMTPNotSupportedError() if "AUTH" in str(error):
            return _(
                "The mail server offers no login. Leave EMAIL_HOST_USER and "
                "EMAIL_HOST_PASSWORD empty. If it offers a login on encrypted "
                "connections only, set EMAIL_USE_TLS=1."
            )
        case SMTPNotSupportedError():
            return _("The mail server cannot send to this address.")
        case ssl.SSLError():
            return _(
                "An encrypted connection to the mail server failed. Set EMAIL_HOST to "
                "the name in its certificate, and EMAIL_PORT to its STARTTLS port."
            )
        case _:
            return _("The mail server cannot be reached. Check EMAIL_HOST and EMAIL_PORT.")
