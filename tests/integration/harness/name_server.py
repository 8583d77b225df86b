"""A DNS server whose every answer the test decides: RFC 1035, as much of it as a resolver asks for."""

import ipaddress
import selectors
import socket
import struct
import threading

A, AAAA, SRV = 1, 28, 33
NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0, 2, 3


def _encode_name(name):
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _decode_name(message, offset):
    labels = []
    while message[offset]:
        length = message[offset]
        labels.append(message[offset + 1:offset + 1 + length].decode().lower())
        offset += 1 + length
    return ".".join(labels), offset + 1


def _record_data(kind, value):
    if kind == SRV:
        priority, weight, port, target = value
        return struct.pack(">HHH", priority, weight, port) + _encode_name(target)
    return ipaddress.ip_address(value).packed


class NameServer:
    """Listens on one port of 127.0.0.1 over UDP and TCP.

    `set(name, addresses=[...])` and `set(name, services=[(priority, weight, port, target)])` are its
    records; a name without any does not exist, one with empty lists has no such record. `hang`: takes
    questions and never answers; `fail`: answers SERVFAIL; `truncate`: sends over UDP nothing but the
    bit that says so. `questions` counts those that came, `by_tcp` those over TCP."""

    def __init__(self, ttl=0):
        self.ttl = ttl
        self.hang = self.fail = self.truncate = False
        self.questions = self.by_tcp = 0
        self._records = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(self._listener.getsockname())
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._wake, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        for listening in (self._listener, self._udp, self._woken):
            self._selector.register(listening, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def set(self, name, addresses=(), services=()):
        records = {A: [a for a in addresses if ":" not in a],
                   AAAA: [a for a in addresses if ":" in a], SRV: list(services)}
        self._records = {**self._records, name: records}  # swapped whole: the thread reads it

    def remove(self, name):
        self._records = {known: of for known, of in self._records.items() if known != name}

    def _serve(self):
        while True:
            for key, _ in self._selector.select():
                ready = key.fileobj
                if ready is self._woken:
                    return
                if ready is self._udp:
                    question, peer = self._udp.recvfrom(4096)
                    self._reply(question, lambda reply, to=peer: self._udp.sendto(reply, to), True)
                elif ready is self._listener:
                    self._selector.register(self._listener.accept()[0], selectors.EVENT_READ)
                else:
                    self._serve_tcp(ready)

    def _serve_tcp(self, connection):
        question = connection.recv(4096)
        if len(question) < 2:
            self._selector.unregister(connection)
            connection.close()
            return
        self.by_tcp += 1
        self._reply(question[2:], lambda reply: connection.sendall(
            struct.pack(">H", len(reply)) + reply), False)

    def _reply(self, question, send, over_udp):
        self.questions += 1
        if not self.hang:
            send(self._compose(question, over_udp))

    def _compose(self, question, over_udp):
        name, end = _decode_name(question, 12)
        kind = struct.unpack(">H", question[end:end + 2])[0]
        asked = question[12:end + 4]
        known = self._records.get(name)
        code = SERVER_FAILURE if self.fail else NO_SUCH_NAME if known is None else NO_ERROR
        values = known.get(kind, []) if code == NO_ERROR else []
        truncated = over_udp and self.truncate
        if truncated:
            values = []
        answers = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, self.ttl, len(data)) + data
            for data in (_record_data(kind, value) for value in values))
        flags = 0x8180 | (0x0200 if truncated else 0) | code
        return question[:2] + struct.pack(">HHHHH", flags, 1, len(values), 0, 0) + asked + answers

    def close(self):
        self._wake.send(b"x")
        self._thread.join(5)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()
        self._wake.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
