"""The column map: how the columns of a table become items, agents, trials and verdicts, or production outcomes.

A map is a TOML file. In ``[columns]`` a text is the name of a column; in ``[benchmark]`` and the tables of
``[agent]`` a text is the value itself and ``{column = "..."}`` reads a column.
"""

from __future__ import annotations

from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal, Self, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from metrology.domain.agent import PARTS, VOLATILE
from metrology.domain.benchmark import Purpose
from metrology.domain.status import Status
from metrology.errors import InputError, InputErrors
from metrology.exchange.toml_document import TomlDocument, read_toml
from metrology.identity import content_hash


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, protected_namespaces=())


class ColumnValue(_Table):
    """The text of one column: the part before ``until``, translated by ``values``; or one text for all lines."""

    column: str | None = None
    constant: str | None = None
    values: dict[str, str] = Field(default_factory=dict)
    until: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.column is None) == (self.constant is None):
            raise ValueError("give either column or constant")
        return self


class TypedColumn(_Table):
    """A column as part of an agent; a blank text leaves the key out."""

    column: str
    kind: Literal["text", "integer", "number", "boolean"] = Field(default="text", alias="as")


def _as_column(value: Any) -> Any:
    return {"column": value} if isinstance(value, str) else value


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: [inner] if isinstance(inner, str) else inner for key, inner in value.items()}


Column = Annotated[ColumnValue, BeforeValidator(_as_column)]
Choice = Annotated[dict[str, list[str]], BeforeValidator(_as_lists)]
Part = dict[str, TypedColumn | bool | int | float | str]


class BenchmarkTable(_Table):
    """What the results were measured with; ``name`` is read from a column when one file holds several benchmarks.

    ``identity`` says that the results belong to a registered version of exactly this content.
    """

    name: str | ColumnValue
    version: str = Field(min_length=1)
    purpose: Purpose = Purpose.EVALUATION
    title: str = ""
    construct_statement: str = Field(default="", alias="construct")
    licence: str
    owner: str = ""
    source: str
    planned_trials: int | None = Field(default=None, ge=1)
    identity: str | None = Field(default=None, pattern="^sha256:[0-9a-f]{64}$")


class ResultColumns(_Table):
    """Which column says what. Without ``trial``, trials are numbered in the order of the lines."""

    item: Column
    agent: Column | None = None
    trial: Column | None = None
    score: Column | None = None
    passed: Column | None = None
    status: Column | None = None
    date: Column | None = None
    finished: Column | None = None
    duration_seconds: Column | None = None
    input_tokens: Column | None = None
    cached_input_tokens: Column | None = None
    cache_write_tokens: Column | None = None
    output_tokens: Column | None = None
    cost_usd: Column | None = None
    model_served: Column | None = None
    family: Column | None = None
    tags: tuple[str, ...] = ()
    n_trials: Column | None = None
    n_passed: Column | None = None

    @field_validator("status")
    @classmethod
    def _known_statuses(cls, column: ColumnValue | None) -> ColumnValue | None:
        known = {status.value for status in Status}
        unknown = sorted(set(column.values.values()) - known) if column else []
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no status; known are {', '.join(sorted(known))}")
        return column

    @model_validator(mode="after")
    def _one_kind_of_result(self) -> Self:
        if (self.n_trials is None) != (self.n_passed is None):
            raise ValueError("n_trials and n_passed belong together")
        if self.n_trials is None and self.score is None and self.passed is None:
            raise ValueError("map score, passed, or n_trials with n_passed")
        if self.n_trials is not None and (self.score or self.passed or self.trial or self.status):
            raise ValueError("counts (n_trials, n_passed) have no score, passed, trial or status of single trials")
        return self


class AgentTable(_Table):
    """An agent built from columns: ``name`` is a text with ``{column}`` in it, the parts hold values or columns."""

    name: str
    model: Part
    harness: Part = Field(default_factory=dict)
    operations: Part = Field(default_factory=dict)

    @field_validator("name")
    @classmethod
    def _plain_template(cls, template: str) -> str:
        name_columns(template)
        return template

    @model_validator(mode="after")
    def _nothing_volatile(self) -> Self:
        for part in PARTS:
            for key in getattr(self, part):
                if key.lower() in VOLATILE:
                    raise ValueError(f"{part}.{key} says where or when something ran, which is no part of an agent")
        return self


