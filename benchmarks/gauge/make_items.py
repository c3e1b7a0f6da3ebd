"""Write the item files of gauge from the tables in ``authoring/``: ``python make_items.py [folder]``.

The same tables give the same bytes; the folder items with a grader of their own (``items/<name>/``) are written by
hand and are not touched.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from authoring import facts, files, language, numbers, text  # noqa: E402

FAMILIES = {
    "capitals": facts.capitals,
    "facts": facts.facts,
    "opposites": facts.opposites,
    "kinds": facts.kinds,
    "sentiment": language.sentiment,
    "extraction": language.extraction,
    "forms": language.forms,
    "almanac": language.almanac,
    "proverbs": language.proverbs,
    "counting": numbers.counting,
    "arithmetic": numbers.arithmetic,
    "units": numbers.units,
    "dates": numbers.dates,
    "transform": text.transform,
    "sorting": text.sorting,
    "records": text.records,
    "wrangling": files.wrangling,
}


def main(folder: Path) -> None:
    """Write one JSON Lines file a family into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for family, make in FAMILIES.items():
        made = make()
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in made]
        (folder / f"{family}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
        total += len(made)
    print(f"{total} items in {len(FAMILIES)} families")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "items")
