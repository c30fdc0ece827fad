"""What whoever asks can put right."""


class RequestError(ValueError):
    """Wrong settings, data or folders; the message says what and where, and what to do."""
