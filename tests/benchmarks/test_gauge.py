"""Gauge as an instrument: what stands in its files, whether its items can be solved, and only by solving them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from metrology.domain.item import ItemRevision
from metrology.domain.verdict import Verdict
from metrology.registry.agent_file import load_agent
from metrology.registry.manifest import Loaded, load_benchmark
from metrology.resources import shipped_folder
from metrology.scoring.base import Submission, build_scorer

GAUGE = shipped_folder("benchmarks") / "gauge"
AGENTS = sorted((GAUGE / "agents").glob("*.toml"))
LOADED = load_benchmark(GAUGE)
ITEMS = LOADED.version.items


def judged(item: ItemRevision, submission: Submission, loaded: Loaded = LOADED) -> Verdict:
    """The verdict of the item's own scorer."""
    return asyncio.run(build_scorer(item, loaded.blobs.__getitem__).judge(submission))


def reference_of(item: ItemRevision) -> Submission:
    """What the reference solution hands in."""
    files = {path: LOADED.blobs[digest] for path, digest in item.files.get("reference", {}).items()}
    return Submission(str(item.reference["answer"]), files)


def of_family(family: str) -> list[ItemRevision]:
    return [item for item in ITEMS if item.family == family]


def spam(item: ItemRevision) -> list[str]:
    """Answers that name many candidates at once, in several spellings."""
    answers = [str(other.reference["answer"]) for other in of_family(str(item.family))]
    others = [answer for answer in answers if answer != item.reference["answer"]]
    right = str(item.reference["answer"])
    numbers = " ".join(str(number) for number in range(1000))
    forbidden = [str(text) for text in item.scorer.get("forbidden", ())]
    candidates = forbidden or others
    return [
        " ".join([*others, right, *others]),
        "\n".join([right, *others]),
        ", ".join(sorted({*answers, *forbidden})) + ".",
        numbers,
        f"{right} or {candidates[0]} or {candidates[-1]}",
        f"{item.instruction} {' '.join(others)}",
    ]


def test_there_are_enough_items_in_enough_families() -> None:
    families = Counter(item.family for item in ITEMS)
    assert len(ITEMS) >= 120
    assert len(families) >= 12
    assert min(families.values()) >= 3
    assert len({item.name for item in ITEMS}) == len(ITEMS)
    assert LOADED.version.warnings == ()


def test_every_item_says_what_a_reader_needs() -> None:
    for item in ITEMS:
        assert item.family, item.name
        assert item.tags, item.name
        assert item.human_minutes, item.name
        assert item.source, item.name
        assert item.name.startswith(f"{item.family}-"), item.name


def test_several_items_have_a_grader_of_their_own() -> None:
    kinds = Counter(str(item.scorer["kind"]) for item in ITEMS)
    assert set(kinds) == {"exact", "numeric", "json", "command"}
    assert kinds["command"] >= 3


def test_every_reference_passes() -> None:
    failed = [item.name for item in ITEMS if not judged(item, reference_of(item)).passed]
    assert failed == []


@pytest.mark.parametrize("answer", ["", " \n", "I do not know.", "answer", "yes no", "{}", "null"])
def test_an_empty_answer_never_passes(answer: str) -> None:
    cheap = [item for item in ITEMS if item.scorer["kind"] != "command"]
    assert [item.name for item in cheap if judged(item, Submission(answer)).score > 0] == []


def test_an_agent_that_does_nothing_gets_nothing_from_the_graders() -> None:
    graded = [item for item in ITEMS if item.scorer["kind"] == "command"]
    for item in graded:
        assert judged(item, Submission("")).score == 0.0, item.name
        assert judged(item, Submission("plan build paint test sell 27 41 13 19 36")).score == 0.0, item.name


def test_naming_everything_never_passes() -> None:
    passed = [
        (item.name, answer)
        for item in ITEMS
        if item.scorer["kind"] != "command" and "artifact" not in item.scorer
        for answer in spam(item)
        if judged(item, Submission(answer)).passed
        # A last or first number is one answer, however long the text before it.
        and not str(item.scorer.get("take", "")).startswith(("last", "first"))
    ]
    assert passed == []


def test_the_answer_does_not_stand_for_a_file() -> None:
    """Where a file is asked for, saying what should be in it is not enough, and a wrong file is wrong."""
    with_files = [item for item in ITEMS if item.artifacts]
    assert len(with_files) >= 8
    for item in with_files:
        reference = reference_of(item)
        said = Submission(next(iter(reference.artifacts.values())).decode())
        assert judged(item, said).score == 0.0, item.name
        assert judged(item, Submission("", dict.fromkeys(item.artifacts, b"{}"))).score == 0.0, item.name
        assert judged(item, Submission("", reference.artifacts)).passed, item.name


