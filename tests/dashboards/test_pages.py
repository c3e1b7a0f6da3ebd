"""Every page on an empty workspace and on one with results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from lib.page_files import PAGES
from streamlit.testing.v1 import AppTest

import metrology as mt
from tests.dashboards.conftest import Opener
from tests.dashboards.demo_benchmark import HOSTILE_ITEM
from tests.dashboards.workspaces import CHECK_RUNS, DRAFT, VERSION

ADDRESSES = [page.address for page in PAGES]
WITH_ITEM_NAMES = ("items", "campaigns", "benchmark")
Reader = Callable[[str], AppTest]
ANALYSES = ["reliability", "items", "saturation", "drift", "validity", "compare"]


def texts(page: AppTest) -> str:
    """Everything that a page shows as plain text or code."""
    return "\n".join(str(element.value) for element in [*page.text, *page.code])


def cells(page: AppTest) -> set[str]:
    """The texts of all cells of all tables."""
    return {str(value) for table in page.dataframe for value in table.value.to_numpy().ravel()}


def interval(row: dict[str, Any], value: str, low: str, high: str) -> str:
    """How a figure with its interval must read."""
    return f"{row[value]:.3f} [{row[low]:.3f}, {row[high]:.3f}]"


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_empty_workspace_says_what_to_do(address: str, empty_path: Path, open_page: Opener) -> None:
    page = open_page(address, empty_path)
    assert not page.exception
    assert len(page.info) == 1
    assert page.title[0].value == next(entry.title for entry in PAGES if entry.address == address)
    assert any(line.startswith("metrology ") for code in page.code for line in code.value.splitlines())
    assert not page.dataframe


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_workspace_with_results_opens(address: str, demo_page: Reader) -> None:
    page = demo_page(address)
    assert not page.exception
    assert not page.error
    assert page.dataframe
    assert "nan" not in {cell.lower() for cell in cells(page)}


@pytest.mark.parametrize("name", ANALYSES)
def test_each_answer_stands_with_its_estimand_coverage_and_command(
    name: str, demo: mt.Workspace, demo_page: Reader
) -> None:
    page = demo_page(name)
    answer = demo.analyze(name, VERSION)
    shown = texts(page)
    assert answer.answer
    for sentence in answer.answer:
        assert sentence in shown
    assert f"Estimand: {answer.estimand}" in shown
    assert f"{answer.coverage.measured:,} of {answer.coverage.planned:,}" in shown
    assert f"metrology analyze {name} {VERSION}" in shown
    for notice in answer.warnings:
        assert notice.sentence in shown


@pytest.mark.parametrize("name", ANALYSES)
def test_charts_have_a_text_alternative(name: str, demo_page: Reader) -> None:
    charts = demo_page(name).get("vega_lite_chart")
    assert charts
    assert all(len(json.loads(chart.proto.spec)["description"]) > 20 for chart in charts)


def test_reliability_shows_the_figures_of_the_analysis(demo: mt.Workspace, demo_page: Reader) -> None:
    answer = demo.analyze("reliability", VERSION)
    shown = cells(demo_page("reliability"))
    agents = [row for row in answer.table("agents").records() if row["low_population"] is not None]
    assert len(agents) >= 3
    for row in agents:
        assert interval(row, "score", "low_population", "high_population") in shown
    coefficient = next(row for row in answer.table("coefficients").records() if row["low"] is not None)
    assert f"{coefficient['value']:.4g} [{coefficient['low']:.4g}, {coefficient['high']:.4g}]" in shown


def test_items_shows_the_figures_of_the_analysis(demo: mt.Workspace, demo_page: Reader) -> None:
    rows = [row for row in demo.analyze("items", VERSION).table("items").records() if row["difficulty_low"] is not None]
    shown = cells(demo_page("items"))
    assert len(rows) > 10
    assert {interval(row, "difficulty", "difficulty_low", "difficulty_high") for row in rows} <= shown


def test_compare_shows_the_figures_of_the_analysis(demo_path: Path, demo: mt.Workspace, open_page: Opener) -> None:
    page = open_page("compare", demo_path, pairs="one pair", baseline="shallow", candidate="careful")
    row = next(demo.analyze("compare", VERSION, baseline="shallow", candidate="careful").table("pairs").records())
    assert f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]" in cells(page)
    assert "--option baseline=shallow --option candidate=careful" in texts(page)


def test_within_a_group_of_ties_agents_stand_by_name(demo_page: Reader) -> None:
    page = demo_page("compare")
    table = next(frame.value for frame in page.dataframe if "tie group" in frame.value.columns)
    for _, group in table.groupby("tie group", sort=False):
        assert list(group["agent"]) == sorted(group["agent"])


def test_drift_shows_one_point_per_campaign(demo: mt.Workspace, demo_page: Reader) -> None:
    points = demo.analyze("drift", VERSION).table("points").rows
    page = demo_page("drift")
    assert len(points) >= CHECK_RUNS
    assert max(len(frame.value) for frame in page.dataframe) == len(points)


def test_a_version_without_results_says_how_to_measure(demo_path: Path, open_page: Opener) -> None:
    page = open_page("reliability", demo_path, benchmark=DRAFT)
    assert not page.exception
    assert [info.value for info in page.info] == [
        "Nothing was measured on this version yet. Run a campaign, or import recorded results."
    ]
    assert f"metrology campaign plan {DRAFT}" in texts(page)


def test_a_link_that_names_an_unknown_version_says_so(demo_path: Path, open_page: Opener) -> None:
    page = open_page("reliability", demo_path, benchmark="gone@9.9.9")
    assert not page.exception
    assert page.warning[0].value.startswith("The address of this page names something")
    assert "not found: gone@9.9.9" in texts(page)


def test_without_a_database_the_page_says_how_to_make_one(tmp_path: Path, open_page: Opener) -> None:
    page = open_page("overview", tmp_path / "missing.db")
    assert not page.exception
    assert "missing.db" in texts(page)
    assert "metrology demo" in texts(page)
    assert not (tmp_path / "missing.db").exists()


def test_overview_answers_each_question_for_each_version(demo: mt.Workspace, demo_page: Reader) -> None:
    page = demo_page("overview")
    facts = demo.analyze("items", VERSION).facts
    shown = texts(page)
    assert f"{facts['suspects']} of {facts['items_used']} items suspect, {facts['constant_items']} constant" in shown
    assert f"alpha {facts['alpha']:.4g} [{facts['alpha_low']:.4g}, {facts['alpha_high']:.4g}]" in shown
    for name in ("drift", "validity", "saturation"):
        assert demo.analyze(name, VERSION).answer[0] in shown
    listed = page.dataframe[0].value
    assert sorted(listed["version"]) == ["1.0.0", "1.1.0"]


def test_benchmark_shows_what_changed(demo_path: Path, open_page: Opener) -> None:
    page = open_page("benchmark", demo_path, benchmark=DRAFT, view="What changed", before=VERSION)
    assert not page.exception
    frames = [frame.value for frame in page.dataframe if "requires" in frame.value.columns]
    assert [list(frame["item"]) for frame in frames] == [["facts-00"]]
    assert list(frames[0]["requires"]) == ["major step"]


def test_agents_side_by_side_names_the_attribution(demo_path: Path, demo: mt.Workspace, open_page: Opener) -> None:
    page = open_page("agents", demo_path, baseline="careful", candidate="shallow")
    difference = demo.agent_difference("careful", "shallow")
    assert difference.describe() in texts(page)
    assert difference.attribution in texts(page)


def test_campaigns_show_progress_and_each_trial(demo_path: Path, demo: mt.Workspace, open_page: Opener) -> None:
    trial = demo.trials("full", offset=3, limit=1)[0]
    page = open_page("campaigns", demo_path, campaign="full", trial=str(trial.id))
    assert not page.exception
    progress = demo.progress("full")
    assert f"{progress.finished:,} of {progress.planned:,} (1.000)" in texts(page)
    assert f"trial         {trial.id} " in texts(page)
    statuses = next(frame.value for frame in page.dataframe if "ended as" in frame.value.columns)
    assert dict(zip(statuses["ended as"], statuses["trials"], strict=True)) == {
        str(status): number for status, number in progress.by_status.items()
    }


def _rows(page: AppTest, column: str) -> Iterable[str]:
    return next(frame.value[column] for frame in page.dataframe if column in frame.value.columns)


def test_long_tables_open_page_by_page(
    demo_path: Path, demo: mt.Workspace, open_page: Opener, demo_page: Reader
) -> None:
    first = demo_page("campaigns")
    second = open_page("campaigns", demo_path, campaign="full", trials_page="2")
    assert demo.count_trials("full") > 100
    assert not set(_rows(first, "trial")) & set(_rows(second, "trial"))


@pytest.mark.parametrize("address", ADDRESSES)
def test_hostile_text_reaches_nothing_that_renders(address: str, demo_page: Reader) -> None:
    page = demo_page(address)
    assert HOSTILE_ITEM in cells(page) | {texts(page)} or address not in WITH_ITEM_NAMES
    rendering = [*page.markdown, *page.caption, *page.info, *page.warning, *page.error, *page.title, *page.subheader]
    rendered = [str(element.value) for element in rendering]
    labels = [str(element.label) for element in [*page.expander, *page.tabs, *page.selectbox, *page.number_input]]
    assert rendered
    for text in [*rendered, *labels]:
        assert "alert(1)" not in text
        assert "**bold**" not in text


def test_hostile_text_is_shown_as_it_is(demo_path: Path, demo: mt.Workspace, open_page: Opener) -> None:
    trial = next(each for each in demo.trials("full", limit=500) if each.answer.startswith("<img"))
    page = open_page("campaigns", demo_path, campaign="full", trial=str(trial.id))
    assert HOSTILE_ITEM in cells(page)
    assert "<img src=x onerror=alert(1)> **bold** $\\frac{1}{2}$" in texts(page)
    assert "\u241b[31mred" in texts(page)
    item = open_page("benchmark", demo_path, view="One item", item=HOSTILE_ITEM)
    assert f"item        {HOSTILE_ITEM}" in texts(item)
