"""One appointment as an iCalendar file (RFC 5545)."""

from datetime import UTC, datetime, timedelta

_MAX_LINE_BYTES = 75  # bytes, without the line end


def opening(
    *,
    uid: str,
    made_at: datetime,
    opens_at: datetime,
    title: str,
    description: str,
    address: str,
) -> str:
    """A file with one entry of half an hour and an alarm at its beginning; times are in UTC."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Likeness//EN",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTAMP:{_utc(made_at)}",
        f"DTSTART:{_utc(opens_at)}",
        f"DTEND:{_utc(opens_at + timedelta(minutes=30))}",
        f"SUMMARY:{_escaped(title)}",
        f"DESCRIPTION:{_escaped(description)}",
        f"URL:{address}",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_escaped(title)}",
        "TRIGGER:PT0M",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    for character in ("\\", ";", ","):
        text = text.replace(character, f"\\{character}")
    return "\\n".join(text.splitlines())


def _folded(line: str) -> str:
    """Long lines go on behind a line break and a space; no character is cut in two."""
    parts: list[str] = []
    part = ""
    for character in line:
        # The space at the beginning of what follows counts.
        room = _MAX_LINE_BYTES if not parts else _MAX_LINE_BYTES - 1
        if len((part + character).encode()) > room:
            parts.append(part)
            part = ""
        part += character
    return "\r\n ".join([*parts, part])
