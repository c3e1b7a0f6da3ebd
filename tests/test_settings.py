from __future__ import annotations

import pytest

from metrology.errors import InputError
from metrology.settings import Settings, read_settings


def test_nothing_set_means_a_database_here_that_survives_a_power_cut() -> None:
    assert read_settings({}) == Settings("metrology.db", None, "full", 30.0)


def test_the_environment_decides() -> None:
    environment = {
        "METROLOGY_DB": " postgresql://host/name ",
        "METROLOGY_BLOBS": "/data/blobs",
        "METROLOGY_SYNCHRONOUS": "Normal",
        "METROLOGY_DB_TIMEOUT": "2.5",
    }
    assert read_settings(environment) == Settings("postgresql://host/name", "/data/blobs", "normal", 2.5)


def test_the_environment_is_read_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METROLOGY_DB", "one.db")
    assert read_settings().database == "one.db"
    monkeypatch.setenv("METROLOGY_DB", "")
    assert read_settings().database == "metrology.db"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("METROLOGY_SYNCHRONOUS", "off"),
        ("METROLOGY_DB_TIMEOUT", "soon"),
        ("METROLOGY_DB_TIMEOUT", "-1"),
        ("METROLOGY_DB_TIMEOUT", "nan"),
        ("METROLOGY_DB_TIMEOUT", "inf"),
    ],
)
def test_a_value_that_means_nothing_is_named(name: str, value: str) -> None:
    with pytest.raises(InputError, match=name) as error:
        read_settings({name: value})
    assert name in error.value.hint
