from __future__ import annotations

from dataclasses import replace

import pytest

from metrology.domain.benchmark import Purpose, VersionState
from metrology.domain.lifecycle import ItemState
from metrology.errors import ConflictError, NotFoundError
from metrology.storage.benchmarks import (
    add_lifecycle_event,
    add_version,
    find_version,
    item_summaries,
    lifecycle_events,
    list_versions,
    set_released,
    version_by_id,
    version_items,
)
from metrology.storage.store import Store
from metrology.storage.tables import Origin
from tests.storage.samples import NOW, a_version, an_item


def test_a_version_comes_back_as_it_was_registered(store: Store) -> None:
    version = a_version()
    with store.write() as connection:
        registered = add_version(connection, version, origin=Origin.LIVE, when=NOW)
    with store.read() as connection:
        stored = find_version(connection, "bench")
        items = version_items(connection, stored.id)
    assert registered.created
    assert registered.superseded is None
    assert stored.id == registered.version_id
    assert (stored.identity, stored.label, stored.items) == (version.identity, "1.0.0", 3)
    assert (stored.state, stored.origin, stored.purpose) == (VersionState.DRAFT, Origin.LIVE, Purpose.EVALUATION)
    assert (stored.construct, stored.warnings) == ("Doing things.", ("a warning",))
    assert stored.scorer_defaults == {"tolerance": 0.5}
    assert stored.created_at == NOW
    assert tuple(item.revision for item in items) == version.items
    assert [item.position for item in items] == [0, 1, 2]
    assert all(item.identity == item.revision.identity for item in items)
    assert all(item.parts == item.revision.part_digests() for item in items)


def test_the_same_content_again_adds_nothing(store: Store) -> None:
    with store.write() as connection:
        first = add_version(connection, a_version(), origin=Origin.LIVE)
        before = store.dialect, len(version_items(connection, first.version_id))
        again = add_version(connection, a_version(), origin=Origin.LIVE)
        assert (again.version_id, again.created, again.superseded) == (first.version_id, False, None)
        assert (store.dialect, len(version_items(connection, first.version_id))) == before
        assert len(list_versions(connection)) == 1


def test_a_draft_takes_a_new_label(store: Store) -> None:
    with store.write() as connection:
        first = add_version(connection, a_version(label="1.0.0"), origin=Origin.LIVE)
        again = add_version(connection, a_version(label="1.1.0"), origin=Origin.LIVE)
        assert (again.version_id, again.created, again.label) == (first.version_id, False, "1.1.0")
        assert find_version(connection, "bench@1.1.0").id == first.version_id
        with pytest.raises(NotFoundError):
            find_version(connection, "bench@1.0.0")


def test_a_changed_draft_supersedes_the_one_of_its_label(store: Store) -> None:
    changed = a_version("a-1", "a-2", "b-2")
    with store.write() as connection:
        first = add_version(connection, a_version(), origin=Origin.LIVE)
        second = add_version(connection, changed, origin=Origin.LIVE)
        assert (second.created, second.superseded) == (True, "1.0.0")
        assert version_by_id(connection, first.version_id).state is VersionState.SUPERSEDED
        assert find_version(connection, "bench", "1.0.0").id == second.version_id
        # Shared items keep their revisions, so what was measured of them stays comparable.
        shared = {item.revision_id for item in version_items(connection, first.version_id)}
        assert len(shared & {item.revision_id for item in version_items(connection, second.version_id)}) == 2
        back = add_version(connection, a_version(), origin=Origin.LIVE)
        assert (back.version_id, back.created, back.superseded) == (first.version_id, False, "1.0.0")
        assert find_version(connection, "bench").id == first.version_id
        assert find_version(connection, f"bench@{changed.identity[:20]}").id == second.version_id


def test_a_released_version_never_changes(store: Store) -> None:
    with store.write() as connection:
        first = add_version(connection, a_version(), origin=Origin.LIVE)
        set_released(connection, first.version_id, NOW)
    with store.write() as connection:
        released = find_version(connection, "bench")
        assert (released.state, released.released_at) == (VersionState.RELEASED, NOW)
        again = add_version(connection, a_version(label="9.9.9"), origin=Origin.LIVE)
        assert (again.created, again.label) == (False, "1.0.0")
        with pytest.raises(ConflictError, match=r"1\.0\.0 is released"):
            add_version(connection, a_version("other"), origin=Origin.LIVE)
        other = add_version(connection, a_version("other", label="2.0.0"), origin=Origin.LIVE)
        assert other.created
        assert find_version(connection, "bench").id == other.version_id
        assert find_version(connection, "bench@1.0.0").id == first.version_id


