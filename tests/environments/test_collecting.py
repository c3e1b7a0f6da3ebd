from __future__ import annotations

import os
from pathlib import Path

import pytest

from metrology.environments.base import CollectLimits
from metrology.environments.collecting import collect_folder
from metrology.environments.paths import relative_path
from metrology.errors import InputError


def collect(root: Path, *paths: str, **limits: int):
    return collect_folder(str(root), paths, CollectLimits(**limits))


def test_files_and_folders_cross_by_their_path(tmp_path) -> None:
    (tmp_path / "out" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "a.txt").write_bytes(b"a")
    (tmp_path / "out" / "deep" / "b.txt").write_bytes(b"b")
    (tmp_path / "other.txt").write_bytes(b"not declared")
    found = collect(tmp_path, "out", "out/a.txt", "missing")
    assert dict(found.files) == {"out/a.txt": b"a", "out/deep/b.txt": b"b"}
    assert found.refused == ()


def test_links_cross_only_within_their_artifact(tmp_path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "secret").write_bytes(b"s")
    (out / "real").write_bytes(b"r")
    (out / "inner").symlink_to("real")
    (out / "up").symlink_to("../secret")
    (out / "host").symlink_to("/etc/hostname")
    (out / "textual").symlink_to("loop/../../secret")
    (out / "loop").symlink_to(".")
    (out / "dangling").symlink_to("nowhere")
    (out / "self").symlink_to("self")
    found = collect(tmp_path, "out")
    assert dict(found.files) == {"out/real": b"r", "out/inner": b"r"}
    assert {line.split(":")[0] for line in found.refused} >= {"out/up", "out/host", "out/textual", "out/dangling"}


def test_a_declared_path_that_is_a_link_does_not_cross(tmp_path) -> None:
    (tmp_path / "out.txt").symlink_to("/etc/hostname")
    (tmp_path / "folder").symlink_to("/etc")
    found = collect(tmp_path, "out.txt", "folder/hostname")
    assert not found.files
    assert len(found.refused) == 2


def test_special_files_are_never_opened(tmp_path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    os.mkfifo(out / "pipe")
    (out / "hard").write_bytes(b"h")
    os.link(out / "hard", out / "harder")
    found = collect(tmp_path, "out")
    assert set(found.files) == {"out/hard", "out/harder"}
    assert found.refused == ("out/pipe: is no regular file",)


def test_names_need_not_be_utf8(tmp_path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    Path(os.fsdecode(bytes(out) + b"/\xff\xfe")).write_bytes(b"x")
    found = collect(tmp_path, "out")
    assert [os.fsencode(name) for name in found.files] == [b"out/\xff\xfe"]


@pytest.mark.parametrize(
    ("limits", "word"),
    [({"total_bytes": 5}, "bytes"), ({"files": 1}, "files"), ({"path_bytes": 4}, "path"), ({"depth": 1}, "deeper")],
)
def test_caps_stop_and_say_which(tmp_path, limits: dict[str, int], word: str) -> None:
    (tmp_path / "o" / "d").mkdir(parents=True)
    (tmp_path / "o" / "a").write_bytes(b"1234")
    (tmp_path / "o" / "b.txt").write_bytes(b"1234")
    (tmp_path / "o" / "d" / "c").write_bytes(b"1234")
    found = collect(tmp_path, "o", **limits)
    assert len(found.files) <= 2
    assert "collecting stopped" in found.refused[-1]
    assert word in found.refused[-1]


def test_a_sparse_giant_is_refused_before_it_is_read(tmp_path) -> None:
    with (tmp_path / "giant").open("wb") as stream:
        stream.truncate(1 << 40)
    found = collect(tmp_path, "giant")
    assert not found.files
    assert "bytes" in found.refused[0]


@pytest.mark.parametrize("path", ["", ".", "..", "/a", "a/../b", "a\\b", "c:x", " a", "a\n", "a\0", "\ud800"])
def test_unsafe_paths_are_refused(path: str) -> None:
    with pytest.raises(InputError) as caught:
        relative_path(path)
    assert caught.value.hint


def test_paths_are_brought_to_their_plain_form() -> None:
    assert relative_path("./a//b/") == "a/b"
    assert relative_path("ü/..x") == "ü/..x"
