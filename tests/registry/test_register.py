from __future__ import annotations

from pathlib import Path

import pytest

from metrology.domain.benchmark import VersionState
from metrology.domain.lifecycle import ItemState
from metrology.errors import ConflictError, InputError, InputErrors, NotFoundError, StorageError
from metrology.registry import lifecycle
from metrology.registry.diff import compare_stored, stored_content
from metrology.registry.register import register, release
from metrology.settings import Settings
from metrology.storage import benchmarks
from metrology.storage.store import open_store
from tests.registry.benchmark_folder import record, write_benchmark, write_item


def test_registering_twice_adds_nothing(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b", record("a"), record("b"))
    first = register(store, root)
    assert (first.created, first.superseded, first.label, first.warnings) == (True, None, "1.0.0", ())
    again = register(store, root)
    assert (again.created, again.version_id) == (False, first.version_id)


def test_what_was_stored_is_what_was_read(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b", record("a", environment={"files": {"x.txt": "x"}}), more='canary = "c"')
    done = register(store, root)
    with store.read() as connection:
        stored = benchmarks.find_version(connection, "small", "1.0.0")
    content = stored_content(store, stored)
    assert content.identity == done.version.identity
    (item,) = content.items
    assert store.blobs.get(item.files["environment"]["x.txt"]) == b"x"


def test_a_broken_folder_stores_nothing(tmp_path, store) -> None:
    with pytest.raises(InputErrors):
        register(store, write_benchmark(tmp_path / "b", record("a"), record("b", scorer=None)))
    with store.read() as connection:
        assert benchmarks.list_versions(connection) == ()


def test_a_released_version_that_changed_on_disk_is_named_item_by_item(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b", record("a"), record("b"), record("c"))
    write_item(root, "d", scorer__grade_dot_py="1")
    register(store, root)
    assert release(store, "small", "1.0.0", folder=root).state is VersionState.RELEASED
    write_benchmark(root, record("a", instruction="Other."), record("b", tags=["new"]), record("e"))
    (root / "items" / "d" / "scorer" / "grade.py").write_text("2")
    for attempt in (lambda: register(store, root), lambda: release(store, "small", "1.0.0", folder=root)):
        with pytest.raises(ConflictError) as caught:
            attempt()
        for words in ("a: changed instruction", "b: changed metadata", "c: removed", "d: changed scorer", "e: added"):
            assert words in caught.value.message
        assert caught.value.hint


def test_a_release_needs_the_step_that_its_changes_require(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b", record("a"))
    register(store, root)
    release(store, "small", "1.0.0")
    write_benchmark(root, record("a", scorer={"kind": "exact", "expected": ["A"]}), version="1.0.1")
    register(store, root)
    with pytest.raises(ConflictError, match="minor step") as caught:
        release(store, "small", "1.0.1")
    assert "1.1.0" in caught.value.hint
    write_benchmark(root, record("a", scorer={"kind": "exact", "expected": ["A"]}), version="1.1.0")
    assert not register(store, root).created, "the draft takes the new label"
    assert release(store, "small", "1.1.0").state is VersionState.RELEASED
    assert release(store, "small", "1.1.0").state is VersionState.RELEASED, "a second release changes nothing"


def test_released_content_keeps_its_label(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b", record("a"))
    register(store, root)
    release(store, "small", "1.0.0")
    again = register(store, write_benchmark(root, record("a"), version="2.0.0"))
    assert (again.created, again.label) == (False, "1.0.0")
    assert any("already released as 1.0.0" in warning for warning in again.warnings)


def test_releasing_another_folder_or_an_unknown_version_is_refused(tmp_path, store) -> None:
    register(store, write_benchmark(tmp_path / "b", record("a")))
    with pytest.raises(ConflictError, match="not small"):
        release(store, "small", "1.0.0", folder=write_benchmark(tmp_path / "c", record("a"), name="other"))
    with pytest.raises(NotFoundError):
        release(store, "small", "9.9.9")


def test_stored_versions_are_compared_with_their_files(tmp_path, store) -> None:
    root = write_benchmark(tmp_path / "b")
    write_item(root, "d", files__in_dot_txt="a\nb\n")
    register(store, root)
    write_benchmark(root, version="1.0.1")
    (root / "items" / "d" / "files" / "in.txt").write_bytes(b"a\r\nb\r\n")
    register(store, root)
    with store.read() as connection:
        one, other = (benchmarks.find_version(connection, "small", label) for label in ("1.0.0", "1.0.1"))
    found = compare_stored(store, one, other)
    assert "newline normalisation" in found.describe()
    assert "at least a major step is required" in found.describe()


def test_a_release_makes_items_active_and_their_life_is_kept(tmp_path, store) -> None:
    register(store, write_benchmark(tmp_path / "b", record("a"), record("b")))
    release(store, "small", "1.0.0", actor="ada")
    lifecycle.quarantine(store, "small", "a", actor="bob", reason="flaky", evidence={"trials": [1, 2]})
    lifecycle.restore(store, "small@1.0.0", "a", actor="bob", reason="mended")
    lifecycle.retire(store, "small", "b", actor="ada", reason="leaked")
    with store.read() as connection:
        events = benchmarks.lifecycle_events(connection, "small")
        version = benchmarks.find_version(connection, "small")
        states = {item.name: item.state for item in benchmarks.item_summaries(connection, version.id)}
    assert states == {"a": ItemState.ACTIVE, "b": ItemState.RETIRED}
    assert [(event.item, event.after.value, event.actor) for event in events] == [
        ("a", "active", "ada"), ("b", "active", "ada"), ("a", "quarantined", "bob"), ("a", "active", "bob"),
        ("b", "retired", "ada"),
    ]  # fmt: skip
    assert events[2].evidence == {"trials": [1, 2]}


@pytest.mark.parametrize(("actor", "reason"), [("", "x"), ("x", " ")])
def test_nobody_and_no_reason_are_refused(tmp_path, store, actor: str, reason: str) -> None:
    register(store, write_benchmark(tmp_path / "b", record("a")))
    with pytest.raises(InputError):
        lifecycle.quarantine(store, "small", "a", actor=actor, reason=reason)
    with pytest.raises(NotFoundError, match="'z'"):
        lifecycle.quarantine(store, "small", "z", actor="x", reason="y")
    lifecycle.quarantine(store, "small", "a", actor="x", reason="y")
    with pytest.raises(ConflictError):
        lifecycle.quarantine(store, "small", "a", actor="x", reason="y")


def test_a_read_only_store_refuses(tmp_path, sqlite_path: Path) -> None:
    root = write_benchmark(tmp_path / "b", record("a"))
    settings = Settings(blobs=str(tmp_path / "blobs"))
    with open_store(sqlite_path, read_only=True, settings=settings) as opened, pytest.raises(StorageError):
        register(opened, root)
