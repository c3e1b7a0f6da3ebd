"""Progress on standard error for what takes longer than a second; silent when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metrology.cli.output import console

if TYPE_CHECKING:
    from metrology.campaigns.progress import LiveProgress


@contextmanager
def campaign_bar(name: str) -> Iterator[Callable[[LiveProgress], None] | None]:
    """Yield a callback that shows a campaign's progress with its estimated time of arrival."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}"))
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None, pace="")

        def show(now: LiveProgress) -> None:
            pace = "" if now.trials_per_second is None else f"{now.trials_per_second:.1f}/s"
            left = "" if now.eta_seconds is None else f" {_duration(now.eta_seconds)} left"
            bar.update(task, total=now.planned, completed=now.finished, pace=pace + left)

        yield show


@contextmanager
def line_bar(description: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Yield a callback (done, total or None) for reading a long file."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
