"""A child process that is stopped by its pid alone."""

import os
import signal
import subprocess
import threading
import time


def wait_until(condition, timeout=5.0, every=0.005, what="the condition"):
    """Polls until `condition()` is true, and returns what it returned. AssertionError after `timeout` s."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come true within {timeout} s"
        time.sleep(every)


class Process:
    """A running command; its standard error is collected line by line in a thread of ours."""

    def __init__(self, command, env=None, cwd=None):
        self.command = [str(word) for word in command]
        self._popen = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env={**os.environ, **(env or {})}, cwd=cwd)
        self._lines = []
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def _collect(self):
        for line in self._popen.stderr:
            self._lines.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def pid(self):
        return self._popen.pid

    @property
    def returncode(self):
        """None while it runs; minus the signal where one ended it."""
        return self._popen.poll()

    def log_lines(self):
        return list(self._lines)

    def log(self):
        return "\n".join(self._lines)

    def wait_for_log(self, text, timeout=5.0):
        """The first line of standard error that holds `text`."""
        def find():
            found = next((line for line in self.log_lines() if text in line), None)
            assert found or self.returncode is None or self._reader.is_alive(), (
                f"{self.command} ended with {self.returncode} before it logged {text!r}:\n{self.log()}")
            return found
        return wait_until(find, timeout, what=f"a log line with {text!r} in:\n{self.log()}\nthat")

    def signal(self, number):
        self._popen.send_signal(number)

    def sigstop(self):
        """Returns once the kernel shows every thread as stopped."""
        self.signal(signal.SIGSTOP)
        wait_until(lambda: self._thread_states() == {"T"}, what="SIGSTOP")

    def sigcont(self):
        self.signal(signal.SIGCONT)

    def _thread_states(self):
        tasks = f"/proc/{self.pid}/task"
        states = set()
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/stat", encoding="ascii", errors="replace") as stat:
                states.add(stat.read().rsplit(")", 1)[1].split()[0])
        return states

    def kill9(self):
        self.signal(signal.SIGKILL)
        self._popen.wait(5)

    def wait(self, timeout=15.0):
        """Its exit status."""
        status = self._popen.wait(timeout)
        self._reader.join(5)
        return status

    def fds(self):
        """What its open file descriptors name: {number: target}."""
        folder = f"/proc/{self.pid}/fd"
        targets = {}
        for fd in os.listdir(folder):
            try:
                targets[int(fd)] = os.readlink(f"{folder}/{fd}")
            except FileNotFoundError:
                pass  # closed since the listing
        return targets

    def rss_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_seconds(self):
        """User and system time that it has used."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, grace=3.0):
        """Ends it whatever state it is in: asked first, killed after `grace` s."""
        if self.returncode is None:
            self.sigcont()
            self.signal(signal.SIGTERM)
            try:
                self._popen.wait(grace)
            except subprocess.TimeoutExpired:
                self.kill9()
        self._reader.join(5)
        self._popen.stderr.close()
