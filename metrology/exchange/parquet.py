"""Parquet files, when pyarrow is installed (the extra ``parquet``)."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from metrology.errors import InputError
from metrology.exchange.batch import ROWS, Batch, check_columns


def read_parquet(path: Path, wanted: Sequence[str], optional: frozenset[str] = frozenset()) -> Iterator[Batch]:
    """Yield the rows of a Parquet file as batches of the ``wanted`` columns; a "line" is the row's number from 1.

    Raises:
        InputError: without pyarrow, for a file that is no Parquet, and for a missing column.
    """
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise InputError(
            "Parquet files need pyarrow", file=path, hint="pip install 'metrology[parquet]', or save as CSV"
        ) from error
    row = 1
    try:
        with parquet.ParquetFile(path) as file:
            places = check_columns(list(file.schema_arrow.names), wanted, path, optional)
            present = [name for name, place in zip(wanted, places, strict=True) if place is not None]
            for chunk in file.iter_batches(batch_size=ROWS, columns=present):
                count = chunk.num_rows
                columns = dict.fromkeys(wanted, [""] * count)
                columns |= {name: [_text(value) for value in chunk.column(name).to_pylist()] for name in present}
                yield Batch(range(row, row + count), columns)
                row += count
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"not readable as Parquet: {error}", file=path, line=row) from error


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, default=str)
    return repr(value) if isinstance(value, float) else str(value)
