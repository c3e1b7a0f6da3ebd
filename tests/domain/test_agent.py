from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.domain.agent import AgentConfiguration, difference, split_volatile

FOLDER = Path(__file__).parents[1] / "data" / "scenarios" / "O20"


@pytest.fixture(scope="module")
def agents() -> dict[str, AgentConfiguration]:
    found = {}
    for name in "ABCDE":
        parts = json.loads((FOLDER / f"config-{name}.json").read_text())
        found[name] = AgentConfiguration(name, parts["model"], parts["harness"], parts["ops"], parts["volatile"])
    return found


def test_where_and_when_it_ran_is_not_what_ran(agents) -> None:
    assert agents["A"].identity == agents["C"].identity
    assert difference(agents["A"], agents["C"]).describe() == "same agent configuration"
    assert len({agent.identity for agent in agents.values()}) == 4


def test_one_part_is_attributed_and_two_are_not(agents) -> None:
    assert difference(agents["A"], agents["B"]).describe() == "operations only: memory_gb 2 -> 8"
    assert difference(agents["A"], agents["E"]).attribution == "model effect"
    assert difference(agents["B"], agents["D"]).attribution == "model effect"
    both = difference(agents["A"], agents["D"])
    assert both.parts == ("model", "operations")
    assert both.attribution.startswith("not attributable")
    assert "cannot be attributed" in both.describe()


def test_a_missing_key_and_a_null_differ() -> None:
    without = AgentConfiguration("a", {"requested": "m"}, {}, {})
    null = AgentConfiguration("a", {"requested": "m", "seed": None}, {}, {})
    assert without.identity != null.identity
    assert not difference(without, null).same


def test_true_and_one_differ() -> None:
    flag = AgentConfiguration("a", {"cache": True}, {}, {})
    number = AgentConfiguration("a", {"cache": 1}, {}, {})
    assert flag.identity != number.identity
    assert not difference(flag, number).same


def test_an_empty_table_is_a_difference() -> None:
    empty = AgentConfiguration("a", {"parameters": {}}, {}, {})
    none = AgentConfiguration("a", {}, {}, {})
    assert empty.identity != none.identity
    assert not difference(empty, none).same


def test_name_and_volatile_decorate() -> None:
    one = AgentConfiguration("a", {"requested": "m"}, {}, {}, {"host": "x"})
    other = AgentConfiguration("b", {"requested": "m"}, {}, {}, {"host": "y"})
    assert one.identity == other.identity


def test_nested_values_are_named_by_their_path() -> None:
    one = AgentConfiguration("a", {"parameters": {"temperature": 0.0, "stop": ["a"]}}, {}, {})
    other = AgentConfiguration("a", {"parameters": {"temperature": 0.7, "stop": ["a"]}}, {}, {})
    (change,) = difference(one, other).changes
    assert str(change) == "model.parameters.temperature: 0.0 -> 0.7"


@pytest.mark.parametrize(
    ("requested", "word"),
    [
        ("gpt-4o-latest", "latest"),
        ("claude:latest", "latest"),
        ("org/model@main", "main"),
        ("m-preview-2", "preview"),
        ("gpt-4o-2024-08-06", None),
        ("latestmodel-1", None),
        ("maintainer-7b", None),
    ],
)
def test_moving_aliases(requested: str, word: str | None) -> None:
    assert AgentConfiguration("a", {"requested": requested}, {}, {}).moving_alias == word


def test_volatile_keys_are_split_in_any_case() -> None:
    kept, apart = split_volatile({"Host": "a", "port": 1, "kind": "chat"})
    assert kept == {"kind": "chat"}
    assert apart == {"Host": "a", "port": 1}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, 1.0, "a", "null", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", "a.b"]), inner, max_size=2),
    max_leaves=5,
)
TABLES = st.dictionaries(st.sampled_from(["a", "b", "a.b"]), VALUES, max_size=3)


@given(TABLES, TABLES)
def test_no_difference_means_one_identity(first, second) -> None:
    one, other = AgentConfiguration("x", first, {}, {}), AgentConfiguration("y", second, {}, {})
    assert difference(one, other).same is (one.identity == other.identity)
