"""Fixtures: factories whose products end with the test, in reverse order."""

import contextlib
import os
import pathlib
import signal

import pytest

from harness import Authority, Blackhole, FakeServer, Memcached, Proxy, pool_config


def pytest_configure(config):
    config.addinivalue_line("markers", "deadline(seconds): fail the test after this long (60)")


@pytest.fixture(autouse=True)
def deadline(request):
    """A test that hangs fails by itself, so that what it started is ended too."""
    marker = request.node.get_closest_marker("deadline")
    seconds = marker.args[0] if marker else 60

    def on_alarm(*_):
        raise TimeoutError(f"the test took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def stack(deadline):  # pylint: disable=unused-argument,redefined-outer-name
    with contextlib.ExitStack() as owner:
        yield owner


@pytest.fixture
def start_memcached(stack):
    """start_memcached(unix=False, arguments=()) -> Memcached"""
    return lambda **options: stack.enter_context(Memcached(**options))


@pytest.fixture
def start_proxy(stack):
    """start_proxy(servers, ready=True, listen=None, pool=None, **sections) -> Proxy; see pool_config."""
    return lambda servers, ready=True, **options: stack.enter_context(
        Proxy(pool_config(servers, **options), ready=ready))


@pytest.fixture
def start_fake(stack):
    """start_fake(handler, **options) -> FakeServer"""
    return lambda handler, **options: stack.enter_context(FakeServer(handler, **options))


@pytest.fixture
def blackhole(stack):
    return stack.enter_context(Blackhole())


@pytest.fixture
def connect(stack):
    """connect(server_or_proxy, timeout=5.0) -> TextClient"""
    return lambda where, timeout=5.0: stack.enter_context(where.client(timeout))


@pytest.fixture(scope="session")
def authority():
    """Whose certificates the tests' servers and clients have."""
    with Authority() as made:
        yield made


@pytest.fixture
def servers(start_memcached):
    """Two memcacheds."""
    return [start_memcached(), start_memcached()]


@pytest.fixture(params=[1, 4], ids=["1 worker", "4 workers"])
def proxy(request, servers, start_proxy):
    """A proxy in front of `servers`."""
    return start_proxy(servers, workers=request.param)


@pytest.fixture(scope="session")
def build_dir(tmp_path_factory):
    """Where the programs of client libraries are built and installed; kept between runs by ctest."""
    named = os.environ.get("MCSTEADY_BUILD_DIR")
    folder = pathlib.Path(named) / "clients" if named else tmp_path_factory.mktemp("clients")
    folder.mkdir(exist_ok=True)
    return folder