def test_a_superseded_version_cannot_be_released(store: Store) -> None:
    with store.write() as connection:
        first = add_version(connection, a_version(), origin=Origin.LIVE)
        add_version(connection, a_version("other"), origin=Origin.LIVE)
        with pytest.raises(ConflictError, match="replaced"):
            set_released(connection, first.version_id, NOW)
        with pytest.raises(NotFoundError):
            set_released(connection, 999, NOW)


def test_what_is_not_there_is_named_with_what_is(store: Store) -> None:
    with store.write() as connection:
        with pytest.raises(NotFoundError) as empty:
            find_version(connection, "bench")
        add_version(connection, a_version(), origin=Origin.LIVE)
        with pytest.raises(NotFoundError) as close:
            find_version(connection, "bensh")
        with pytest.raises(NotFoundError) as label:
            find_version(connection, "bench@1.0.1")
        with pytest.raises(NotFoundError):
            version_by_id(connection, 12345)
    assert "holds none" in empty.value.hint
    assert "bench" in close.value.hint
    assert "1.0.0" in label.value.hint


def test_a_short_identity_that_fits_several_is_refused(store: Store) -> None:
    with store.write() as connection:
        add_version(connection, a_version(), origin=Origin.LIVE)
        add_version(connection, a_version("other", label="2.0.0"), origin=Origin.LIVE)
        with pytest.raises(NotFoundError, match="2 versions"):
            find_version(connection, "bench@sha256:")


def test_summaries_carry_no_documents(store: Store) -> None:
    with store.write() as connection:
        version_id = add_version(connection, a_version(), origin=Origin.LIVE).version_id
        first = item_summaries(connection, version_id)[0]
    assert (first.name, first.family, first.human_minutes) == ("a-1", "a", 2.5)
    assert (first.state, first.visibility, first.identity) == (ItemState.DRAFT, "public", an_item("a-1").identity)


def test_a_changed_item_is_a_new_revision_of_the_same_item(store: Store) -> None:
    changed = replace(
        a_version(label="1.1.0"), items=(an_item("a-1", instruction="Do it well."), *a_version().items[1:])
    )
    with store.write() as connection:
        old = version_items(connection, add_version(connection, a_version(), origin=Origin.LIVE).version_id)
        new = version_items(connection, add_version(connection, changed, origin=Origin.LIVE).version_id)
    assert old[0].item_id == new[0].item_id
    assert old[0].revision_id != new[0].revision_id
    assert [item.revision_id for item in old[1:]] == [item.revision_id for item in new[1:]]


def test_lifecycle_events_are_appended_and_move_the_item(store: Store) -> None:
    with store.write() as connection:
        items = version_items(connection, add_version(connection, a_version(), origin=Origin.LIVE).version_id)
        event = add_lifecycle_event(
            connection, items[1].item_id, ItemState.QUARANTINED, "ann", "wrong key", {"trial": 3}, NOW
        )
        back = add_lifecycle_event(connection, items[1].item_id, ItemState.ACTIVE, "bob", "mended", {}, NOW)
        with pytest.raises(ConflictError, match="cannot become draft"):
            add_lifecycle_event(connection, items[1].item_id, ItemState.DRAFT, "bob", "", {}, NOW)
        with pytest.raises(NotFoundError):
            add_lifecycle_event(connection, 999, ItemState.ACTIVE, "bob", "", {}, NOW)
    with store.read() as connection:
        assert lifecycle_events(connection, "bench") == (event, back)
        assert lifecycle_events(connection, "bench", item_id=items[0].item_id) == ()
        states = [item.state for item in version_items(connection, find_version(connection, "bench").id)]
    assert (event.before, event.after, event.item) == (ItemState.DRAFT, ItemState.QUARANTINED, "a-2")
    assert event.evidence == {"trial": 3}
    assert states == [ItemState.DRAFT, ItemState.ACTIVE, ItemState.DRAFT]
