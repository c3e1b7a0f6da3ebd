from __future__ import annotations

from pathlib import Path

import pytest

from metrology import resources
from metrology.errors import NotFoundError
from metrology.resources import SHIPPED, shipped_folder


@pytest.mark.parametrize("name", SHIPPED)
def test_a_checkout_has_the_folders_beside_the_package(name: str) -> None:
    assert shipped_folder(name) == Path(resources.__file__).resolve().parents[1] / name


def test_an_installed_package_has_them_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "metrology"
    (package / "_shipped" / "migrations").mkdir(parents=True)
    # Another package's folder of the same name must not be taken for ours.
    (package.parent / "dashboards").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert shipped_folder("migrations") == package / "_shipped" / "migrations"
    with pytest.raises(NotFoundError, match="dashboards") as error:
        shipped_folder("dashboards")
    assert "reinstall" in error.value.hint
