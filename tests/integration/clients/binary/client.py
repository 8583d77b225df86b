"""pylibmc in binary mode: one line for each operation at argv[1], with what came of it."""

import sys

import pylibmc

client = pylibmc.Client([sys.argv[1]], binary=True, behaviors={"cas": True})
KEYS = [f"key{n}" for n in range(10)]


def show(name, operation, *arguments, **options):
    try:
        result = operation(*arguments, **options)
    except pylibmc.Error as raised:
        result = f"{type(raised).__name__}"
    print(name, result if len(repr(result)) < 200 else hash_of(result))


def hash_of(value):
    return sum(value) if isinstance(value, bytes) else len(value)


def cas(key, value):
    _, unique = client.gets(key)
    first = client.cas(key, value, unique)
    return first, client.cas(key, "too late", unique)


client.flush_all()
for number, key in enumerate(KEYS):
    show("get of nothing", client.get, key)
    show("replace of nothing", client.replace, key, "x")
    show("add", client.add, key, f"value {number}")
    show("add again", client.add, key, "x")
    show("get", client.get, key)
    show("append", client.append, key, " and more")
    show("cas", cas, key, {"number": number})
    show("get", client.get, key)
    show("touch", client.touch, key, 100)
    show("delete", client.delete, key)
    show("delete again", client.delete, key)
    show("touch of nothing", client.touch, key, 100)
    show("set of a number", client.set, key, number)
    show("incr", client.incr, key, 5)
    show("decr", client.decr, key, 100)
    show("incr of nothing", client.incr, key + "x", 1)
show("set_multi", client.set_multi, {key: key * 1000 for key in KEYS})
show("get_multi", lambda: sorted(client.get_multi(KEYS + ["missing"])))
show("set of much", client.set, "large", bytes(range(256)) * 3900)
show("get of much", client.get, "large")
show("delete_multi", client.delete_multi, KEYS)
show("get_multi", client.get_multi, KEYS)