class ScoreTable(_Table):
    """From native scores to 0..1: ``scale`` is [worst, best], ``scales`` holds exceptions by item name."""

    scale: tuple[float, float] = (0.0, 1.0)
    scales: dict[str, tuple[float, float]] = Field(default_factory=dict)
    pass_at: float = Field(default=1.0, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        if any(worst == best for worst, best in (self.scale, *self.scales.values())):
            raise ValueError("the two ends of a scale must differ")
        return self


class MissingTable(_Table):
    """Texts that mean the same as a blank cell."""

    values: tuple[str, ...] = ()


class TimeTable(_Table):
    """The zone of times that carry none, as an IANA name."""

    zone: str | None = None

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, zone: str | None) -> str | None:
        if zone is not None:
            try:
                ZoneInfo(zone)
            except (KeyError, ValueError, OSError) as error:
                raise ValueError(f"unknown time zone {zone!r}") from error
        return zone


class AnyMap(_Table):
    """What all maps have: the format of the file, blanks, time zone, and which lines count."""

    schema_version: Literal[1]
    format: Literal["csv", "tsv", "jsonl", "parquet"] | None = None
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    missing: MissingTable = MissingTable()
    time: TimeTable = TimeTable()
    filter: Choice = Field(default_factory=dict)
    exclude: Choice = Field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The hash of what the map says, whatever the spelling of its file."""
        return content_hash(self.model_dump(mode="json"))


class ColumnMap(AnyMap):
    """A map for recorded results."""

    benchmark: BenchmarkTable
    columns: ResultColumns
    agent: AgentTable | None = None
    score: ScoreTable = ScoreTable()

    @model_validator(mode="after")
    def _one_agent(self) -> Self:
        if (self.agent is None) == (self.columns.agent is None):
            raise ValueError("give either columns.agent or the table [agent]")
        return self


class OutcomeColumns(_Table):
    """Which column says what of a production outcome. The defaults are columns of the same names."""

    agent: Column
    measure: Column
    value: Column
    period: Column | None = None
    start: Column | None = None
    end: Column | None = None
    segment: Column | None = None
    n: Column | None = None
    censored: Column | None = None


class OutcomeMap(AnyMap):
    """A map for production outcomes."""

    columns: OutcomeColumns


MapT = TypeVar("MapT", ColumnMap, OutcomeMap)


def load_map(path: Path | str) -> ColumnMap:
    """Return the column map of recorded results in a TOML file.

    Raises:
        InputError: for a file that is missing, not UTF-8 or broken.
        InputErrors: for unknown keys and wrong values, each with its line and field.
    """
    return _load(Path(path), ColumnMap)


def load_outcome_map(path: Path | str) -> OutcomeMap:
    """Return the map of production outcomes in a TOML file; raises as :func:`load_map`."""
    return _load(Path(path), OutcomeMap)


def name_columns(template: str) -> tuple[str, ...]:
    """Return the columns named in an agent's name template.

    Raises:
        ValueError: for anything but plain text and ``{column}``.
    """
    columns = []
    for _, column, specification, conversion in Formatter().parse(template):
        if column is None:
            continue
        if not column or specification or conversion:
            raise ValueError("a name is text with {column} in it, nothing more")
        columns.append(column)
    return tuple(columns)


def _load(path: Path, kind: type[MapT]) -> MapT:
    document = read_toml(path)
    try:
        return kind.model_validate(document.values)
    except ValidationError as error:
        errors = [_input_error(document, dict(detail)) for detail in error.errors(include_url=False)]
        raise InputErrors(errors, hint="docs/importing.md lists the keys of a column map") from error


def _input_error(document: TomlDocument, detail: dict[str, Any]) -> InputError:
    keys = tuple(str(part) for part in detail["loc"])
    text = {"extra_forbidden": "unknown key", "missing": "missing"}.get(detail["type"], str(detail["msg"]))
    return InputError(
        text.removeprefix("Value error, "),
        file=document.path,
        line=document.line_of(keys),
        field=".".join(keys) or None,
    )
