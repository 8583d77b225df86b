"""Where keys go by a configuration, asked of the real binary."""

import pytest

from harness import run_mcsteady

POOL = """
pools:
  main:
    servers: [10.0.0.1:11211, 10.0.0.2:11211, 10.0.0.3:11211]
    placement: {placement}
"""


@pytest.fixture
def config_with(tmp_path):
    def write(placement):
        file = tmp_path / f"{abs(hash(placement))}.yaml"
        file.write_text(POOL.format(placement=placement))
        return file
    return write


@pytest.fixture
def keys_file(tmp_path):
    """Five hundred keys; one has bytes that are not UTF-8, and the last has no line end."""
    file = tmp_path / "keys"
    file.write_bytes(b"\n".join([b"raw:\xff\x00\xc3"] + [b"key:%d" % i for i in range(499)]))
    return file


def test_a_key_is_told_with_its_pool_its_route_its_server_and_why(config_with):
    config = config_with('{ like: twemproxy, hash_tag: "{}" }')

    status, output, errors = run_mcsteady("place", "--config", config, "foo", "{u}bar")

    assert (status, errors) == (0, "")
    foo, tagged = output.splitlines()
    assert foo == ('foo: pool main, route main, server 10.0.0.2:11211 (position 1), because '
                   '{ like: twemproxy, hash_tag: "{}" }: of the key, "foo" is hashed, to 4275688823')
    assert '"u" is hashed' in tagged


def test_indices_come_a_line_for_each_line_of_the_file(config_with, keys_file):
    config = config_with("modula")

    status, output, errors = run_mcsteady(
        "place", "--config", config, "--keys", keys_file, "--format", "index")

    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert len(lines) == 500 and set(lines) == {"0", "1", "2"}


def test_a_comparison_counts_the_keys_that_move_and_says_where(config_with, keys_file):
    before, after = config_with("ketama"), config_with("mcsteady")

    _, same, _ = run_mcsteady("compare-placement", "--config", before, "--config", before,
                              "--keys", keys_file)
    status, output, errors = run_mcsteady("compare-placement", "--config", before, "--config", after,
                                          "--keys", keys_file)

    assert same == "0 of 500 keys would move (0.0 %)\n"
    assert (status, errors) == (0, "")
    first, *moves = output.splitlines()
    moved = int(first.split(" of 500 keys would move")[0])
    assert moved > 200
    assert sum(int(line.rsplit(": ", 1)[1]) for line in moves) == moved
    assert all(" -> 10.0.0." in line for line in moves)


def test_what_is_missing_or_wrong_is_said(config_with, keys_file, tmp_path):
    config = config_with("ketama")

    for arguments, expected, words in (
            (["place", "--config", config], 64, "which keys?"),
            (["place", "--config", config, "--keys", tmp_path / "none"], 66, "cannot be read"),
            (["place", "--config", config_with("ketam"), "key"], 78, "did you mean 'ketama'?"),
            (["compare-placement", "--config", config, "--keys", keys_file], 64, "--config twice")):
        status, output, errors = run_mcsteady(*arguments)

        assert (status, output) == (expected, "") and words in errors


def test_keys_go_by_the_route_to_their_pool(config_with, tmp_path):
    config = tmp_path / "routed.yaml"
    config.write_text(config_with("modula").read_text() + """
  other: { servers: [10.0.1.1:11211] }
route: { by_prefix: { "o:": other, "": main } }
""")

    status, output, errors = run_mcsteady("place", "--config", config, "o:1", "m:1")

    assert (status, errors) == (0, "")
    other, main = output.splitlines()
    assert other.startswith("o:1: pool other, route by prefix, server 10.0.1.1:11211 (position 0)")
    assert main.startswith("m:1: pool main, route by prefix, server 10.0.0.")
