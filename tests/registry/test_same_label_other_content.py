"""O08: five sites say 1.3.0 and do not have the same thing."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from metrology.errors import ConflictError
from metrology.registry.diff import VersionDifference, compare
from metrology.registry.manifest import Loaded, load_benchmark
from metrology.registry.register import register, release
from metrology.storage import benchmarks
from tests.registry.benchmark_folder import write_benchmark

FOLDER = Path(__file__).parents[1] / "data" / "scenarios" / "O08"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


def site(root: Path, letter: str, *, text: bool = False) -> Path:
    """A site's item as a benchmark of ours: its gold is the reference solution, its image the environment's."""
    source = FOLDER / f"site-{letter}"
    task = json.loads((source / "task.json").read_text())
    write_benchmark(root, version=task["version"], more='text = ["*.md", "*.txt"]' if text else "")
    (root / "items" / "all.jsonl").unlink()
    item = root / "items" / task["id"]
    (item / "reference").mkdir(parents=True)
    (item / "instruction.md").write_bytes((source / "instruction.md").read_bytes())
    (item / "reference" / "out.txt").write_bytes((source / "gold.txt").read_bytes())
    (item / "item.toml").write_text(
        'artifacts = ["out.txt"]\n[scorer]\nkind = "exact"\nexpected = ["sorted"]\nartifact = "out.txt"\n'
        f'[environment]\nimage = "{task["image"]}"\n'
    )
    return root


@pytest.fixture
def sites(tmp_path) -> dict[str, Loaded]:
    return {letter: load_benchmark(site(tmp_path / letter, letter)) for letter in "ABCDE"}


def difference(first: Loaded, second: Loaded) -> VersionDifference:
    return compare(first.version, second.version, {**first.blobs, **second.blobs}.__getitem__)


def test_the_files_are_what_the_scenario_says() -> None:
    assert b"\r\n" in (FOLDER / "site-D" / "instruction.md").read_bytes()
    assert set(EXPECTED) == {f"site-A vs site-{letter}" for letter in "BCDE"}


def test_a_and_e_are_the_same(sites) -> None:
    assert sites["A"].version.identity == sites["E"].version.identity
    assert difference(sites["A"], sites["E"]).same


def test_b_differs_in_the_gold_alone(sites) -> None:
    found = difference(sites["A"], sites["B"])
    assert [str(change) for change in found.items] == ["t-01: changed reference"]
    assert not found.sufficient, "the label did not move"


def test_c_says_that_its_image_moves(sites) -> None:
    assert any("moving tag" in warning for warning in sites["C"].version.warnings)
    assert not any("moving tag" in warning for warning in sites["A"].version.warnings)
    (change,) = difference(sites["A"], sites["C"]).items
    assert "image is a moving tag: not reproducible" in str(change)


def test_d_says_that_only_line_ends_differ(sites) -> None:
    (change,) = difference(sites["A"], sites["D"]).items
    assert str(change) == "t-01: changed instruction (bytes differ, text equal after newline normalisation)"


def test_d_says_so_too_when_line_ends_are_declared_not_to_count(tmp_path) -> None:
    a, d = (load_benchmark(site(tmp_path / letter, letter, text=True)) for letter in "AD")
    assert a.version.identity == d.version.identity
    found = difference(a, d)
    assert found.same
    assert any("bytes differ, text equal after newline normalisation" in note for note in found.notes)


@pytest.mark.parametrize("order", list(itertools.permutations("ABCDE"))[::17])
def test_the_order_of_the_sites_does_not_change_the_verdicts(sites, order) -> None:
    for first, second in itertools.combinations(order, 2):
        one, other = difference(sites[first], sites[second]), difference(sites[second], sites[first])
        assert [(c.name, c.change, c.parts) for c in one.items] == [(c.name, c.change, c.parts) for c in other.items]
        assert one.required == other.required


@pytest.mark.parametrize("order", ["ABCDE", "EDCBA", "CADBE"])
def test_each_content_becomes_a_version_of_its_own_with_a_loud_note(tmp_path, store, order: str) -> None:
    done = {letter: register(store, site(tmp_path / letter, letter)) for letter in order}
    assert done["A"].version_id == done["E"].version_id
    assert len({one.version_id for one in done.values()}) == 4
    for letter in order[1:]:
        if done[letter].created:
            assert done[letter].superseded == "1.3.0"
            assert any("not pooled" in warning for warning in done[letter].warnings)
    with store.read() as connection:
        assert benchmarks.find_version(connection, "small", "1.3.0").id == done[order[-1]].version_id


def test_after_a_release_the_others_are_refused(tmp_path, store) -> None:
    register(store, site(tmp_path / "A", "A"))
    release(store, "small", "1.3.0")
    assert not register(store, site(tmp_path / "E", "E")).created
    for letter, words in (("B", "reference"), ("C", "environment"), ("D", "newline normalisation")):
        with pytest.raises(ConflictError, match=words):
            register(store, site(tmp_path / letter, letter))
    with store.read() as connection:
        assert len(benchmarks.list_versions(connection)) == 1
