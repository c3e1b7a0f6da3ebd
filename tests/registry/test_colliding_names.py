"""O14: two items, one name. Refused before anything is stored, look-alikes too; what is apart stays apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.errors import InputErrors
from metrology.registry.manifest import load_benchmark
from metrology.registry.names import collisions, file_stem, name_fault
from metrology.registry.register import register
from tests.registry.benchmark_folder import write_benchmark

FOLDER = Path(__file__).parents[1] / "data" / "scenarios" / "O14"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
LINES = [json.loads(line) for line in (FOLDER / "items.jsonl").read_text().splitlines()]


def record(line: dict[str, object]) -> dict[str, object]:
    """The scenario's neutral record as one of ours; what it does not say, ours does not say either."""
    table = {
        "instruction": line["prompt"],
        "scorer": {"kind": "exact", "expected": [line["gold"]]},
        "reference": {"answer": line["gold"]},
    }
    return {"name": line["id"], **table} if "id" in line else table


@pytest.fixture(scope="module")
def messages(tmp_path_factory) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        load_benchmark(write_benchmark(tmp_path_factory.mktemp("o14"), *map(record, LINES)))
    assert all(error.line and error.hint for error in caught.value.errors)
    return [error.message for error in caught.value.errors]


def lines_of(message: str) -> list[int]:
    """The lines that a message names, its own place and those in its text."""
    return sorted({int(number) for number in re.findall(r"line (\d+)", message)})


@pytest.mark.parametrize("case", EXPECTED["refuse_before_any_run"], ids=lambda case: str(case["why"]))
def test_real_duplicates_and_missing_names_are_refused_with_their_positions(messages, case) -> None:
    word = {"same id, different content": "different content", "empty id": "empty", "no id": "no name"}[case["why"]]
    assert any(lines_of(message) == case["positions"] and word in message for message in messages)


@pytest.mark.parametrize("case", EXPECTED["must_warn_or_refuse"], ids=lambda case: str(case["why"]))
def test_look_alikes_are_refused_with_the_reason(messages, case) -> None:
    word = {
        "differ only in case": "differ only in case",
        "equal after Unicode normalisation": "equal after Unicode normalisation",
        "differ only in trailing space": "differ only in spaces",
        "number 7 and text 7": "a number and a text",
    }[case["why"]]
    assert any(lines_of(message) == case["positions"] and word in message for message in messages)


def test_nothing_is_stored(tmp_path, store) -> None:
    with pytest.raises(InputErrors):
        register(store, write_benchmark(tmp_path / "b", *map(record, LINES)))
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM benchmark").scalar() == 0


def test_an_identical_repeat_is_said_and_taken_once(tmp_path) -> None:
    (case,) = EXPECTED["identical_repeat"]
    same = [record(LINES[position - 1]) for position in case["positions"]]
    loaded = load_benchmark(write_benchmark(tmp_path, *same))
    assert [item.name for item in loaded.version.items] == ["same"]
    (warning,) = loaded.warnings
    assert "twice with the same content" in warning
    assert lines_of(warning) == [1, 2]


def test_slash_and_underscore_stay_apart(tmp_path) -> None:
    (case,) = EXPECTED["must_stay_apart"]
    apart = [record(LINES[position - 1]) for position in case["positions"]]
    loaded = load_benchmark(write_benchmark(tmp_path, *apart))
    assert [item.name for item in loaded.version.items] == ["a/b", "a_b"]
    assert len({item.identity for item in loaded.version.items}) == 2
    assert file_stem("a/b") != file_stem("a_b")


def test_a_folder_and_a_line_collide_too(tmp_path) -> None:
    root = write_benchmark(tmp_path, record(LINES[0]))
    other = record(LINES[1])
    (root / "items" / "again.json").write_text(json.dumps(other))
    with pytest.raises(InputErrors) as caught:
        load_benchmark(root)
    assert "again.json" in caught.value.message
    assert "all.jsonl line 1" in caught.value.message


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_names_get_different_files(first: str, second: str) -> None:
    if name_fault(first) or name_fault(second):
        return
    one, other = file_stem(first), file_stem(second)
    assert (one == other) is (first == second)
    assert "/" not in one
    assert not one.startswith(".")


@given(st.lists(st.text(max_size=8), max_size=8))
def test_equal_names_always_collide(names: list[str]) -> None:
    found = [set(collision.positions) for collision in collisions(names) if collision.exact]
    for index, name in enumerate(names):
        same = {other for other, text in enumerate(names) if text == name}
        if len(same) > 1 and name:
            assert same in found
        else:
            assert not any(index in positions for positions in found)
