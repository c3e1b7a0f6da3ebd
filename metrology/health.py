"""What ``metrology doctor`` checks: the store, its counts, the plug-ins, and optional parts of the machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from metrology import plugins
from metrology.storage.recount import miscounted_cells
from metrology.storage.schema import SchemaState, status
from metrology.storage.store import Store

ENGINE_SOCKET = "/var/run/docker.sock"


@dataclass(frozen=True)
class Check:
    """One finding: ``state`` is ok, absent (an optional part that is not there) or broken."""

    name: str
    state: str
    detail: str
    hint: str = ""


def checks(store: Store) -> tuple[Check, ...]:
    """Return all findings about this installation and store; a check never raises."""
    about_the_store = (check(store) for check in (_database, _counts, _blobs))
    return (_python(), *about_the_store, *(check() for check in (_plugins, _docker, _postgres, _chromium)))


def _python() -> Check:
    return Check("python", "ok", f"{sys.version.split()[0]} at {sys.prefix}")


def _database(store: Store) -> Check:
    found = status(store)
    if found.state is SchemaState.CURRENT:
        return Check("database", "ok", f"{found.database}, revision {found.current}")
    return Check("database", "broken", f"{found.database} is {found.state}", "metrology db upgrade")


def _counts(store: Store) -> Check:
    with store.read() as conn:
        wrong = miscounted_cells(conn)
    if not wrong:
        return Check("counts", "ok", "every cell agrees with a recount of its trials")
    first = wrong[0]
    return Check(
        "counts",
        "broken",
        f"cells differ from their trials, for example campaign {first.campaign_id}, item revision "
        f"{first.revision_id}, agent {first.agent_id}: stored {first.stored}, counted {first.counted}",
        "restore a backup; figures of these cells cannot be trusted",
    )


def _blobs(store: Store) -> Check:
    folder = store.blobs.root
    if not folder.exists():
        return Check("blobs", "ok", f"{folder} will be made with the first transcript or file")
    if not os.access(folder, os.R_OK):
        return Check("blobs", "broken", f"{folder} cannot be read", "give this user the right to read it")
    free = shutil.disk_usage(folder).free / 2**30
    return Check("blobs", "ok", f"{folder}, {free:.1f} GiB free")


def _plugins() -> Check:
    found = [plugin for group in plugins.GROUPS for plugin in plugins.available(group)]
    broken = [f"{plugin.group}/{plugin.name}: {plugin.error}" for plugin in found if plugin.error]
    if broken:
        return Check("plug-ins", "broken", "; ".join(broken), "metrology plugins lists them")
    return Check("plug-ins", "ok", f"{len(found)} loaded")


def _docker() -> Check:
    address = os.environ.get("DOCKER_HOST", f"unix://{ENGINE_SOCKET}")
    if address.startswith("unix://") and not Path(address.removeprefix("unix://")).exists():
        return Check("docker engine", "absent", f"nothing at {address}", "only needed for container tasks")
    import docker
    from docker.errors import DockerException

    try:
        with closing(docker.from_env(timeout=5)) as client:
            return Check("docker engine", "ok", f"server {client.version()['Version']}")
    except DockerException as error:
        return Check("docker engine", "absent", str(error).splitlines()[0][:120], "only needed for container tasks")


def _postgres() -> Check:
    if importlib.util.find_spec("psycopg") is None:
        return Check("postgresql driver", "absent", "psycopg is not installed", "pip install 'metrology[postgres]'")
    return Check("postgresql driver", "ok", "psycopg is installed")


def _chromium() -> Check:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        return Check("chromium", "absent", "not found", "only needed for the browser test")
    return Check("chromium", "ok", found)
