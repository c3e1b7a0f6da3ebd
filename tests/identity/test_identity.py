from __future__ import annotations

import hashlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology import identity
from metrology.errors import InputError

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def test_the_published_example_of_rfc_8785() -> None:
    # Section 3.2.2 and 3.2.3 of RFC 8785: numbers, escapes and the order of keys.
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert identity.canonical_json(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


@given(JSON_VALUES)
def test_key_order_and_spaces_do_not_count(value: object) -> None:
    spelled = json.loads(json.dumps(value, indent=3))
    assert identity.content_hash(_reversed(spelled)) == identity.content_hash(value)


@given(JSON_VALUES, JSON_VALUES)
def test_equal_hash_means_equal_canonical_text(first: object, second: object) -> None:
    same = identity.canonical_json(first) == identity.canonical_json(second)
    assert (identity.content_hash(first) == identity.content_hash(second)) is same


def test_whole_floats_are_the_same_number() -> None:
    assert identity.content_hash({"memory_gb": 2}) == identity.content_hash({"memory_gb": 2.0})


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53 + 1, {1, 2}, b"x", "\ud800", {"a": {"b": object()}}]
)
def test_what_is_not_json_has_no_identity(value: object) -> None:
    with pytest.raises(InputError) as caught:
        identity.content_hash(value)
    assert caught.value.hint


def test_directory_digest_follows_the_formula(tmp_path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes(b"2")
    (tmp_path / "a.txt").write_bytes(b"1")
    lines = b"".join(
        f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode()
        for name, data in (("a.txt", b"1"), ("b/two.txt", b"2"))
    )
    assert identity.directory_digest(tmp_path) == f"sha256:{hashlib.sha256(lines).hexdigest()}"


def test_times_modes_caches_and_droppings_do_not_count(tmp_path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1")
    before = identity.directory_digest(tmp_path)
    os.utime(file, (0, 0))
    file.chmod(0o755)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_text("x")
    (tmp_path / "a.txt~").write_text("old")
    (tmp_path / ".DS_Store").write_text("x")
    assert identity.directory_digest(tmp_path) == before
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert identity.directory_digest(tmp_path) != before


def test_links_and_missing_folders_are_refused(tmp_path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    with pytest.raises(InputError, match="symbolic link"):
        identity.directory_digest(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        identity.directory_digest(tmp_path / "none")


def test_a_linked_folder_is_refused_too(tmp_path) -> None:
    (tmp_path / "link").symlink_to("/etc", target_is_directory=True)
    with pytest.raises(InputError, match="symbolic link"):
        identity.directory_digest(tmp_path)


def test_harbor_lock_digests(shared) -> None:
    harbor = shared / "samples" / "harbor"
    checked = 0
    for lock in harbor.glob("jobs/*/lock.json"):
        for trial in json.loads(lock.read_text())["trials"]:
            task = trial["task"]
            folder = harbor / task["path"]
            if folder.is_dir():
                assert identity.directory_digest(folder) == task["digest"], task["name"]
                checked += 1
    assert checked >= 4


def test_line_ends_and_short() -> None:
    assert identity.normalised_text(b"a\r\nb\rc\n") == b"a\nb\nc\n"
    assert identity.short("sha256:0123456789abcdef") == "0123456789ab"


def test_file_digest_is_the_digest_of_its_bytes(tmp_path) -> None:
    (tmp_path / "x").write_bytes(b"abc" * 100_000)
    assert identity.file_digest(tmp_path / "x") == identity.bytes_digest(b"abc" * 100_000)


def _reversed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(list(value))}
    return [_reversed(inner) for inner in value] if isinstance(value, list) else value
