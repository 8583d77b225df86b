"""The binary protocol by hand, with a deadline for everything. Source: memcached doc/protocol-binary.txt."""

import dataclasses
import random
import socket
import struct
import time

from harness.text_client import connect

OPCODES = dict(
    get=0x00, set=0x01, add=0x02, replace=0x03, delete=0x04, incr=0x05, decr=0x06, quit=0x07,
    flush=0x08, getq=0x09, noop=0x0A, version=0x0B, getk=0x0C, getkq=0x0D, append=0x0E,
    prepend=0x0F, stat=0x10, setq=0x11, addq=0x12, replaceq=0x13, deleteq=0x14, incrq=0x15,
    decrq=0x16, quitq=0x17, flushq=0x18, appendq=0x19, prependq=0x1A, verbosity=0x1B, touch=0x1C,
    gat=0x1D, gatq=0x1E, sasl_list=0x20, sasl_auth=0x21, sasl_step=0x22, gatk=0x23, gatkq=0x24)
HEADER = struct.Struct(">BBHBBHIIQ")


def packet(opcode, key=b"", extras=b"", value=b"", opaque=0, cas=0, magic=0x80, body_size=None):
    """A request. `body_size` where it is to be other than what follows the header."""
    if body_size is None:
        body_size = len(extras) + len(key) + len(value)
    number = OPCODES[opcode] if isinstance(opcode, str) else opcode
    return HEADER.pack(magic, number, len(key), len(extras), 0, 0, body_size, opaque, cas) \
        + extras + key + value


@dataclasses.dataclass(frozen=True)
class Reply:
    opcode: int
    status: int
    extras: bytes
    key: bytes
    value: bytes
    opaque: int
    cas: int


class BinaryClient:
    """One connection. Every call raises TimeoutError after `timeout` s."""

    def __init__(self, address, timeout=5.0):
        self.timeout = timeout
        self.socket = connect(address, timeout)
        self._input = bytearray()

    def send_in_pieces(self, data, rng: random.Random, pieces):
        """Sends it cut at so many random places."""
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(pieces))
        for begin, end in zip([0, *cuts], [*cuts, len(data)]):
            self.socket.sendall(data[begin:end])

    def _receive(self, deadline):
        self.socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            data = self.socket.recv(1 << 18)
        except socket.timeout:
            raise TimeoutError(f"no more behind {bytes(self._input[:100])!r}") from None
        except ConnectionResetError:
            data = b""
        self._input += data
        return bool(data)

    def _take(self):
        if len(self._input) < HEADER.size:
            return None
        magic, opcode, key, extras, kind, status, body, opaque, cas = HEADER.unpack_from(self._input)
        assert (magic, kind) == (0x81, 0), f"no reply: {bytes(self._input[:100])!r}"
        if len(self._input) < HEADER.size + body:
            return None
        rest = bytes(self._input[HEADER.size:HEADER.size + body])
        del self._input[:HEADER.size + body]
        return Reply(opcode, status, rest[:extras], rest[extras:extras + key], rest[extras + key:],
                     opaque, cas)

    def reply(self):
        """The next one; None at the end of the stream."""
        deadline = time.monotonic() + self.timeout
        while True:
            taken = self._take()
            if taken is not None:
                return taken
            if not self._receive(deadline):
                assert not self._input, f"the stream ended within {bytes(self._input[:100])!r}"
                return None

    def replies_until(self, opaque):
        """All up to the one with that opaque, which is left out."""
        replies = []
        while True:
            reply = self.reply()
            assert reply is not None, f"the stream ended behind {replies[-3:]}"
            if reply.opaque == opaque:
                return replies
            replies.append(reply)

    def replies_until_end(self):
        return list(iter(self.reply, None))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
