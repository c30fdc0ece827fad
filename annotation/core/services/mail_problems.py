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
                "The mail server offers no encryption. If it is on this machine or in its network,"
                " set EMAIL_USE_TLS=0; else use a server that offers it."
            )
        case SMTPNotSupportedError() if "AUTH" in str(error):
            return _(
                "The mail server offers no login: leave EMAIL_HOST_USER and EMAIL_HOST_PASSWORD"
                " empty; or set EMAIL_USE_TLS=1 where it offers one to encrypted connections only."
            )
        case SMTPNotSupportedError():
            return _("The mail server cannot send to such an address.")
        case ssl.SSLError():
            return _(
                "No encrypted connection to the mail server comes about: give EMAIL_HOST the name"
                " for which its certificate was issued, and EMAIL_PORT its port for STARTTLS."
            )
        case _:
            return _("The mail server cannot be reached: check EMAIL_HOST and EMAIL_PORT.")
