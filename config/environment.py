"""Settings from the environment; what is wrong there is said in one sentence."""

import os
import re
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.checks.security.base import (
    SECRET_KEY_MIN_LENGTH,
    SECRET_KEY_MIN_UNIQUE_CHARACTERS,
)
from django.core.exceptions import ImproperlyConfigured

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
# What platforms call their own installations.
_RESERVED = {"production", "sandbox"}


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; set it to 1 or 0.")


def number(name: str, *, default: int) -> int:
    value = os.environ.get(name, "")
    try:
        return int(value) if value else default
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to a whole number.") from None


def words(name: str, *, default: str = "") -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def database(*, default: str, **options: Any) -> Any:
    """The database that DATABASE_URL names; its password is in no message."""
    try:
        # A variable that is set and empty names no database either.
        url = os.environ.get("DATABASE_URL") or default
        return dj_database_url.parse(url, **options)
    except ValueError:
        raise ImproperlyConfigured(
            "DATABASE_URL cannot be read; write it as postgres://USER:PASSWORD@HOST:5432/NAME,"
            " with special characters of the password as %XX (/ is %2F, # is %23, ? is %3F),"
            " or use a password of letters and digits (with Docker: POSTGRES_PASSWORD)."
        ) from None


def endpoints(name: str, *, n: int) -> dict[str, list[str]]:
    """Named installations of a platform, `name=address address; other=…`, each with n addresses.

    Nothing is sent in clear text to another machine.
    """
    addresses_by_key: dict[str, list[str]] = {}
    for entry in filter(None, map(str.strip, os.environ.get(name, "").split(";"))):
        key, _, rest = entry.partition("=")
        key, addresses = key.strip(), rest.split()
        if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", key) or key in _RESERVED:
            raise ImproperlyConfigured(
                f"{name} names an endpoint {key!r}; use small letters, digits and hyphens, and"
                f" none of {', '.join(sorted(_RESERVED))}."
            )
        if len(addresses) != n or not all(map(_is_safe, addresses)):
            raise ImproperlyConfigured(
                f"{name}: {key} needs {n} addresses with a space between them, each https:// (or"
                " http:// on this machine)."
            )
        addresses_by_key[key] = [address.rstrip("/") for address in addresses]
    return addresses_by_key


def addresses(name: str) -> list[str]:
    """Addresses that this server may call, separated by commas; never in clear text elsewhere."""
    for address in (named := words(name)):
        if not _is_safe(address):
            raise ImproperlyConfigured(
                f"{name}: {address} must begin with https:// (or http:// on this machine)."
            )
    return [address.rstrip("/") for address in named]


def origins(name: str) -> list[str]:
    """Origins, each with its port, such as `http://10.0.0.5:9000`; separated by commas."""
    origins = []
    for word in words(name):
        try:
            parts = urlsplit(word)
            port = parts.port or {"https": 443, "http": 80}[parts.scheme]
        except (KeyError, ValueError):
            port = 0
        if not port or not parts.hostname or parts.path.strip("/") or "@" in parts.netloc:
            raise ImproperlyConfigured(
                f"{name} names {word!r}; write origins such as https://alerts.example.org or"
                " http://10.0.0.5:9000, with a comma between them."
            )
        origins.append(f"{parts.scheme}://{parts.hostname}:{port}")
    return origins


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return host in {"localhost", "127.0.0.1", "::1"} or host.endswith(".localhost")
    return parts.scheme == "https" and bool(host)


def secret_key(data: Path) -> str:
    """The key from the environment, else one kept in the data folder from the first start on."""
    if key := os.environ.get("SECRET_KEY"):
        if not (flag("DEBUG", default=False) or is_long_enough(key)):
            raise ImproperlyConfigured(
                f"SECRET_KEY can be guessed; it needs {SECRET_KEY_MIN_LENGTH} characters, such as"
                " python3 -c 'import secrets; print(secrets.token_hex(32))' prints. Without"
                " SECRET_KEY, make run keeps one of its own."
            )
        return key
    try:
        return _stored_secret_key(data)
    except OSError as error:
        raise ImproperlyConfigured(
            f"SECRET_KEY is not set, and no key can be kept in {data} ({error.strerror}); set"
            " SECRET_KEY, and LIKENESS_DATA to a folder that can be written to."
        ) from error


def is_long_enough(key: str) -> bool:
    is_long = len(key) >= SECRET_KEY_MIN_LENGTH
    return is_long and len(set(key)) >= SECRET_KEY_MIN_UNIQUE_CHARACTERS


def _stored_secret_key(data: Path) -> str:
    path = data / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"secret_key.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        # Two processes may start at once: link() lets only the first one's key in.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text().strip()
