"""Plug-ins through entry points: one file and one line of registration add a harness, scorer, page ...

The built-in ones are registered the same way as anybody's. Nothing is imported until it is asked for, and a
plug-in that cannot be imported is reported by :func:`available` and never stops another one.

A plug-in that takes parameters declares them as a closed pydantic model; :func:`problems` turns what is wrong
with a table into :class:`Problem` values that name the field, so that the reader of the file can add its place.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from metrology.errors import PluginError

if TYPE_CHECKING:
    from pydantic import BaseModel

GROUPS = ("harnesses", "environments", "scorers", "importers", "analyses", "pages")
PREFIX = "metrology."


# What to do about the usual slips, by pydantic's kinds of errors.
_HINTS = {
    "string_type": "write it as text in quotation marks",
    "int_type": "write a whole number without quotation marks",
    "float_type": "write a number without quotation marks",
    "bool_type": "write true or false",
    "list_type": "write a list in square brackets",
    "tuple_type": "write a list in square brackets",
    "dict_type": "write a table",
    "literal_error": "choose one of these words",
    "finite_number": "write a finite number",
}


@dataclass(frozen=True)
class Plugin:
    """One registered plug-in; ``error`` says in words why it cannot be used, None when it was imported."""

    group: str
    name: str
    module: str
    distribution: str
    error: str | None


@dataclass(frozen=True)
class Problem:
    """What is wrong with one field of a table of parameters; ``field`` is dotted and empty for the whole table."""

    field: str
    message: str
    hint: str = ""


@functools.cache
def _entries() -> Mapping[str, Mapping[str, tuple[EntryPoint, ...]]]:
    """All registrations by group and name, read once: the scan of installed packages is the slow part."""
    found: dict[str, dict[str, tuple[EntryPoint, ...]]] = {group: {} for group in GROUPS}
    for group, names in found.items():
        for entry in entry_points(group=PREFIX + group):
            # An editable install may list the same line twice; only different targets are a conflict.
            others = names.get(entry.name, ())
            if entry.value not in {other.value for other in others}:
                names[entry.name] = (*others, entry)
    return found


def names(group: str) -> tuple[str, ...]:
    """Return the registered names of a group, sorted; nothing is imported.

    Raises:
        PluginError: there is no such group.
    """
    return tuple(sorted(_group(group)))


def load(group: str, name: str) -> Any:
    """Import one plug-in and return the object its registration names.

    Raises:
        PluginError: the group or name is unknown, two packages claim the name, or the import fails; the
            cause is chained.
    """
    entries = _group(group).get(name)
    if not entries:
        known = ", ".join(names(group)) or "none"
        raise PluginError(
            f"no {group} plug-in is called {name!r}",
            hint=f"known: {known}; a package adds one by an entry point in the group {PREFIX}{group}",
        )
    if len(entries) > 1:
        claims = ", ".join(f"{_distribution(entry)} ({entry.value})" for entry in entries)
        raise PluginError(
            f"the {group} plug-in {name!r} is claimed by {claims}", hint="uninstall one of them or rename it"
        )
    try:
        return entries[0].load()
    except Exception as error:
        # Whatever a stranger's module raises on import must not stop the platform; the cause stays chained.
        raise PluginError(
            f"the {group} plug-in {name!r} ({entries[0].value}) cannot be imported: {_said(error)}",
            hint="metrology plugins lists what could not be loaded",
        ) from error


def available(group: str) -> tuple[Plugin, ...]:
    """Import every plug-in of a group and return one row each, broken ones with their error.

    Raises:
        PluginError: there is no such group.
    """
    rows: list[Plugin] = []
    for name in names(group):
        entries = _group(group)[name]
        reason = None
        try:
            load(group, name)
        except PluginError as error:
            reason = error.message
        rows.extend(
            Plugin(group=group, name=name, module=entry.value, distribution=_distribution(entry), error=reason)
            for entry in entries
        )
    return tuple(rows)


def refresh() -> None:
    """Forget what was read about installed packages, so that a newly installed one is seen."""
    _entries.cache_clear()


def problems(model: type[BaseModel], table: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return what is wrong with ``table`` as parameters of ``model``; empty when it is right."""
    from pydantic import ValidationError

    try:
        model.model_validate(dict(table))
    except ValidationError as error:
        known = ", ".join(sorted(field.alias or name for name, field in model.model_fields.items()))
        found = [_problem(dict(entry), known) for entry in error.errors(include_url=False, include_input=False)]
        # A list whose elements are wrong is also told to be too short: the elements say it better.
        return tuple(one for one in found if not any(other.field.startswith(f"{one.field}.") for other in found))
    return ()


def _problem(entry: Mapping[str, Any], known: str) -> Problem:
    field = ".".join(str(part) for part in entry["loc"])
    if entry["type"] == "extra_forbidden":
        return Problem(field, "unknown key", hint=f"known keys: {known}")
    if entry["type"] == "missing":
        return Problem(field, "missing", hint=f"add {field}")
    message = str(entry["msg"]).removeprefix("Value error, ").replace("Input should be", "should be")
    return Problem(field, message, hint=_HINTS.get(entry["type"], "correct the value"))


def _group(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    if group not in GROUPS:
        raise PluginError(f"there is no plug-in group {group!r}", hint=f"groups: {', '.join(GROUPS)}")
    return _entries()[group]


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "unknown package"


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
