"""Bad files and maps: a message with file, line and field, and nothing half-done; never another exception."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrology.errors import InputError, InputErrors, MetrologyError
from metrology.exchange.account import AccountBook
from metrology.exchange.map import load_map
from metrology.exchange.rows import RowParser
from metrology.exchange.spool import Spool
from metrology.exchange.table import import_results, read_batches, require_taken
from metrology.storage.store import Store
from tests.exchange.conftest import count
from tests.exchange.tables import MAP, STATUSES, TRIALS, column_map, csv_rows, write

SCENARIOS = "scenarios"


def refused(store: Store, tmp_path: Path, rows: str, text: str = TRIALS) -> list[tuple[int, str | None, str]]:
    good = "good,a,0,1" if "status" not in text else "good,a,0,1,completed"
    table = write(tmp_path / "t.csv", rows + good + "\n")
    report = import_results(store, table, column_map(tmp_path, text))
    assert count(store, "trial") == report.account.taken
    return [(line.line, line.field, line.reason) for line in report.account.refused_lines]


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("i1,a,0,NaN", "score", "not a finite number: 'NaN'"),
        ("i1,a,0,-Infinity", "score", "not a finite number: '-Infinity'"),
        ("i1,a,0,1e400", "score", "not a finite number: '1e400'"),
        ("i1,a,0,1.2", "score", "outside the declared range 0..1: '1.2'"),
        ('i1,a,0,"0,5"', "score", "not a number: '0,5'"),
        ("i1,a,0,1_0", "score", "not a number: '1_0'"),
        ("i1,a,-1,1", "trial", "negative: '-1'"),
        ("i1,a,0.5,1", "trial", "not a whole number: '0.5'"),
        ("i1,a,99999999999,1", "trial", "larger than 2147483647: '99999999999'"),
        ("i1,a,,1", "trial", "not a number: ''"),
        (",a,0,1", "item", "no item"),
        ("i1, ,0,1", "agent", "no agent"),
        ("i\0,a,0,1", "item", "contains a NUL character: 'i\\x00'"),
        ("i1,a,0", None, "number of fields differs from the header: 3 instead of 4"),
        ('i1,"a"x,0,1', None, "not readable as CSV: ',' expected after '\"'"),
        ('i1,"a,0,1', None, "not readable as CSV: unexpected end of data"),
    ],
)
def test_a_bad_line_is_refused_by_line_and_field_and_the_rest_is_kept(
    lite: Store, tmp_path: Path, row: str, field: str | None, reason: str
) -> None:
    assert refused(lite, tmp_path, f"item,agent,trial,score\n{row}\n") == [(2, field, reason)]
    assert count(lite, "trial") == 1


def test_an_unclosed_quote_costs_its_own_line_only(lite: Store, tmp_path: Path) -> None:
    rows = "".join(f"i{number},a,0,1\n" for number in range(3000))
    lost = refused(lite, tmp_path, f'item,agent,trial,score\n"oops,a,0,1\n{rows}')
    assert lost == [(2, None, "not readable as CSV: unexpected end of data")]
    assert count(lite, "trial") == 3001


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"", "no header"),
        ("t.csv", b"item,agent,trial,score\n", "no results"),
        ("t.csv", b"item,agent,trial\ni1,a,0\n", "line 1, field score: the file has no such column"),
        ("t.csv", b"item,agent,trial,score,score\ni1,a,0,1,1\n", "stands 2 times"),
        ("t.csv", "item,agent,trial,score\ni1,a,0,1\nì,a,0,1\n".encode("latin-1"), "line 3: not UTF-8"),
        ("t.csv", "item,agent,trial,score\ni1,a,0,1\n".encode("utf-16"), "not UTF-8 but UTF-16"),
        ("t.csv", b"item,agent,trial,score\ni1,a,0,NaN\n,a,0,1\n", "line 2, field score: not a finite number"),
        ("t.csv.gz", gzip.compress(b"item,agent,trial,score\ni1,a,0,1\n" * 99, mtime=0)[:-9], "broken gzip"),
        ("t.csv.gz", b"\x1f\x8b\x08\x00garbage that is no archive", "broken gzip"),
        ("t.jsonl", b'{"item": "i1", "agent": "a", "trial": 0}\n', "field score: the file has no such column"),
        ("t.jsonl", b"[" * 100_000 + b"\n", "nested too deeply"),
        ("t.jsonl", b"\n\n", "no results"),
        ("t.xlsx", b"PK", "the name does not tell the format"),
        ("t.csv", b"item;agent;trial;score\ni1;a;0;1\n", "the file has no such column"),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing(
    lite: Store, tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    before = lite.data_version()
    with pytest.raises(MetrologyError, match=message) as caught:
        import_results(lite, tmp_path / name, column_map(tmp_path))
    assert isinstance(caught.value, InputError | InputErrors)
    assert str(tmp_path / name) in caught.value.message or name in caught.value.message
    assert lite.data_version() == before
    assert count(lite, "benchmark") == 0


def test_a_missing_file_and_a_folder_are_named(lite: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        import_results(lite, tmp_path / "absent.csv", column_map(tmp_path))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="a folder"):
        import_results(lite, tmp_path / "folder.csv", column_map(tmp_path))


@pytest.mark.parametrize(
    ("text", "line", "field", "message"),
    [
        (TRIALS.replace('item = "item"', 'itm = "item"'), 8, "columns.itm", "unknown key"),
        (TRIALS.replace("\nversion", "\nversoin"), 4, "benchmark.versoin", "unknown key"),
        (TRIALS + "[scoring]\n", 12, "scoring", "unknown key"),
        (TRIALS.replace('name = "toy"\n', ""), 2, "benchmark.name", "missing"),
        (MAP, 7, "columns", "map score, passed"),
        (TRIALS.replace("schema_version = 1", "schema_version = 2"), 1, "schema_version", "Input should be 1"),
        (TRIALS + 'status = {column = "s", values = {X = "nope"}}\n', 12, "columns.status", "'nope' is no status"),
        (TRIALS + '[time]\nzone = "Mars/Olympus"\n', 13, "time.zone", "unknown time zone"),
        (TRIALS + "[score]\nscale = [1, 1]\n", 12, "score", "must differ"),
        (TRIALS + '[agent]\nname = "x"\nmodel = {}\n', None, None, "either columns.agent or the table"),
    ],
)
def test_a_wrong_map_names_line_and_field(
    tmp_path: Path, text: str, line: int | None, field: str | None, message: str
) -> None:
    with pytest.raises(InputErrors, match=message) as caught:
        load_map(column_map(tmp_path, text))
    found = {(error.line, error.field) for error in caught.value.errors}
    assert (line, field) in found


def test_a_broken_map_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: broken TOML"):
        load_map(column_map(tmp_path, "schema_version = 1\n= 3\n"))
    with pytest.raises(InputError, match="line 1: not UTF-8"):
        load_map(write(tmp_path / "latin.toml", b"# \xec\n"))


def test_infrastructure_trouble_has_no_score(lite: Store, tmp_path: Path, shared: Path) -> None:
    text = STATUSES.replace(
        'status = "status"',
        'duration_seconds = "wall_s"\nstatus = {column = "status", '
        'values = {verifier_error = "scorer_error", verifier_timeout = "scorer_timeout"}}',
    )
    table = shared / SCENARIOS / "O01_infra_is_not_wrong" / "trials.csv"
    account = import_results(lite, table, column_map(tmp_path, text)).account
    assert (account.lines, account.accepted, account.without_verdict) == (40, 34, 6)
    assert {status: account.statuses[status] for status in ("agent_timeout", "agent_error")} == {
        "agent_timeout": 2,
        "agent_error": 1,
    }
    with lite.read() as connection:
        totals = connection.exec_driver_sql("SELECT sum(n), sum(passed), sum(missing) FROM cell").one()
    assert tuple(totals) == (34, 25, 6)


def test_statuses_and_scores_that_contradict_give_no_verdict(lite: Store, tmp_path: Path) -> None:
    rows = [
        ("i1", "a", 0, 0, "rate_limited"),
        ("i2", "a", 0, "", "completed"),
        ("i3", "a", 0, 1, "exploded"),
        ("i4", "a", 0, "", ""),
        ("i5", "a", 0, 1, ""),
        ("i6", "a", 0, 1, "held"),
        ("i7", "a", 0, "n/a", "Agent_Timeout"),
    ]
    table = write(tmp_path / "t.csv", csv_rows(*rows, header="item,agent,trial,score,status"))
    mapped = column_map(tmp_path, STATUSES + '[missing]\nvalues = ["n/a"]\n')
    account = import_results(lite, table, mapped).account
    assert (account.accepted, account.without_verdict) == (1, 6)
    assert account.unknown_statuses == {"exploded": 1}
    with lite.read() as connection:
        stored = {
            name: (status, score, detail)
            for name, status, score, detail in connection.exec_driver_sql(
                "SELECT item.name, status, score, detail FROM trial JOIN item_revision ON revision_id = "
                "item_revision.id JOIN item ON item_id = item.id"
            )
        }
    assert stored["i1"] == ("rate_limited", None, "source reported score 0")
    assert stored["i2"][:2] == stored["i4"][:2] == stored["i7"][:2] == ("unknown_error", None)
    assert stored["i3"] == ("unknown_error", None, "source status: exploded, score 1")
    assert stored["i5"][:2] == ("completed", 1.0)
    assert stored["i6"][:2] == ("held", 1.0)


def test_a_results_file_as_found_in_the_wild(lite: Store, tmp_path: Path, shared: Path) -> None:
    table = shared / SCENARIOS / "O13_hostile_results_file" / "results.jsonl"
    account = import_results(lite, table, column_map(tmp_path)).account
    assert account.lines == 21
    assert [line.line for line in account.without_verdict_lines] == [5, 6]
    reasons = {line.line: line.reason for line in account.refused_lines}
    assert set(reasons) == {3, 4, 7, 10, 11, 14, 16, 17, 19, 21}
    assert reasons[14].endswith("as line 2")
    assert reasons[16] == "not UTF-8"
    assert [line.line for line in account.ignored_lines] == [12, 13]
    query = "SELECT source_line, score FROM trial WHERE score IS NOT NULL"
    with lite.read() as connection:
        scores = {row[0]: row[1] for row in connection.exec_driver_sql(query)}
    assert scores == {1: 1, 2: 0, 8: 1, 9: 1, 15: 1, 18: 1, 20: 0.5}
    assert import_results(lite, table, column_map(tmp_path)).benchmarks[0].already_imported


def test_times_of_every_kind_are_stored_in_utc_or_refused(lite: Store, tmp_path: Path, shared: Path) -> None:
    lines = (shared / SCENARIOS / "O24_time_stamps_of_every_kind" / "trials.csv").read_text().splitlines()
    table = write(tmp_path / "t.csv", "\n".join([f"agent,score,{lines[0]}", *(f"a,1,{line}" for line in lines[1:])]))
    text = MAP.replace('item = "item"', 'item = "trial"') + 'score = "score"\ndate = "started"\nfinished = "ended"\n'
    account = import_results(lite, table, column_map(tmp_path, text)).account
    assert [(line.line, line.field) for line in account.refused_lines] == [(6, "date")]
    assert any("end before they start" in remark for remark in account.remarks)
    query = (
        "SELECT item.name, started_at, duration_seconds FROM trial "
        "JOIN item_revision ON revision_id = item_revision.id JOIN item ON item_id = item.id"
    )
    with lite.read() as connection:
        found = {name: (str(start)[:19], seconds) for name, start, seconds in connection.exec_driver_sql(query)}
    assert found == {
        "e1": ("2026-05-02 22:00:00", 60),
        "e2": ("2026-05-02 22:02:00", 90),
        "e3": ("2026-05-02 22:04:00", 60),
        "e4": ("2026-05-02 22:05:00", 60),
        "e6": ("2026-05-02 22:10:00", None),
        "e7": ("2026-10-25 00:50:00", 1200),
        "e8": ("None", None),
    }


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz", "t.parquet"])
def test_garbage_gives_an_account_or_an_input_error(tmp_path: Path, name: str) -> None:
    mapped = load_map(column_map(tmp_path, STATUSES + 'date = "when"\nduration_seconds = "s"\ninput_tokens = "n"\n'))
    head = b"item,agent,trial,score,status,when,s,n\n".replace(b",", b"\t" if name == "t.tsv" else b",")
    token = st.sampled_from(
        [b",", b"\t", b"\n", b'"', b"\r", b"\0", b"{", b'"item":', b"1", b"nan", b"-", b"\xff", b" "]
    )
    garbage = st.one_of(st.binary(max_size=200), st.lists(token, max_size=60).map(b"".join))

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(garbage, st.booleans())
    def check(data: bytes, with_head: bool) -> None:
        path = tmp_path / name
        path.write_bytes(head + data if with_head else data)
        book = AccountBook()
        parser = RowParser(mapped, book)
        refusal = None
        with Spool(parser, book) as spool:
            try:
                for batch in read_batches(path, mapped, parser.wanted, book):
                    values = parser.parse(batch)
                    if values is not None:
                        spool.add(values)
                spool.settle()
                require_taken(path, book.close(), strict=False)
            except (InputError, InputErrors) as error:
                refusal = error.message
        account = book.close()
        assert account.lines == account.accepted + account.without_verdict + account.refused + account.ignored
        assert refusal is not None or account.taken == sum(spool.rows.values()) > 0
        assert refusal is None or name in refusal

    check()
