#!/usr/bin/env python3
"""Makes tests/placement/data/ from a folder of JSON files of what clients and proxies really did.

    make_vectors.py FOLDER

FOLDER holds keys.txt, hash_functions.json and one file a scheme: named lists of `servers` (host,
port or null for a unix socket, weight, ip) and `vectors`, each with the list it is about, its
parameters, the positions of servers that were `down`, and `index`: for each line of keys.txt the
position of its server, -1 for none. What comes out:

  keys.txt        the keys, as they are
  vectors.txt.xz  a row is two lines. The first: what the server that is down does to its keys (place:
                  nothing; eject, rehash, refuse), the positions that are down or "-", and as
                  configuration the servers and the placement, between tabs. The second: a digit in
                  base 36 for each key, "-" for none.
  hashes.txt.xz   a line of the positions of keys in keys.txt, then two lines for each hash: its name,
                  its values.
"""

import json
import lzma
import pathlib
import shutil
import sys

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def flow(value):
    """A value as YAML in flow style."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return json.dumps(value)


def server(entry, name):
    port = entry["port"]
    written = {"address": entry["host"] if port is None else f"{entry['host']}:{port}"}
    written["weight"] = entry["weight"]
    if name is not None:
        written["name"] = name
    if entry.get("ip", entry["host"]) != entry["host"]:
        written["ip"] = entry["ip"]
    return written


def picked(row, *keys):
    return {key: row[key] for key in keys if key in row}


def libmemcached_ketama(row, weighted):
    how = {"like": "libmemcached", "distribution": "ketama", "hash": row["hash"]}
    if row["ring"] == "plain" and weighted:
        how["ring"] = "plain"
    return how


def libmemcached_other(row, _):
    call = row["call"]
    if call.startswith("distribution="):
        return {"like": "libmemcached", "distribution": call.split("=")[1]}
    return {"like": "libmemcached", "distribution": "ketama"} | picked(
        row, "hash", "ring", "ring_hash")


def php(row, _):
    options, late = row["options"], row["options_set"] == "after addServer"
    if row["distribution"] == "modula":
        return {"like": "php", "hash": row["hash"]}
    if options == "LIBKETAMA_COMPATIBLE then CONSISTENT":
        return {"like": "php", "distribution": "consistent"} | picked(row, "hash", "ring")
    if "LIBKETAMA_COMPATIBLE" in options:
        return {"like": "php", "distribution": "libketama_compatible"}
    return {"like": "php", "distribution": "consistent"} | ({"ring": "plain"} if late else {})


def mcrouter(row, _):
    return {"like": "mcrouter", "hash": row["hash_func"]} | picked(row, "salt", "weights")


def memcached_proxy(row, _):
    how = {"like": "memcached-proxy", "distribution": "ring" if "omode" in row else "jump"}
    return how | {"hash": row["key_hash"]} | picked(
        row, "seed", "filter", "filter_conf", "omode", "obuckets")


def twemproxy(row, _):
    return {"like": "twemproxy"} | picked(row, "distribution", "hash", "hash_tag")


def spymemcached(row, _):
    how = {"like": "spymemcached", "distribution": row["locator"], "hash": row["hash"]}
    return how | picked(row, "format", "weighted")


SCHEMES = {
    "crc32_modulo_clients": lambda row, _: {"like": "crc32-modulo", "client": row["client"]},
    "dalli": lambda row, _: {"like": "dalli"},
    "libmemcached_ketama": libmemcached_ketama,
    "libmemcached_ketama_weighted":
        lambda row, _: {"like": "pylibmc", "distribution": "ketama_weighted"},
    "libmemcached_modula":
        lambda row, _: {"like": "libmemcached"} | picked(row, "hash", "sort_hosts"),
    "libmemcached_other": libmemcached_other,
    "mcproxy_jump": memcached_proxy,
    "mcproxy_ring": memcached_proxy,
    "mcrouter_ch3": mcrouter,
    "mcrouter_rendezvous": mcrouter,
    "mcrouter_weighted_ch3": mcrouter,
    "php_memcached": php,
    "pymemcache": lambda row, _: {"like": "pymemcache", "key_type": row["key_type"]},
    "spymemcached": spymemcached,
    "twemproxy_ketama": twemproxy,
    "twemproxy_modula": twemproxy,
    "twemproxy_tags_and_names": twemproxy,
    "xmemcached":
        lambda row, _: {"like": "xmemcached", "distribution": row["style"], "hash": row["hash"]},
}


def past_the_dead(scheme, row):
    if "down" not in row:
        return "place"
    if scheme == "dalli":
        return "refuse" if row.get("failover") is False else "rehash"
    return "rehash" if scheme == "spymemcached" else "eject"


def rows(folder):
    for scheme, options in SCHEMES.items():
        data = json.loads((folder / f"{scheme}.json").read_text())
        for row in data["vectors"]:
            listed = data["servers"][row["servers"]]
            names = row.get("names", [None] * len(listed))
            servers = [server(entry, name) for entry, name in zip(listed, names, strict=True)]
            weighted = any(entry["weight"] > 1 for entry in listed)
            down = ",".join(map(str, row.get("down", []))) or "-"
            yield "\t".join([past_the_dead(scheme, row), down, flow(servers),
                             flow(options(row, weighted))])
            yield "".join("-" if i < 0 else DIGITS[i] for i in row["index"])


def hashes(folder):
    data = json.loads((folder / "hash_functions.json").read_text())
    yield " ".join(map(str, data["keys_rows"]))
    for name, values in data["values"].items():
        yield name
        yield " ".join(map(str, values))


def write(path, lines):
    text = "".join(line + "\n" for line in lines)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def main():
    folder = pathlib.Path(sys.argv[1])
    data = pathlib.Path(__file__).parent / "data"
    shutil.copyfile(folder / "keys.txt", data / "keys.txt")
    write(data / "vectors.txt.xz", rows(folder))
    write(data / "hashes.txt.xz", hashes(folder))


if __name__ == "__main__":
    main()
