from __future__ import annotations

import dataclasses

import pytest

from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.item import ItemRevision
from metrology.registry.diff import Bump, compare

ITEM = ItemRevision("a", "Do it.", {"kind": "process"}, {"kind": "exact", "expected": ["x"]}, {"answer": "x"})


def version(label: str, *items: ItemRevision, **changes: object) -> BenchmarkVersion:
    base = BenchmarkVersion("b", label, Purpose.EVALUATION, "t", "c", "MIT", "o", items)
    return dataclasses.replace(base, **changes)


@pytest.mark.parametrize(
    ("changes", "required"),
    [
        ({}, Bump.NONE),
        ({"tags": ("new",)}, Bump.PATCH),
        ({"reference": {"answer": "y"}}, Bump.PATCH),
        ({"scorer": {"kind": "exact", "expected": ["y"]}}, Bump.MINOR),
        ({"instruction": "Do it now."}, Bump.MAJOR),
        ({"environment": {"kind": "process", "image": "x"}}, Bump.MAJOR),
        ({"artifacts": ("out",)}, Bump.MAJOR),
        ({"scorer": {"kind": "exact", "expected": ["y"]}, "instruction": "Do."}, Bump.MAJOR),
    ],
)
def test_each_part_requires_its_step(changes, required: Bump) -> None:
    found = compare(version("1.0.0", ITEM), version("1.0.1", dataclasses.replace(ITEM, **changes)))
    assert found.required is required
    assert found.sufficient is (required <= Bump.PATCH)
    assert found.required.words


def test_added_removed_and_described() -> None:
    other = dataclasses.replace(ITEM, name="z", instruction="Other.")
    assert compare(version("1.0.0", ITEM), version("2.0.0", ITEM, other)).required is Bump.MAJOR
    assert compare(version("1.0.0", ITEM, other), version("2.0.0", ITEM)).items[0].change == "removed"
    renamed = compare(version("1.0.0", ITEM), version("1.0.1", ITEM, title="New"))
    assert (renamed.required, renamed.description) == (Bump.PATCH, ("title",))


@pytest.mark.parametrize(
    ("before", "after", "labelled", "sufficient"),
    [
        ("1.0.0", "1.1.0", Bump.MINOR, True),
        ("1.0.0", "2.0.0", Bump.MAJOR, True),
        ("1.0.0", "1.0.1", Bump.PATCH, False),
        ("1.0.0", "1.0.0", None, False),
        ("1.1.0", "1.0.0", None, False),
        ("1.0.0", "1.1.0-rc.1", Bump.MINOR, True),
        ("2024-05", "2024-06", None, False),
    ],
)
def test_labels_are_held_against_content(before: str, after: str, labelled: Bump | None, sufficient: bool) -> None:
    changed = dataclasses.replace(ITEM, scorer={"kind": "exact", "expected": ["y"]})
    found = compare(version(before, ITEM), version(after, changed))
    assert (found.labelled, found.sufficient) == (labelled, sufficient)


def test_before_the_first_release_a_minor_step_may_break_anything() -> None:
    changed = dataclasses.replace(ITEM, instruction="Other.")
    assert compare(version("0.1.0", ITEM), version("0.2.0", changed)).sufficient
    assert not compare(version("0.1.0", ITEM), version("0.1.1", changed)).sufficient
    assert not compare(version("0.9.0", ITEM), version("0.9.0", changed)).sufficient


def test_a_difference_is_told_in_words() -> None:
    changed = dataclasses.replace(ITEM, instruction="Other.")
    text = compare(version("1.0.0", ITEM), version("1.0.1", changed)).describe()
    assert "a: changed instruction" in text
    assert "run again" in text
    assert "at least a major step" in text
