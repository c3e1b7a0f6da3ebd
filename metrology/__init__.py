"""metrology keeps benchmarks for AI agents as measuring instruments.

The public names are loaded when they are first used, so that ``import metrology`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metrology.campaigns.handle import CampaignHandle
    from metrology.domain.agent import AgentConfiguration
    from metrology.domain.benchmark import BenchmarkVersion
    from metrology.domain.item import ItemRevision
    from metrology.domain.lifecycle import ItemState
    from metrology.domain.status import Status
    from metrology.domain.verdict import Verdict
    from metrology.errors import ConflictError, InputError, MetrologyError, NotFoundError, StorageError
    from metrology.workspace import Workspace
    from metrology.workspace import open_workspace as open  # noqa: A004 - read as metrology.open

_HOME = {
    "AgentConfiguration": "metrology.domain.agent",
    "BenchmarkVersion": "metrology.domain.benchmark",
    "CampaignHandle": "metrology.campaigns.handle",
    "ConflictError": "metrology.errors",
    "InputError": "metrology.errors",
    "ItemRevision": "metrology.domain.item",
    "ItemState": "metrology.domain.lifecycle",
    "MetrologyError": "metrology.errors",
    "NotFoundError": "metrology.errors",
    "Status": "metrology.domain.status",
    "StorageError": "metrology.errors",
    "Verdict": "metrology.domain.verdict",
    "Workspace": "metrology.workspace",
    "open": "metrology.workspace",
}

__all__ = [
    "AgentConfiguration",
    "BenchmarkVersion",
    "CampaignHandle",
    "ConflictError",
    "InputError",
    "ItemRevision",
    "ItemState",
    "MetrologyError",
    "NotFoundError",
    "Status",
    "StorageError",
    "Verdict",
    "Workspace",
    "open",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("metrology.resources").platform_version()
    if name in _HOME:
        return getattr(import_module(_HOME[name]), "open_workspace" if name == "open" else name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
