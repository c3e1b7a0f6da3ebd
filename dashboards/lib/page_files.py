"""Which pages there are. A page is one file; a line here, or one entry point of another package, registers it.

A page of another package is a module named by an entry point of the group ``metrology.pages``; the name of the entry
point becomes its title::

    [project.entry-points."metrology.pages"]
    "Cost per pass" = "my_package.cost_page"

Streamlit runs a page as ``__main__``; what draws stands under ``if __name__ == "__main__":``, so that the module can be
imported without drawing.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

GROUP = "metrology.pages"
FOLDER = Path(__file__).resolve().parent.parent / "pages"
SECTIONS = ("Instruments", "Measurements", "Can it be trusted?", "Added")


@dataclass(frozen=True)
class PageFile:
    """One page: its file, title, address and section; ``question`` is what a reader brings to it."""

    file: Path
    title: str
    address: str
    section: str
    question: str
    icon: str


@dataclass(frozen=True)
class MissingPage:
    """A page that another package promises and that cannot be found."""

    name: str
    reason: str


PAGES = (
    PageFile(FOLDER / "overview.py", "Overview", "overview", "Instruments",
             "Which instruments do we have, and can I trust each?", ":material/dashboard:"),
    PageFile(FOLDER / "benchmark.py", "Benchmark", "benchmark", "Instruments",
             "What exactly is this version, and what changed?", ":material/inventory_2:"),
    PageFile(FOLDER / "agents.py", "Agents", "agents", "Instruments",
             "Which agents were measured, and what differs between two of them?", ":material/smart_toy:"),
    PageFile(FOLDER / "campaigns.py", "Campaigns", "campaigns", "Measurements",
             "What is being measured now, and how did each trial end?", ":material/play_circle:"),
    PageFile(FOLDER / "compare.py", "Compare", "compare", "Measurements",
             "Is agent A better than agent B?", ":material/balance:"),
    PageFile(FOLDER / "reliability.py", "Reliability", "reliability", "Can it be trusted?",
             "Would it repeat?", ":material/repeat:"),
    PageFile(FOLDER / "items.py", "Items", "items", "Can it be trusted?",
             "Which items measure?", ":material/checklist:"),
    PageFile(FOLDER / "saturation.py", "Saturation", "saturation", "Can it be trusted?",
             "How much life is left in it?", ":material/vertical_align_top:"),
    PageFile(FOLDER / "drift.py", "Drift", "drift", "Can it be trusted?",
             "Did the instrument move, or the agent?", ":material/timeline:"),
    PageFile(FOLDER / "validity.py", "Validity", "validity", "Can it be trusted?",
             "Does it predict what happens in production?", ":material/verified:"),
)  # fmt: skip


def added_pages() -> tuple[tuple[PageFile, ...], tuple[MissingPage, ...]]:
    """Return the pages of other packages, and those that were promised but cannot be found."""
    found, missing = [], []
    for entry in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        file, reason = _module_file(entry.value)
        if file is None:
            missing.append(MissingPage(entry.name, reason))
            continue
        slug = "".join(character if character.isalnum() else "-" for character in entry.name.lower()).strip("-")
        found.append(PageFile(file, entry.name, slug, "Added", "", ":material/extension:"))
    return tuple(found), tuple(missing)


def page_of(address: str) -> PageFile:
    """Return the built-in page with this address; KeyError if there is none."""
    for page in PAGES:
        if page.address == address:
            return page
    raise KeyError(address)


def _module_file(module: str) -> tuple[Path | None, str]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError) as problem:
        return None, str(problem)
    if spec is None or spec.origin is None:
        return None, f"no module {module}"
    return Path(spec.origin), ""
