from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from lib.figures import coverage, duration, figure, moment, short_identity, span, with_interval


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (0.5, "score", "0.500"),
        (0.0, "score", "0.000"),
        (None, "score", "not estimable"),
        (0.0312, "difference", "+0.031"),
        (-0.2, "difference", "-0.200"),
        (0.00004, "probability", "< 0.001"),
        (0.5, "probability", "0.500"),
        (4012, "count", "4,012"),
        (0.912345, "number", "0.9123"),
        (1234567.0, "number", "1.235e+06"),
        (7e-294, "number", "< 0.0001"),
        (-7e-5, "number", "> -0.0001"),
        (0.0, "number", "0"),
    ],
)
def test_a_figure_reads_as_its_kind(value: float | None, kind: str, shown: str) -> None:
    assert figure(value, kind) == shown


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.42, 0.351, 0.492, "0.420 [0.351, 0.492]"),
        (0.42, None, None, "0.420 (no interval)"),
        (0.42, 0.3, None, "0.420 [0.300, open]"),
        (None, None, None, "not estimable"),
        (None, 0.2, None, "not estimable, bounds [0.200, open]"),
    ],
)
def test_a_value_never_stands_without_word_of_its_interval(
    value: float | None, low: float | None, high: float | None, shown: str
) -> None:
    assert with_interval(value, low, high) == shown


def test_coverage_names_both_numbers() -> None:
    assert coverage(990, 1000) == "990 of 1,000 (0.990)"
    assert coverage(0, 0) == "nothing planned"
    assert coverage(None, 10) == "not recorded"


def test_bounds_without_a_value_between_them() -> None:
    assert span(0.1, 0.25) == "0.100 to 0.250"
    assert span(None, None) == "not estimable"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "not recorded"),
        (0.1234, "0.12 s"),
        (42.0, "42 s"),
        (125.0, "2 min 5 s"),
        (7_320.0, "2 h 2 min"),
        (190_000.0, "2 d 4 h"),
    ],
)
def test_time_spans(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


def test_moments_and_identities() -> None:
    assert moment(datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)) == "2026-03-01 12:30:05 UTC"
    assert moment(date(2026, 3, 1)) == "2026-03-01"
    assert moment(None) == "not recorded"
    assert short_identity("sha256:" + "ab" * 32) == "sha256:abababababab"
