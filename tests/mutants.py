"""Breaks the code on purpose, one place at a time, and sees that the tests of `upstream` notice.

    mutants.py SOURCE_DIR [NAME-PART...]    all mutants, or those whose names hold one of the parts

Works on a copy in a temporary directory, built there incrementally. A mutant whose text is not
found, or that does not compile, is a fault of this list and fails the run.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Mutant(NamedTuple):
    name: str
    file: str  # under src/
    text: str  # must be there once
    becomes: str


READER = "upstream/recovery_reader.cc"
CONNECTION = "upstream/connection.cc"
CONNECTION_END = "upstream/connection_end.cc"
SERVER = "upstream/server.cc"
SHARED = "upstream/shared_server.cc"
LINE = "upstream/shared_line.cc"
STREAM = "net/socket_stream.cc"
TLS = "net/tls_stream.cc"

MUTANTS = [
    # Reading
    Mutant("reads past a value", READER,
           "large_->size - large_->filled};", "large_->size - large_->filled + 1};"),
    Mutant("reads past a value that it drops", READER,
           "  if (skip_ > 0) room_size_ = std::min(room_size_, skip_);\n", ""),
    Mutant("takes a value before its last byte", READER,
           "large_->filled < large_->size", "large_->filled + 1 < large_->size"),
    Mutant("takes a value without its line end", READER,
           "return data[size - 2] == '\\r' && data[size - 1] == '\\n';",
           "return data[size - 2] != '\\0' || data[size - 1] != '\\1';"),
    Mutant("drops what is in the buffer after a read", READER,
           "  if (begin_ != end_) return;\n  begin_ = end_ = 0;\n  buffer_",
           "  begin_ = end_ = 0;\n  buffer_"),
    Mutant("keeps the buffer while idle", READER,
           "  begin_ = end_ = 0;\n  buffer_.release();\n}\n\n}  // namespace", "}\n\n}  // namespace"),
    Mutant("gives a block to a value that nobody wants", READER,
           "if (!wanted) {", "if (!wanted && size == 0) {"),
    Mutant("leaves keys of large values in the old buffer", READER,
           "if (!line.key.empty()) {", "if (line.key == \"\") {"),
    Mutant("forgets to skip a refused value", READER,
           "  skip_ = size;\n", "  skip_ = size - size;\n"),
    Mutant("drops what stands behind a value in its buffer", READER,
           "  if (behind > 0) {", "  if (behind > 64) {"),
    Mutant("gives the buffer to a value that is not at its front", READER,
           "return begin_ == 0 && size <=", "return size <="),
    Mutant("gives a much larger buffer to a value", READER,
           " && buffer_.capacity() / 2 <= size;", ";"),
    Mutant("expects large values for ever", READER, "  --expected_for_;\n", ""),
    Mutant("expects no large value", READER,
           "expected_ <= kExpectedMax ? kExpectedFor : 0", "0 * kExpectedFor"),
    # Waiting
    Mutant("does not look when a wait runs out", CONNECTION,
           "  look();\n  evidence.found_unread", "  evidence.found_unread"),
    Mutant("skips the last receive of a look", STREAM,
           "return receive(shown ? kReadsMax : 1);",
           "return shown ? receive(kReadsMax) : Found::Nothing;"),
    Mutant("waits in the poll of a look", STREAM,
           "poll(&readable, 1, 0)", "poll(&readable, 1, 20)"),
    Mutant("waits without a timeout", CONNECTION,
           "if (head != nullptr && now >= wait_end(*head)) return",
           "if (head != nullptr && now < wait_begin(*head)) return"),
    Mutant("waits for less than the timeout after a byte", CONNECTION,
           "std::max({out, last_in_, granted_at_})", "std::max({out, granted_at_})"),
    Mutant("begins waits anew with each request that goes out", CONNECTION,
           "const TimePoint out = exchange.sent_ ? exchange.sent_at_ :",
           "const TimePoint out = exchange.sent_ ? last_out_ :"),
    Mutant("drops bytes when a wait runs out", CONNECTION,
           "  const std::uint64_t received_before = received_;\n",
           "  const std::uint64_t received_before = received_;\n"
           "  std::destroy_at(&reader_);\n"
           "  std::construct_at(&reader_, context_.blocks, options_.value_max);\n"),
    Mutant("takes its own stalls for the server's", CONNECTION,
           "if (grants_ >= kGrantsMax) return false;", "if (grants_ >= 0) return false;"),
    Mutant("grants waits for ever", CONNECTION,
           "if (grants_ >= kGrantsMax) return false;", "if (grants_ > 1'000) return false;"),
    Mutant("calls a connect late without a look", CONNECTION,
           "    stream_->look();  // it may", "    // it may"),
    # TLS
    Mutant("takes what a buffer held for what TLS brought at the end of the file", TLS,
           "    const bool full = fill(room, filled, why);\n",
           "    static std::size_t last = 0;\n"
           "    const bool full = fill(room, filled, why);\n"
           "    if (filled == 0 && why == SSL_ERROR_ZERO_RETURN) filled = last;\n"
           "    last = filled;\n"),
    Mutant("waits for the socket while OpenSSL holds what came", TLS,
           "if (!full && state_ == State::Open) return end_of_plaintext(why);",
           "if (state_ == State::Open) return end_of_plaintext(full ? SSL_ERROR_WANT_READ : why);"),
    Mutant("looks only at what OpenSSL holds", TLS,
           "if (state_ != State::Closed && !end_reported_) below_->look();",
           "if (state_ != State::Closed && end_reported_) below_->look();"),
    # After a timeout
    Mutant("goes on with a connection after a timeout", CONNECTION,
           "    report(cause, began, 0, evidence);\n    retire();",
           "    report(cause, began, 0, evidence);"),
    Mutant("keeps what was not sent on a retired connection", CONNECTION_END,
           "late_.on_retired(now);\n  host_.on_retired(*this);\n  hand_over_unsent();",
           "late_.on_retired(now);\n  host_.on_retired(*this);"),
    Mutant("keeps what was not sent at an address that is the server's no more", CONNECTION_END,
           "draining_ = true;\n  host_.on_retired(*this);\n  hand_over_unsent();",
           "draining_ = true;\n  host_.on_retired(*this);"),
    Mutant("asks for the bounds of late replies with the timer only", CONNECTION,
           "if (state_ == State::Retired && late_.exceeded(last_in_, queue_.size())) {",
           "if (state_ == State::Connecting && late_.exceeded(last_in_, queue_.size())) {"),
    Mutant("takes a late reply for an answer", CONNECTION,
           "const bool in_time = !head.late_ && !head.expired_;",
           "const bool in_time = !head.expired_;"),
    # Ending
    Mutant("repeats what is not idempotent", CONNECTION_END,
           "closed_while_idle && taken->idempotent &&", "closed_while_idle &&"),
    Mutant("repeats what was lost while the server was at work", CONNECTION_END,
           "const bool may_repeat = closed_while_idle &&", "const bool may_repeat ="),
    Mutant("takes stray bytes for the next reply", CONNECTION,
           "head != nullptr && head->touched_ && !head->replied_;",
           "head != nullptr && !head->replied_;"),
    Mutant("leaves the last place for pieces empty", CONNECTION,
           "e != nullptr && count < out.size();", "e != nullptr && count + 1 < out.size();"),
    # Lines that several share
    Mutant("gives two items to one key", LINE,
           "      member->matched_ = at + key.size();\n", ""),
    Mutant("leaves a line without its end", LINE,
           "if (!first && last && previous != nullptr) previous->joins_next_ = false;",
           "if (!first && last && previous != nullptr) previous->joins_next_ = true;"),
    Mutant("leaves a line without its word", LINE,
           "if (first && !last) exchange.next_->joins_previous_ = false;", ""),
    Mutant("drops the key that ends a line", LINE,
           "return !ends_line || (previous != nullptr && !previous->sent_);",
           "return !ends_line || previous != nullptr || true;"),
    Mutant("keeps the marks of a line that was lost", LINE,
           "  exchange.joins_next_ = exchange.joins_previous_ = exchange.offered_ = false;\n", ""),
    Mutant("asks the first of a line alone whether a value is wanted", LINE,
           "while (member->given_up() && member->joins_next_)", "while (false)"),
    Mutant("lets a line grow for ever", LINE,
           "if (size > kLineMax) return;", ""),
    # The server and its record
    Mutant("lets an early deadline wait for a later one", SERVER,
           "if (!deadline_timer_->is_set() || exchange.deadline_ < deadline_timer_due_) {",
           "if (!deadline_timer_->is_set()) {"),
    Mutant("expires requests without a look", SERVER,
           "  if (options_.timeout_recovery) look_for_due(now);\n", ""),
    Mutant("counts each socket of one event", SHARED,
           "  if (failed_at_ && incident.began < *failed_at_) return {};\n", ""),
    Mutant("keeps nobody up where all seem to fail", SHARED,
           "is_silence(incident.cause) &&\n      fleet_",
           "incident.cause == Failure::BadReply &&\n      fleet_"),
]


def copy_sources(source: pathlib.Path, to: pathlib.Path) -> None:
    for name in ("CMakeLists.txt", "src", "include", "tests/CMakeLists.txt", "tests/support",
                 "tests/upstream"):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, target)
        else:
            shutil.copy2(source / name, target)


class Copy:
    """The sources in a directory of their own, and what is built of them."""

    def __init__(self, source: pathlib.Path, directory: pathlib.Path) -> None:
        self.tree = directory / "tree"
        self.build = directory / "build"
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(directory), CCACHE_NOHASHDIR="1")
        copy_sources(source, self.tree)
        self.run("cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
                 "-DMCSTEADY_BENCH=OFF").check_returncode()

    def run(self, *command: object, timeout: float | None = None):
        return subprocess.run([str(word) for word in command], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, check=False)

    def builds(self) -> bool:
        result = self.run("ninja", "-C", self.build, "test_upstream")
        if result.returncode != 0:
            print(result.stdout[-3000:])
        return result.returncode == 0

    def failing_tests(self) -> list[str] | None:
        """None: all pass."""
        try:
            result = self.run(self.build / "tests/test_upstream", "--gtest_brief=1", timeout=60)
        except subprocess.TimeoutExpired:
            return ["(does not end)"]
        if result.returncode == 0:
            return None
        failed = [line.split()[3].rstrip(",") for line in result.stdout.splitlines()
                  if line.startswith("[  FAILED  ]") and "(" in line]
        return failed or ["(dies)"]

    def try_mutant(self, mutant: Mutant) -> bool:
        path = self.tree / "src" / mutant.file
        right = path.read_text()
        if right.count(mutant.text) != 1:
            print(f"STALE   {mutant.name}: its text is there {right.count(mutant.text)} times")
            return False
        path.write_text(right.replace(mutant.text, mutant.becomes))
        try:
            if not self.builds():
                print(f"BROKEN  {mutant.name}: does not compile")
                return False
            failed = self.failing_tests()
        finally:
            path.write_text(right)
        if failed is None:
            print(f"LIVES   {mutant.name}")
            return False
        print(f"caught  {mutant.name}: {len(failed)}, {failed[0]}", flush=True)
        return True


def main() -> int:
    source = pathlib.Path(sys.argv[1]).resolve()
    parts = sys.argv[2:]
    chosen = [m for m in MUTANTS if not parts or any(part in m.name for part in parts)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        copy = Copy(source, pathlib.Path(directory))
        if not copy.builds() or copy.failing_tests() is not None:
            print("the tests fail without a mutant")
            return 1
        caught = sum(copy.try_mutant(mutant) for mutant in chosen)
    print(f"{caught} of {len(chosen)} mutants caught")
    return 0 if chosen and caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
