"""What the tests of the client libraries share."""

import os
import subprocess
import time

import pytest

from harness import wait_until

KEYS = [f"key{n}" for n in range(100)]
BIG = bytes(range(256)) * 3906 + b"\r\nEND\r\n"  # just under 1 MB, so that a default memcached takes it
AWKWARD_VALUES = [
    pytest.param(b"", id="empty"),
    pytest.param(b"plain", id="plain"),
    pytest.param(b"one\r\ntwo\r\nEND\r\n", id="line ends"),
    pytest.param(b"\0\0a\0", id="zero bytes"),
    pytest.param(bytes(range(256)), id="every byte"),
    pytest.param(b"VALUE key 0 3\r\nabc\r\nEND\r\n", id="like a reply"),
]


def both_hold_keys(servers):
    return all(server.item_count() > 0 for server in servers)


def wait_until_gone(get, timeout=5.0):
    """memcached's clock moves once a second, so an item of one second may live for two."""
    wait_until(lambda: get() is None, timeout, every=0.1, what="expiry")


def timed(call):
    """(seconds, result or the exception that it raised)"""
    begin = time.monotonic()
    try:
        result = call()
    except Exception as raised:  # pylint: disable=broad-except
        result = raised
    return time.monotonic() - begin, result


def run_client(command, env=None, timeout=30.0):
    """Runs a client program to its end; AssertionError with what it said unless that is 0. Returns
    its standard output."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=timeout, check=False,
                          env={**os.environ, **(env or {})})
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout
