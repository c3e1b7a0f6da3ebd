"""Which version all pages speak of: the options of the side bar, and which one stands there first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lib.figures import short_identity
from lib.workspace_access import read

if TYPE_CHECKING:
    from metrology.workspace import StoredVersion

SUPERSEDED = "superseded"


def version_option(version: StoredVersion) -> str:
    """Return what stands in the address: ``name@label``, or ``name@sha256:...`` if the label has moved on."""
    if version.state == SUPERSEDED:
        return f"{version.name}@{short_identity(version.identity)}"
    return f"{version.name}@{version.label}"


def version_options() -> dict[str, StoredVersion]:
    """Return all versions by option, newest first and superseded drafts last."""
    newest_first = sorted(read("versions"), key=lambda version: version.id, reverse=True)
    ordered = sorted(newest_first, key=lambda version: version.state == SUPERSEDED)
    return {version_option(version): version for version in ordered}


def default_version(versions: Mapping[str, StoredVersion]) -> str | None:
    """Return the version that was measured last, or the newest one when nothing was measured."""
    for campaign in sorted(read("campaigns"), key=lambda stored: stored.id, reverse=True):
        for option, version in versions.items():
            if version.id == campaign.version_id and version.state != SUPERSEDED:
                return option
    return next(iter(versions), None)
