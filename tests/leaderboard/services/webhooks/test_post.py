"""Only public addresses are called: no private one, by whatever name or notation, and no redirect."""

import socket
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from leaderboard.models import CallProblem
from leaderboard.services.webhooks import post as module
from leaderboard.services.webhooks.post import CallFailed, is_public, post
from tests.support.loopback import Loopback, ScriptedReply

OK = ScriptedReply(status=204)


def send(url, *, allows_loopback=False):
    return post(url, body=b"{}", headers={"X-Test": "1"}, allows_loopback=allows_loopback)


def problem_of(url, **options):
    with pytest.raises(CallFailed) as caught:
        send(url, **options)
    return caught.value.problem


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "255.255.255.255",
        "240.0.0.1",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1%eth0",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
    ],
)
def test_an_address_that_is_not_public_is_refused(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700:4700::1111", "::ffff:93.184.215.14"])
def test_a_public_address_is_accepted(address):
    assert is_public(address)


def resolve_to(monkeypatch, *addresses):
    """Have every name resolve to these addresses; return the list of the names that were asked for."""
    asked = []

    def getaddrinfo(host, port, **_):
        asked.append(host)
        kinds = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in addresses]
        return [
            (kind, socket.SOCK_STREAM, 6, "", (address, port))
            for kind, address in zip(kinds, addresses, strict=True)
        ]

    monkeypatch.setattr(module.socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"]]
)
def test_a_name_that_leads_to_a_private_address_is_not_called(monkeypatch, addresses):
    resolve_to(monkeypatch, *addresses)
    opened = []
    monkeypatch.setattr(module, "_open", lambda *address: opened.append(address))
    assert problem_of("https://hook.example.org/") == CallProblem.ADDRESS
    assert opened == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]"])
def test_no_notation_of_loopback_is_called_unless_a_setting_allows_it(host):
    with Loopback(OK) as server:
        port = server.origin.rpartition(":")[2]
        assert problem_of(f"https://{host}:{port}/") == CallProblem.ADDRESS
        assert problem_of(f"http://{host}:{port}/") == CallProblem.ADDRESS
    assert server.paths == []


def test_a_name_is_resolved_once_and_the_checked_address_is_connected_to(monkeypatch):
    with Loopback(OK) as server:
        port = server.origin.rpartition(":")[2]
        asked = resolve_to(monkeypatch, "127.0.0.1")
        assert send(f"http://rebinding.example.org:{port}/", allows_loopback=True) == 204
    assert asked == ["rebinding.example.org"]
    assert server.headers[0]["Host"] == f"rebinding.example.org:{port}"


def test_plain_http_to_a_public_address_is_refused(monkeypatch):
    resolve_to(monkeypatch, "93.184.215.14")
    assert problem_of("http://hook.example.org/", allows_loopback=True) == CallProblem.ADDRESS


def test_a_redirect_is_not_followed():
    with Loopback(OK) as inner:
        moved = ScriptedReply(status=302, headers={"Location": f"{inner.origin}/admin"})
        with Loopback(moved) as server:
            assert send(server.origin, allows_loopback=True) == 302
    assert inner.paths == []


def test_a_name_without_an_address_is_named():
    assert problem_of("https://nothing.invalid/") == CallProblem.NAME


def test_a_server_that_is_away_or_ends_the_connection_is_silent():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert problem_of(f"http://127.0.0.1:{port}/", allows_loopback=True) == CallProblem.SILENT
    with Loopback(ScriptedReply(cut=-1)) as server:
        assert problem_of(server.origin, allows_loopback=True) == CallProblem.SILENT


@contextmanager
def trickling():
    """Serve one connection, a byte of endless headers at a time, until the client ends it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not stop.wait(0.02):
                    connection.sendall(b"a")
            except OSError:
                ended.set()

    stop, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1], ended
    finally:
        stop.set()
        thread.join()
        listener.close()


def test_a_server_that_answers_byte_by_byte_is_cut_off(monkeypatch):
    monkeypatch.setattr(module, "_WHOLE", 0.3)
    with trickling() as (port, ended):
        assert problem_of(f"http://127.0.0.1:{port}/", allows_loopback=True) == CallProblem.SILENT
        assert ended.wait(10)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """Return the TLS context of a server, and the file of its certificate for hook.example.org."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hook.example.org")])
    now = datetime.now(UTC)
    alternatives = x509.SubjectAlternativeName([x509.DNSName("hook.example.org")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(alternatives, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context, path


def test_over_tls_the_certificate_must_be_for_the_name_although_the_address_is_connected_to(
    certified, monkeypatch
):
    context, path = certified
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with Loopback(OK, tls=context) as server:
        port = server.origin.rpartition(":")[2]
        resolve_to(monkeypatch, "127.0.0.1")
        assert send(f"https://hook.example.org:{port}/a?b=c", allows_loopback=True) == 204
        assert problem_of(f"https://other.example.org:{port}/", allows_loopback=True) == CallProblem.TLS
        monkeypatch.delenv("SSL_CERT_FILE")
        assert problem_of(f"https://hook.example.org:{port}/", allows_loopback=True) == CallProblem.TLS
    assert server.paths == ["/a?b=c"]
