"""The dashboard's own modules are found the way Streamlit finds them: beside app.py."""

from __future__ import annotations

import sys

import pytest

from metrology.resources import shipped_folder

DASHBOARDS = shipped_folder("dashboards")
if str(DASHBOARDS) not in sys.path:
    sys.path.insert(0, str(DASHBOARDS))


@pytest.fixture(scope="session")
def app_file() -> str:
    """Path of app.py."""
    return str(DASHBOARDS / "app.py")
