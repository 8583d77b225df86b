"""A server that swallows connection attempts."""

import socket
import time


class Blackhole:
    """Listens, never accepts, and its backlog is full, so that the SYN of a further connection is
    dropped, as by a host that went away."""

    def __init__(self):
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(0)
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._fillers = []
        self._fill()

    def _fill(self):
        while len(self._fillers) < 16:
            filler = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._fillers.append(filler)
            filler.settimeout(0.2)
            try:
                filler.connect(self._listener.getsockname())
            except (socket.timeout, BlockingIOError):
                return
            time.sleep(0.01)
        raise AssertionError("the backlog never fills")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for filler in self._fillers:
            filler.close()
        self._listener.close()
