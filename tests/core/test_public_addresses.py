"""What a webhook may call: the public internet, at the machine that was checked, once."""

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics import webhook_client
from annotation.basics.public_addresses import AddressError, is_public, target_of
from annotation.basics.webhook_client import NotDeliveredError, post

# From the registries of special addresses (RFC 6890 and its successors), and clouds' own.
CLOSED = [
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    *("169.254.169.254/32", "100.100.100.200/32", "168.63.129.16/32", "255.255.255.255/32"),
    *("::/128", "::1/128", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"),
    *("64:ff9b:1::/48", "100::/64", "2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28"),
    *("2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10"),
    *("fec0::/10", "ff00::/8", "fd00:ec2::254/128"),
]
OPEN = ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:800::200e"]


@given(st.sampled_from(CLOSED).map(ip_network).flatmap(lambda of: st.ip_addresses(network=of)))
def test_no_address_of_a_special_network_is_public(address: IPv4Address | IPv6Address) -> None:
    assert not is_public(str(address))


@given(st.ip_addresses(v=4))
def test_no_other_form_of_an_address_is_public(address: IPv4Address) -> None:
    """Whatever holds an address of IPv4 is refused, be that one public or not."""
    number = int(address)
    for prefix, shift in (("::ffff:0:0", 0), ("64:ff9b::", 0), ("::", 0), ("2002::", 80)):
        assert not is_public(str(IPv6Address(int(IPv6Address(prefix)) | number << shift)))


def test_what_is_public_is_public() -> None:
    assert [address for address in OPEN if not is_public(address)] == []
    assert not any(map(is_public, ("fe80::1%eth0", "2a00::1%1", "host")))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.org/", "must begin with https"),
        ("ftp://example.org/", "not a web address"),
        ("https:///x", "not a web address"),
        ("https://[::1", "not a web address"),
        ("https://example.org:x/", "not a web address"),
        ("https://example.org:8443/", "only port 443"),
        ("https://me:secret@example.org/", "the user name and the password"),
        ("https://127.0.0.1/", "not on the public internet"),
        ("https://[::ffff:8.8.8.8]/", "not on the public internet"),
        ("https://example.org/a b", "ASCII"),
        ("https://example.org/\r\nX: y", "ASCII"),
        ("https://exämple.org/", "ASCII"),
        ("https://example.org/" + "a" * 500, "too long"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused_when_it_is_typed(url: str, why: str) -> None:
    with pytest.raises(AddressError, match=why):
        target_of(url)


def test_the_operator_may_name_a_place_inside() -> None:
    target = target_of("http://10.0.0.5:9000/x?y=1", allowed=["http://10.0.0.5:9000"])

    assert (target.host_header, target.path, target.is_allowed) == (
        "10.0.0.5:9000",
        "/x?y=1",
        True,
    )
    with pytest.raises(AddressError):
        target_of("http://10.0.0.5:9001/", allowed=["http://10.0.0.5:9000"])


@given(st.lists(st.sampled_from([*OPEN, "127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3"]), min_size=1))
def test_one_address_inside_closes_a_name(addresses: list[str]) -> None:
    """Nothing is connected to before all addresses are known to be public."""
    called: list[object] = []

    def resolver(host: str, port: int) -> Sequence[tuple[int, tuple[str, int]]]:
        return [(socket.AF_INET, (address, port)) for address in addresses]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", lambda _self, to: called.append(to) or _fail())
        with pytest.raises(NotDeliveredError) as caught:
            post(target_of("https://example.org/"), body=b"", headers={}, resolver=resolver)

    if all(map(is_public, addresses)):
        assert called == [(address, 443) for address in addresses[:4]]
    else:
        assert called == []
        assert "not on the public internet" in caught.value.message


def _fail() -> None:
    raise ConnectionRefusedError


@contextmanager
def receiver(
    answer: bytes | None, context: ssl.SSLContext | None = None
) -> Iterator[tuple[int, list]]:
    """Answers each connection so; `None`: a byte now and then, for ever."""
    got: list[bytes] = []
    over = threading.Event()
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while not over.is_set():
            try:
                held, _address = door.accept()
            except OSError:
                return
            try:
                if context:
                    held = context.wrap_socket(held, server_side=True)
                got.append(held.recv(65536))
                if answer is not None:
                    held.sendall(answer)
                while answer is None and not over.wait(0.05):
                    held.sendall(b"H")
            except OSError:
                pass
            held.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield door.getsockname()[1], got
    finally:
        over.set()
        door.close()


def send(port: int, scheme: str = "http", host: str = "127.0.0.1", **options: object) -> int:
    origin = f"{scheme}://{host}:{port}"
    return post(
        target_of(f"{origin}/hook", allowed=[origin]),
        body=b'{"a":1}',
        headers={"X-A": "b"},
        resolver=lambda _host, at: [(socket.AF_INET, ("127.0.0.1", at))],
        **options,  # type: ignore[arg-type]
    )


def test_what_receivers_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # A proxy of the environment would be asked instead of the machine that was checked.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
    for answer, status in (
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1000, 200),
        (early, 204),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n", 302),
    ):
        with receiver(answer) as (port, got):
            assert send(port) == status
        assert len(got) == 1
        head, body = got[0].split(b"\r\n\r\n")
        assert body == b'{"a":1}'
        assert head.startswith(b"POST /hook HTTP/1.1\r\n")
        assert f"Host: 127.0.0.1:{port}".encode() in head
        assert b"X-A: b" in head
    for nonsense in (b"", b"SSH-2.0\r\n", b"HTTP/1.1 100 C\r\nX: " + b"y" * 20_000):
        with receiver(nonsense) as (port, _got), pytest.raises(NotDeliveredError, match="reached"):
            send(port)


@pytest.mark.slow
def test_who_is_slow_is_cut_off() -> None:
    with receiver(None) as (port, _got):
        began = time.monotonic()
        with pytest.raises(NotDeliveredError, match="did not answer within"):
            send(port, seconds=0.4)

    assert time.monotonic() - began < 3
    with pytest.raises(NotDeliveredError, match="did not answer within"):
        post(
            target_of("https://example.org/"),
            body=b"",
            headers={},
            resolver=lambda _host, _port: threading.Event().wait() or [],
            seconds=0.1,
        )


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make a certificate")
def test_the_certificate_must_be_the_hosts(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
            *("ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate),
            *("-days", "2", "-subj", "/CN=alerts.test"),
            *("-addext", "subjectAltName=DNS:alerts.test"),
        ],
        check=True,
        capture_output=True,
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    trusting = ssl.create_default_context(cafile=str(certificate))

    with receiver(b"HTTP/1.1 200 OK\r\n\r\n", serving) as (port, _got):
        assert send(port, "https", "alerts.test", context=trusting) == 200
        with pytest.raises(NotDeliveredError, match=r"certificate of other\.test is not valid"):
            send(port, "https", "other.test", context=trusting)
        with pytest.raises(NotDeliveredError, match="not valid"):
            send(port, "https", "alerts.test")


def test_an_unknown_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_arguments: object, **_options: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(webhook_client.socket, "getaddrinfo", nobody)

    with pytest.raises(NotDeliveredError, match=r"example\.org"):
        post(target_of("https://example.org/"), body=b"", headers={})
