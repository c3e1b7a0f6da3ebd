"""Finds the folders that ship with the platform, in a checkout and in an installed wheel alike.

In a checkout they stand beside the package; the wheel carries them inside it, under ``_shipped``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from metrology.errors import NotFoundError

SHIPPED = ("migrations", "dashboards", "benchmarks")
_PACKAGE = Path(__file__).resolve().parent


def shipped_folder(name: str) -> Path:
    """Return the folder ``name``, one of ``SHIPPED``.

    Raises:
        NotFoundError: when neither the package nor a checkout around it has the folder.
    """
    candidates = [_PACKAGE / "_shipped" / name]
    # Beside an installed package stand other packages; only a checkout has this file there.
    if (_PACKAGE.parent / "pyproject.toml").is_file():
        candidates.append(_PACKAGE.parent / name)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise NotFoundError(
        f"the folder {name!r} that ships with metrology is missing",
        hint="reinstall metrology, or run it from a full checkout",
    )


def platform_version() -> str:
    """Return the version of this installation, as it is stored with every verdict and analysis."""
    # Slow to import, and asked for only when something is measured.
    version: str = import_module("importlib.metadata").version("metrology")
    return version
