"""TLS both ways: a real memcached behind it, OpenSSL's own client in front."""

import socket
import ssl
import subprocess
import time

import pytest


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def make_certificate(folder, name):
    """A self-signed certificate for 127.0.0.1, and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", key, "-out", certificate)
    key.chmod(0o644)  # memcached reads it as nobody
    return certificate, key


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.01)
    raise TimeoutError(port)


def ask(port, request, certificate=None):
    """What comes back until the line that ends a reply."""
    stream = socket.create_connection(("127.0.0.1", port), 5)
    if certificate is not None:
        context = ssl.create_default_context(cafile=str(certificate))
        stream = context.wrap_socket(stream, server_hostname="127.0.0.1")
    with stream:
        stream.sendall(request)
        reply = b""
        while not reply.endswith((b"END\r\n", b"STORED\r\n")) and b"ERROR" not in reply:
            part = stream.recv(1 << 20)
            if not part:
                break
            reply += part
    return reply


@pytest.fixture
def proxy(tmp_path):
    import os

    started = []

    def start(pool_tls, server, listener):
        ports = [free_port() for _ in range(3)]
        backend = subprocess.Popen(
            ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(ports[0]), "-I", "8m", "-Z",
             "-o", f"ssl_chain_cert={server[0]},ssl_key={server[1]}"])
        started.append(backend)
        wait_for(ports[0])
        config = tmp_path / "mcsteady.yaml"
        config.write_text(f"""
listen:
  - 127.0.0.1:{ports[1]}
  - address: 127.0.0.1:{ports[2]}
    tls: {{ certificate: {listener[0]}, key: {listener[1]} }}
pools:
  main:
    servers: [127.0.0.1:{ports[0]}]
    timeouts: {{ response: 2s }}
    on_down: error
    tls: {pool_tls}
""")
        started.append(subprocess.Popen([os.environ["MCSTEADY_BIN"], "--config", str(config)]))
        wait_for(ports[1])
        return ports[1], ports[2]

    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:2]:
        parent.chmod(0o755)
    yield start
    for process in reversed(started):
        process.terminate()
        process.wait(10)


def test_values_of_all_sizes_go_through_tls_both_ways(proxy, tmp_path):
    pair = make_certificate(tmp_path, "cache")
    plain, tls = proxy(f"{{ ca: {pair[0]} }}", pair, pair)
    for size in (1, 16384, 1 << 20, 3 << 20):
        value = b"x" * size
        stored = ask(tls, b"set k 0 0 %d\r\n%s\r\n" % (size, value), pair[0])
        assert stored == b"STORED\r\n"
        expected = b"VALUE k 0 %d\r\n%s\r\nEND\r\n" % (size, value)
        assert ask(tls, b"get k\r\n", pair[0]) == expected
        assert ask(plain, b"get k\r\n") == expected


def test_an_unknown_authority_is_named(proxy, tmp_path):
    pair, other = make_certificate(tmp_path, "cache"), make_certificate(tmp_path, "other")
    plain, _ = proxy(f"{{ ca: {other[0]} }}", pair, pair)
    assert b"certificate of an unknown authority" in ask(plain, b"get k\r\n")
    assert b"failed_tls_unknown_ca" in ask(plain, b"stats servers\r\n")


def test_new_certificates_are_used_and_requests_go_on(proxy, tmp_path):
    pair = make_certificate(tmp_path, "listener")
    server = make_certificate(tmp_path, "cache")
    _, tls = proxy(f"{{ ca: {server[0]} }}", server, pair)
    context = ssl.create_default_context(cafile=str(pair[0]))
    with context.wrap_socket(socket.create_connection(("127.0.0.1", tls), 5),
                             server_hostname="127.0.0.1") as kept:
        make_certificate(tmp_path, "listener")
        deadline = time.monotonic() + 5
        while True:
            try:
                assert ask(tls, b"get k\r\n", pair[0]) == b"END\r\n"
                break
            except ssl.SSLCertVerificationError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        kept.sendall(b"get k\r\n")
        assert kept.recv(100) == b"END\r\n"
