"""What is asked: which version, which agents and campaigns, with what options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from metrology.errors import InputError

Value = TypeVar("Value")


@dataclass(frozen=True)
class Request:
    """One question about one benchmark version.

    ``version`` None means the newest that is not superseded. Empty ``agents`` or ``campaigns`` mean all; agents are
    named by name or identity. ``include_controls`` takes noop and reference agents into the pool; by default they
    are shown but do not count, for they would make any benchmark look reliable and saturated. ``options`` belong
    to the analysis and are checked by it.
    """

    benchmark: str
    version: str | None = None
    agents: tuple[str, ...] = ()
    campaigns: tuple[str, ...] = ()
    level: float = 0.95
    seed: int = 0
    include_controls: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1:
            raise InputError(f"level {self.level} is not between 0.5 and 1", field="level", hint="usual is 0.95")

    def check_options(self, allowed: tuple[str, ...]) -> None:
        """Refuse options the analysis does not know; raises InputError naming those it does."""
        for name in self.options:
            if name not in allowed:
                hint = f"known options: {', '.join(allowed)}" if allowed else "this analysis has no options"
                raise InputError(f"unknown option {name!r}", field=name, hint=hint)

    def option(self, name: str, kind: type[Value], default: Value | None = None) -> Value | None:
        """The option ``name`` as ``kind``, or ``default``; raises InputError when it cannot be read so."""
        value = self.options.get(name)
        if value is None:
            return default
        if isinstance(value, kind):
            return value
        try:
            return kind(value)  # type: ignore[call-arg]
        except (TypeError, ValueError) as problem:
            raise InputError(f"option {name} = {value!r} is not {kind.__name__}", field=name) from problem

    @classmethod
    def parse(cls, benchmark: str, **options: Any) -> Request:
        """Return the request for ``name`` or ``name@version``; keywords that are not fields become options.

        ``agents`` and ``campaigns`` may be one name or several.
        """
        name, _, version = benchmark.partition("@")
        known: dict[str, Any] = {
            key: options.pop(key) for key in ("level", "seed", "include_controls") if options.get(key) is not None
        }
        for key in ("agents", "campaigns"):
            given = options.pop(key, None) or ()
            known[key] = (given,) if isinstance(given, str) else tuple(given)
        chosen = {key: value for key, value in options.items() if value is not None}
        return cls(name.strip(), version.strip() or None, options=chosen, **known)
