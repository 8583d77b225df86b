"""What the kernel counts for a process: CPU time, context switches, memory, and system calls."""

import collections
import glob
import os
import re
import signal
import subprocess

from processes import is_unix, path_of, port_of


def _tasks(pid, file):
    for path in glob.glob(f"/proc/{pid}/task/*/{file}"):
        with open(path) as text:
            yield text.read()


def cpu_seconds(pid):
    """Of all its threads, user and kernel, to the nanosecond."""
    return sum(int(text.split()[0]) for text in _tasks(pid, "schedstat")) / 1e9


def context_switches(pid):
    return sum(int(count) for text in _tasks(pid, "status")
               for count in re.findall(r"ctxt_switches:\s+(\d+)", text))


def rss_bytes(pid):
    with open(f"/proc/{pid}/status") as text:
        return int(re.search(r"VmRSS:\s+(\d+) kB", text.read()).group(1)) * 1024


def _own_names():
    """Inode -> what a socket is bound to: a TCP port, or a unix path ('' for none)."""
    names = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as rows:
            for row in list(rows)[1:]:
                fields = row.split()
                names[fields[9]] = int(fields[1].rpartition(":")[2], 16)
    with open("/proc/net/unix") as rows:
        for row in list(rows)[1:]:
            fields = row.split()
            names[fields[6]] = fields[7] if len(fields) > 7 else ""
    return names


def socket_sides(pid, listens_at):
    """Descriptor -> 'client' or 'server'. An accepted socket has its listener's name."""
    names = _own_names()
    own = path_of(listens_at) if is_unix(listens_at) else port_of(listens_at)
    sides = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        inode = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
        if inode and inode.group(1) in names:
            sides[int(fd)] = "client" if names[inode.group(1)] == own else "server"
    return sides


_RECEIVES = {"read", "readv", "recv", "recvfrom", "recvmsg"}
_SENDS = {"write", "writev", "send", "sendto", "sendmsg"}
_WAITS = {"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"}
_CALL = re.compile(r"\d+\s+(\w+)\((\d+)?")


def kind_of(name, fd, sides):
    """How a call is reported: 'server recv', 'client send', 'wait', or 'other'."""
    if name in _WAITS:
        return "wait"
    if fd in sides and name in _RECEIVES:
        return f"{sides[fd]} recv"
    if fd in sides and name in _SENDS:
        return f"{sides[fd]} send"
    return "other"


class SyscallTrace:
    """Counts the calls of a running process while it is entered. The connections of the process are
    those that it has then."""

    def __init__(self, pid, listens_at, directory):
        self.pid = pid
        self.listens_at = listens_at
        self.output = f"{directory}/strace.{pid}"
        self.kinds = collections.Counter()  # as kind_of() says
        self.names = collections.Counter()  # by system call

    def __enter__(self):
        self.sides = socket_sides(self.pid, self.listens_at)
        self.strace = subprocess.Popen(
            ["strace", "-f", "-s", "0", "-e", "signal=none", "-o", self.output, "-p",
             str(self.pid)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = self.strace.stderr.readline()
        if "attached" not in said:
            self.strace.kill()
            raise RuntimeError(f"strace: {said}{self.strace.stderr.read()}")
        return self

    def __exit__(self, *_):
        self.strace.send_signal(signal.SIGINT)
        self.strace.communicate()
        with open(self.output) as lines:
            for line in lines:
                self._count(line)
        os.unlink(self.output)

    def _count(self, line):
        call = _CALL.match(line)
        if call is None or call.group(1) == "restart_syscall":  # the second half of one, or a note
            return
        fd = int(call.group(2)) if call.group(2) else None
        self.names[call.group(1)] += 1
        self.kinds[kind_of(call.group(1), fd, self.sides)] += 1
