"""A turn of a dialogue as people type it: `Speaker: text`."""


def speaker_and_text(line: str) -> tuple[str, str]:
    """What stands before the first colon is the speaker, who is empty if there is none.

    A text of several lines has its speaker in the first.
    """
    speaker, colon, text = line.partition(":")
    if not colon or "\n" in speaker.strip():
        return "", line.strip()
    return speaker.strip(), text.strip()
