"""The dashboard in a real browser: its figures are those of the command line, and hostile text stays text."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

import metrology as mt
from tests.dashboards.demo_benchmark import HOSTILE_ITEM
from tests.dashboards.workspaces import VERSION, build_demo
from tests.e2e.dashboard_server import PROGRAM, dashboard, json_of, listening_addresses

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 60_000
IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
LIVE_ITEMS = 5
# Every trial waits until the test has seen the campaign run.
WAITING_AGENT = """
import pathlib, time
while not pathlib.Path({gate!r}).exists():
    time.sleep(0.05)
print("wrong")
"""

# A busy machine draws slowly; what never comes still fails.
expect.set_options(timeout=PATIENCE)

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with results."""
    return build_demo(tmp_path_factory.mktemp("e2e"))


@pytest.fixture(scope="module")
def address(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running dashboard."""
    with dashboard(demo, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """A browser page that remembers where it sent requests and whether a script ran that should not have."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        opened = browser.new_page(viewport={"width": 1400, "height": 4000})
        opened.set_default_timeout(PATIENCE)
        dialogs: list[str] = []
        elsewhere: list[str] = []
        own = urlsplit(address).netloc

        def look_at(url: str) -> None:
            parts = urlsplit(url)
            if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != own:
                elsewhere.append(url)

        opened.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        opened.on("request", lambda request: look_at(request.url))
        yield opened
        browser.close()
        assert dialogs == []
        assert elsewhere == []


def open_page(page: Page, title: str) -> None:
    """Go to a page by the navigation and wait until it is drawn."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()
    expect(page.locator("h1")).to_have_text(title)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the script has begun and ended and nothing is drawn as a skeleton."""
    expect(page.locator("h1")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(IDLE)).to_have_count(1, timeout=PATIENCE)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def shown_text(page: Page) -> str:
    """Everything that is shown as text or code."""
    return "\n".join(page.locator("[data-testid=stText], [data-testid=stCode] code").all_inner_texts())


def expect_cell(page: Page, text: str) -> None:
    """Wait until a cell of a table that is in view reads ``text``; screen readers meet the cells behind the canvas."""
    cells = page.locator("[data-testid=stDataFrame] canvas table td").get_by_text(text, exact=True)
    expect(cells.first).to_be_attached(timeout=PATIENCE)


def expect_nothing_rendered(page: Page) -> None:
    """Stored text has become no image, formula, link, bold text or script."""
    made = "img[onerror], .katex, a[href^='javascript'], strong:has-text('bold')"
    expect(page.get_by_test_id("stMain").locator(made)).to_have_count(0)
    expect(page.locator("script", has_text="alert(1)")).to_have_count(0)


def first_row_with_interval(answer: dict[str, Any], table: str, low: str) -> dict[str, Any]:
    """The first row of a table of the command line's JSON that has an interval."""
    return next(row for row in answer["tables"][table]["rows"] if row[low] is not None)


STYLES = {"score": "{:.3f}", "difference": "{:+.3f}", "number": "{:.4g}"}
FIGURES = {
    "Reliability": ("agents", "score", "low_population", "high_population"),
    "Items": ("items", "difficulty", "difficulty_low", "difficulty_high"),
    "Saturation": ("summary", "value", "low", "high"),
    "Drift": ("verdicts", "change", "change_low", "change_high"),
    "Validity": ("pairs", "score", "score_low", "score_high"),
    "Compare": ("pairs", "difference", "low", "high"),
}


def test_every_page_shows_the_figures_of_the_command_line(page: Page, address: str, demo: Path) -> None:
    page.goto(address)
    for title, (table, value, low, high) in FIGURES.items():
        answer = json_of("analyze", title.lower(), VERSION, database=demo)
        open_page(page, title)
        text = shown_text(page)
        assert answer["answer"], title
        for sentence in answer["answer"]:
            assert sentence in text, title
        row = first_row_with_interval(answer, table, low)
        figure = STYLES[_kind(answer, table, value)]
        expect_cell(page, f"{figure} [{figure}, {figure}]".format(row[value], row[low], row[high]))
        expect(page.locator("[data-testid=stVegaLiteChart]").locator("canvas, svg").first).to_be_visible()
    for title in ("Overview", "Benchmark", "Agents", "Campaigns"):
        open_page(page, title)
    status = json_of("campaign", "status", "full", database=demo)
    page.goto(f"{address}/campaigns?campaign=full")
    expect(page.get_by_text(f"{status['finished']:,} of {status['planned']:,} (1.000)")).to_be_visible()


def _kind(answer: dict[str, Any], table: str, key: str) -> str:
    return next(column["kind"] for column in answer["tables"][table]["columns"] if column["key"] == key)


def test_a_link_opens_the_same_view_first_thing(demo: Path, tmp_path: Path) -> None:
    """Also when it is the very first request to a fresh server."""
    with dashboard(demo, tmp_path) as fresh, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        opened = browser.new_page()
        opened.goto(f"{fresh}/compare?benchmark={quote(VERSION)}&pairs=one+pair&baseline=shallow&candidate=careful")
        expect(opened.locator("h1")).to_have_text("Compare", timeout=PATIENCE)
        line = opened.get_by_text("--option baseline=shallow --option candidate=careful")
        expect(line.first).to_be_visible(timeout=PATIENCE)
        expect(opened.get_by_test_id("stSidebarNav")).to_be_visible()
        browser.close()


def test_hostile_text_is_text(page: Page, address: str, demo: Path) -> None:
    with mt.open(demo, read_only=True) as ws:
        hostile = next(trial for trial in ws.trials("full", limit=500) if trial.answer.startswith("<img"))
    page.goto(f"{address}/campaigns?campaign=full&trial={hostile.id}")
    settle(page)
    text = shown_text(page)
    assert "<img src=x onerror=alert(1)> **bold** $\\frac{1}{2}$ [link](javascript:alert(1))" in text
    assert "\u241b[31mred" in text
    assert "\\u202etxt.exe" in text
    expect_nothing_rendered(page)
    expect_cell(page, HOSTILE_ITEM)
    page.goto(f"{address}/items")
    settle(page)
    expect_nothing_rendered(page)
    expect_cell(page, HOSTILE_ITEM)
    page.goto(f"{address}/benchmark?view=One+item&item={quote(HOSTILE_ITEM)}")
    settle(page)
    expect_nothing_rendered(page)
    assert f"item        {HOSTILE_ITEM}" in shown_text(page)


def test_the_dashboard_listens_on_this_machine_only(address: str) -> None:
    assert listening_addresses(int(address.rpartition(":")[2])) == {"0100007F"}


def test_a_running_campaign_is_followed_without_a_reload(page: Page, address: str, demo: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    (tmp_path / "waiting.py").write_text(WAITING_AGENT.format(gate=str(gate)), encoding="utf-8")
    (tmp_path / "waiting.toml").write_text(
        'schema_version = 1\nname = "waiting"\n[harness]\nkind = "command"\nprogram = "waiting.py"\n'
        "[operations]\ntime_limit_seconds = 500.0\n",
        encoding="utf-8",
    )
    with mt.open(demo) as ws:
        items = [summary.name for summary in ws.item_summaries(VERSION)][:LIVE_ITEMS]
        ws.campaign(VERSION, agents=[ws.agent(tmp_path / "waiting.toml")], trials=1, items=items, name="live")
    runner = subprocess.Popen([*PROGRAM, "campaign", "run", "live", "--concurrency", "1", "--db", str(demo)])
    running = page.get_by_text("Running; redrawn every two seconds.")
    try:
        while json_of("campaign", "status", "live", database=demo)["running"] == 0:
            assert runner.poll() is None
        page.goto(f"{address}/campaigns?campaign=live")
        expect(running).to_be_visible()
        expect(page.get_by_text(f"0 of {LIVE_ITEMS} (0.000)")).to_be_visible()
        gate.touch()
        expect(page.get_by_text(f"{LIVE_ITEMS} of {LIVE_ITEMS} (1.000)")).to_be_visible()
        expect(running).to_have_count(0)
        assert runner.wait(timeout=60) == 0
    finally:
        gate.touch()
        if runner.poll() is None:
            runner.terminate()
            runner.wait(timeout=60)
