"""The one family of errors that are meant for people.

Everything raised on purpose because of what a user gave or what the surroundings refuse is a
:class:`MetrologyError`: the command line prints message and hint and exits 2, the dashboard shows both.
Any other exception is a defect of the platform and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Sequence


class MetrologyError(Exception):
    """Something a person can mend; ``message`` says what is wrong, ``hint`` what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class InputError(MetrologyError):
    """A file or value that cannot be accepted; names the file, the line and the field where they are known."""

    def __init__(
        self,
        message: str,
        *,
        file: object = None,
        line: int | None = None,
        field: str | None = None,
        hint: str = "",
    ) -> None:
        place = [] if file is None else [str(file)]
        if line is not None:
            place.append(f"line {line}")
        if field:
            place.append(f"field {field}")
        super().__init__(f"{', '.join(place)}: {message}" if place else message, hint=hint)
        self.file = None if file is None else str(file)
        self.line = line
        self.field = field


class InputErrors(MetrologyError):  # noqa: N818 - it is several errors, not one
    """Several :class:`InputError` found in one reading, so that all can be mended at once."""

    def __init__(self, errors: Sequence[InputError], *, hint: str = "") -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        text = "\n".join(error.message for error in self.errors)
        super().__init__(text, hint=hint or first.hint)


class NotFoundError(MetrologyError):
    """A name, version or identifier that the workspace does not hold."""


class ConflictError(MetrologyError):
    """The request contradicts what is stored: a released version, another plan, a held campaign."""


class StorageError(MetrologyError):
    """The store cannot be used as asked: newer schema, locked, read-only, disk full, unreachable."""


class PluginError(MetrologyError):
    """A plug-in is unknown or could not be loaded."""


class StoppedError(MetrologyError):
    """The operator stopped the work; what was finished is stored and the rest can be resumed (exit code 130)."""
