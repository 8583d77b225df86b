"""Holds every #include of include/ and src/ against the rooms that src/CMakeLists.txt declares.

    rooms_test.py SOURCE_DIR

Fails with one line for each include that breaks a rule:
  - a room names only itself and the rooms it USES, by their front doors (mcsteady/<room>/...);
  - a private header (<room>/... under src/) is named only by its own room;
  - a library with an owner (see LIBRARY_OWNERS) is named only there.
First it proves on a made-up tree that it can fail.
"""

import pathlib
import re
import sys
import tempfile

ROOM = re.compile(r"^mcsteady_room\((\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)

# The first part of the include path, and the one room that may name it.
LIBRARY_OWNERS = {
    "event2": "net",
    "event.h": "net",
    "openssl": "net",
    "crypt.h": "proxy",
    "yaml-cpp": "config",
    "spdlog": "base",
    "fmt": "base",
    "CLI": "main",
}


def declared_rooms(source):
    """room -> the rooms that it may name, as src/CMakeLists.txt says."""
    rooms = {}
    for name, words in ROOM.findall((source / "src/CMakeLists.txt").read_text()):
        uses = re.search(r"USES\s+((?:(?!LIBRARIES)\w+\s*)*)", words)
        rooms[name] = set(uses.group(1).split()) if uses else set()
    rooms["main"] = set(rooms)  # it wires everything
    return rooms


def source_files(source):
    """(room, path) of each file that a room owns."""
    for folder in ("include/mcsteady", "src"):
        for path in sorted((source / folder).rglob("*")):
            inside = path.relative_to(source / folder).parts
            if path.suffix in (".h", ".cc") and len(inside) > 1:
                yield inside[0], path


def fault_of(room, include, rooms, source):
    """Why `room` may not have that include, or None."""
    parts = include.split("/")
    owner = LIBRARY_OWNERS.get(parts[0])
    if owner is not None and owner != room:
        return f"only {owner} may name {parts[0]}"
    if parts[0] == "mcsteady":
        if not (source / "include" / include).is_file():
            return "there is no such header"
        if parts[1] != room and parts[1] not in rooms[room]:
            return f"{room} may not know {parts[1]}"
    elif parts[0] in rooms and len(parts) > 1 and parts[0] != room:
        return f"this header is private to {parts[0]}"
    return None


def faults(source):
    rooms = declared_rooms(source)
    found = []
    for room, path in source_files(source):
        where = path.relative_to(source)
        if room not in rooms:
            found.append(f"{where}: src/CMakeLists.txt declares no room {room}")
            continue
        for include in INCLUDE.findall(path.read_text()):
            why = fault_of(room, include, rooms, source)
            if why is not None:
                found.append(f'{where}: #include "{include}": {why}')
    return found


def order_faults(source):
    """The list is bottom up: a room uses only rooms above its line."""
    found, seen = [], set()
    for room, uses in declared_rooms(source).items():
        for unknown in sorted(uses - seen):
            if room != "main":
                found.append(f"src/CMakeLists.txt: {room} uses {unknown}, which is not above it")
        seen.add(room)
    return found


BAD_TREE = {
    "src/CMakeLists.txt": "mcsteady_room(base LIBRARIES spdlog)\n"
    "mcsteady_room(protocol USES base)\n"
    "mcsteady_room(net USES base\n              LIBRARIES event)\n",
    "include/mcsteady/base/clock.h": "#include <chrono>\n",
    "include/mcsteady/net/stream.h": '#include "mcsteady/base/clock.h"\n',
    "src/net/loop.cc": '#include <event2/event.h>\n#include "mcsteady/net/stream.h"\n'
    '#include "net/handles.h"\n',
    "src/net/handles.h": "",
    "src/protocol/above.cc": '#include "mcsteady/net/stream.h"\n',
    "src/protocol/private.cc": '#include "net/handles.h"\n',
    "src/protocol/library.cc": "#include <spdlog/spdlog.h>\n  #  include <event2/event.h>\n",
    "src/protocol/missing.cc": '#include "mcsteady/base/gone.h"\n',
    "src/attic/stray.cc": "",
}
BAD_TREE_FAULTS = [
    "src/attic/stray.cc: src/CMakeLists.txt declares no room attic",
    'src/protocol/above.cc: #include "mcsteady/net/stream.h": protocol may not know net',
    'src/protocol/library.cc: #include "spdlog/spdlog.h": only base may name spdlog',
    'src/protocol/library.cc: #include "event2/event.h": only net may name event2',
    'src/protocol/missing.cc: #include "mcsteady/base/gone.h": there is no such header',
    'src/protocol/private.cc: #include "net/handles.h": this header is private to net',
]


def check_that_it_can_fail():
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        for name, text in BAD_TREE.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        assert faults(tree) == BAD_TREE_FAULTS, "\n".join(faults(tree))
        (tree / "src/CMakeLists.txt").write_text(
            "mcsteady_room(base USES net)\nmcsteady_room(net USES base)\n"
        )
        assert order_faults(tree) == [
            "src/CMakeLists.txt: base uses net, which is not above it"
        ], order_faults(tree)


def main():
    check_that_it_can_fail()
    source = pathlib.Path(sys.argv[1])
    found = order_faults(source) + faults(source)
    for line in found:
        print(line)
    files = sum(1 for _ in source_files(source))
    print(f"{files} files in {len(declared_rooms(source))} rooms, {len(found)} faults")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
