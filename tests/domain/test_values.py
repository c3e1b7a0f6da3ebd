from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.domain.benchmark import BenchmarkVersion, Purpose
from metrology.domain.campaign import CampaignPlan, trial_order, trial_seed
from metrology.domain.item import PARTS, ItemRevision, from_document
from metrology.domain.lifecycle import ALLOWED, ItemState, may_follow
from metrology.domain.status import CLASS_OF, WITH_VERDICT, Status, StatusClass

ITEM = ItemRevision(
    name="t-01",
    instruction="Sort the file.",
    environment={"kind": "process"},
    scorer={"kind": "exact", "expected": ["x"]},
    reference={"answer": "x"},
    artifacts=("out.txt",),
    files={"environment": {"in.txt": "sha256:1"}, "scorer": {"grade.py": "sha256:2"}},
    family="sorting",
    tags=("b", "a"),
    human_minutes=2.0,
)
# A change of each field, and the part that it belongs to.
CHANGES = {
    "instruction": ("instruction", "Sort it."),
    "environment": ("environment", {"kind": "process", "image": "x"}),
    "artifacts": ("environment", ()),
    "scorer": ("scorer", {"kind": "exact", "expected": ["y"]}),
    "reference": ("reference", {"answer": "y"}),
    "family": ("metadata", None),
    "tags": ("metadata", ("a",)),
    "human_minutes": ("metadata", 3.0),
    "source": ("metadata", "elsewhere"),
    "visibility": ("metadata", "private"),
    "canary": ("metadata", "c"),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_change_shows_in_its_part_only(field: str) -> None:
    part, value = CHANGES[field]
    changed = dataclasses.replace(ITEM, **{field: value})
    before, after = ITEM.part_digests(), changed.part_digests()
    assert [name for name in PARTS if before[name] != after[name]] == [part]
    assert changed.identity != ITEM.identity
    assert (changed.scorer_identity != ITEM.scorer_identity) is (part == "scorer")


@pytest.mark.parametrize(
    ("role", "part"), [("environment", "environment"), ("scorer", "scorer"), ("reference", "reference")]
)
def test_files_belong_to_their_role(role: str, part: str) -> None:
    changed = dataclasses.replace(ITEM, files={**ITEM.files, role: {"new": "sha256:3"}})
    assert [name for name in PARTS if ITEM.part_digests()[name] != changed.part_digests()[name]] == [part]


def test_every_field_but_the_name_counts() -> None:
    assert set(CHANGES) | {"name", "files"} == {field.name for field in dataclasses.fields(ItemRevision)}
    assert dataclasses.replace(ITEM, name="other").identity == ITEM.identity


def test_the_order_of_tags_and_files_does_not_count() -> None:
    other = dataclasses.replace(ITEM, tags=("a", "b"), files=dict(reversed(ITEM.files.items())))
    assert other.identity == ITEM.identity


def test_a_document_rebuilds_the_item() -> None:
    again = from_document(ITEM.document())
    assert again == ITEM
    assert again.identity == ITEM.identity


def test_a_version_is_its_content_not_its_label() -> None:
    version = BenchmarkVersion("b", "1.0.0", Purpose.EVALUATION, "t", "c", "MIT", "o", (ITEM,))
    assert dataclasses.replace(version, version="2.0.0", warnings=("w",)).identity == version.identity
    renamed = dataclasses.replace(version, items=(dataclasses.replace(ITEM, name="t-02"),))
    assert renamed.identity != version.identity


def test_every_status_has_a_class_and_only_the_ended_have_verdicts() -> None:
    assert set(CLASS_OF) == set(Status)
    assert {status for status in Status if status.status_class is StatusClass.ENDED} == WITH_VERDICT
    assert not any(status.is_retried for status in WITH_VERDICT)
    assert Status.AGENT_TIMEOUT.has_verdict
    assert not Status.SCORER_ERROR.is_retried


def test_every_state_of_an_item_can_be_left() -> None:
    assert set(ALLOWED) == set(ItemState)
    for state in ItemState:
        assert any(may_follow(state, other) for other in ItemState)
        assert not may_follow(state, state)
    assert may_follow(ItemState.QUARANTINED, ItemState.ACTIVE)
    assert may_follow(ItemState.RETIRED, ItemState.ACTIVE)
    assert not ItemState.QUARANTINED.counts


@given(st.sets(st.integers(1, 99), min_size=1, max_size=6), st.sets(st.integers(1, 9), min_size=1, max_size=4),
       st.integers(1, 4), st.integers(0, 2**31))  # fmt: skip
def test_every_trial_is_planned_once_and_agents_interleave(revisions, agents, trials, seed) -> None:
    order = list(trial_order(tuple(revisions), tuple(agents), trials, seed))
    counts = Counter((key.revision_id, key.agent_id, key.number) for key in order)
    assert set(counts.values()) == {1}
    assert len(order) == len(revisions) * len(agents) * trials
    blocks = [order[start : start + len(agents)] for start in range(0, len(order), len(agents))]
    for block in blocks:
        assert {key.agent_id for key in block} == agents
        assert len({(key.revision_id, key.number) for key in block}) == 1
    assert order == list(trial_order(tuple(sorted(revisions, reverse=True)), tuple(agents), trials, seed))


def test_plans_and_seeds_are_functions_of_what_is_measured() -> None:
    plan = CampaignPlan("v", ("b", "a"), ("x", "y"), 3, 7)
    assert plan.planned == 12
    assert plan.identity == dataclasses.replace(plan, items=("a", "b"), agents=("y", "x")).identity
    assert plan.identity != dataclasses.replace(plan, seed=8).identity
    seeds = {trial_seed(7, item, agent, number) for item in "ab" for agent in "xy" for number in range(50)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**31 for seed in seeds)