def test_a_partly_clean_table_gets_a_part() -> None:
    item = next(item for item in ITEMS if item.name == "planning-clean-table")
    lines = reference_of(item).artifacts["clean.csv"].decode().splitlines()
    half = Submission("", {"clean.csv": "\n".join([*lines[:3], "x,1", "y,2", "z,3"]).encode()})
    verdict = judged(item, half)
    assert 0.0 < verdict.score < 1.0
    assert not verdict.passed


def test_other_right_plans_pass() -> None:
    plans = {"planning-subset-sum": "13 19 36", "planning-task-order": "plan build test paint sell"}
    for item in ITEMS:
        if item.name in plans:
            assert judged(item, Submission(plans[item.name])).passed
            assert not judged(item, Submission(plans[item.name] + " " + plans[item.name])).passed


def test_a_sentence_with_the_right_word_passes() -> None:
    sentences = {
        "capitals-france": "The capital of France is Paris.",
        "opposites-hot": 'The opposite of "hot" is "cold."',
        "facts-legs-of-a-spider": "A spider has eight legs.",
        "kinds-salmon": "A salmon is a fish.",
        "almanac-days-in-a-week": "There are 7 days in a week.",
        "arithmetic-one-digit-plus": "3 + 4 = 7",
    }
    by_name = {item.name: item for item in ITEMS}
    for name, sentence in sentences.items():
        assert judged(by_name[name], Submission(sentence)).passed, name


def test_the_tables_write_the_item_files(tmp_path: Path) -> None:
    """make_items.py reproduces every JSON Lines file, byte for byte."""
    subprocess.run([sys.executable, GAUGE / "make_items.py", tmp_path], check=True, capture_output=True)
    written = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    shipped = {path.name: path.read_bytes() for path in (GAUGE / "items").glob("*.jsonl")}
    assert written == shipped


def test_the_agents_are_different_configurations() -> None:
    agents = [load_agent(path) for path in AGENTS]
    assert len({agent.identity for agent in agents}) == len(agents)
    assert [agent.name for agent in agents] == [path.stem for path in AGENTS]
    by_name = {agent.name: agent for agent in agents}
    assert {"careful", "shallow", "flaky", "noop", "reference"} <= set(by_name)
    careful, flaky = by_name["careful"], by_name["flaky"]
    assert (careful.model, careful.harness) == (flaky.model, flaky.harness)
    assert careful.operations != flaky.operations
    models = [agent for agent in agents if agent.harness["kind"] == "chat"]
    assert len(models) == 8
    assert len({json.dumps(dict(agent.harness), sort_keys=True) for agent in models}) == 2


def test_no_example_of_the_prompt_is_an_item() -> None:
    questions = {
        message["content"]
        for path in AGENTS
        for message in load_agent(path).harness.get("messages", ())
        if message["role"] == "user"
    }
    assert questions
    assert questions.isdisjoint({item.instruction for item in ITEMS})


def run_program(name: str, item: ItemRevision, folder: Path, seed: int = 1) -> Submission:
    """What a program agent leaves for an item; its folder holds the item's files and nothing else."""
    folder.mkdir(parents=True)
    for path, digest in item.files.get("environment", {}).items():
        (folder / path).write_bytes(LOADED.blobs[digest])
    agent = load_agent(GAUGE / "agents" / f"{name}.toml")
    environment = {"METROLOGY_SEED": str(seed), "METROLOGY_OPERATIONS": json.dumps(dict(agent.operations))}
    ended = subprocess.run(
        [sys.executable, "-I", "-S", str(agent.volatile["program"])],
        input=item.instruction,
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        check=True,
        timeout=60,
    )
    left = {path: (folder / path).read_bytes() for path in item.artifacts if (folder / path).is_file()}
    return Submission(ended.stdout, left)


@pytest.mark.parametrize("program", ["careful", "shallow"])
def test_the_programs_run_on_every_item_and_differ(program: str, tmp_path: Path) -> None:
    verdicts = {item.name: judged(item, run_program(program, item, tmp_path / item.name)) for item in ITEMS}
    passed = {name for name, verdict in verdicts.items() if verdict.passed}
    assert 0 < len(passed) < len(ITEMS)
    families = {str(item.family) for item in ITEMS if item.name in passed}
    if program == "careful":
        assert {"arithmetic", "dates", "wrangling"} <= families
    else:
        assert "proverbs" in families
        assert not {"dates", "wrangling"} & families


def test_a_failing_tool_costs_answers_by_chance_only(tmp_path: Path) -> None:
    """The same seed fails the same way; over seeds the same item passes and fails."""
    item = next(item for item in ITEMS if item.name == "arithmetic-two-digit-times")
    first, again = (run_program("flaky", item, tmp_path / name, seed=3) for name in ("a", "b"))
    assert first == again
    passed = [judged(item, run_program("flaky", item, tmp_path / f"s{seed}", seed)).passed for seed in range(20)]
    assert True in passed
    assert False in passed
    assert judged(item, run_program("careful", item, tmp_path / "careful")).passed
