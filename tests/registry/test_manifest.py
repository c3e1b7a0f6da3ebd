from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from metrology.errors import InputError, InputErrors
from metrology.identity import bytes_digest
from metrology.registry.manifest import Loaded, load_benchmark
from tests.registry.benchmark_folder import MANIFEST, record, write_benchmark, write_item


def errors(folder: Path) -> list[InputError]:
    with pytest.raises((InputErrors, InputError)) as caught:
        load_benchmark(folder)
    found = list(caught.value.errors) if isinstance(caught.value, InputErrors) else [caught.value]
    assert all(error.file for error in found), "every complaint names its file"
    return found


def only(folder: Path) -> InputError:
    (error,) = errors(folder)
    return error


def identity(loaded: Loaded) -> str:
    return loaded.version.identity


def test_the_shipped_gauge_is_right() -> None:
    loaded = load_benchmark(Path(__file__).parents[2] / "benchmarks" / "gauge")
    assert len(loaded.version.items) >= 100
    assert len({item.family for item in loaded.version.items}) >= 10
    assert loaded.warnings == ()
    digests = {digest for item in loaded.version.items for role in item.files.values() for digest in role.values()}
    assert digests == set(loaded.blobs)


def test_one_item_in_three_spellings_is_one_item(tmp_path) -> None:
    table = record("t", environment={"kind": "process", "files": {"in.txt": "x\n"}}, tags=["b", "a"], human_minutes=2)
    lines = load_benchmark(write_benchmark(tmp_path / "a", table))
    pretty = json.dumps(dict(reversed(table.items())), indent=4, ensure_ascii=False)
    alone = write_benchmark(tmp_path / "b")
    (alone / "items" / "t.json").write_text(pretty)
    folder = write_benchmark(tmp_path / "c")
    toml = 'tags = ["a", "b"]\nhuman_minutes = 2.0\n[scorer]\nexpected = ["t"]\nkind = "exact"\n'
    write_item(folder, "t", toml, instruction_dot_md="Say t.", reference__answer_dot_txt="t", files__in_dot_txt="x\n")
    os.utime(folder / "items" / "t" / "instruction.md", (0, 0))
    assert identity(lines) == identity(load_benchmark(alone)) == identity(load_benchmark(folder))
    assert lines.blobs == {bytes_digest(b"x\n"): b"x\n"}


def test_files_of_each_role_are_kept_by_digest(tmp_path) -> None:
    root = write_benchmark(tmp_path)
    toml = 'artifacts = ["out/a.txt"]\n[scorer]\nkind = "command"\ncommand = ["{python}", "grade.py"]\n'
    write_item(
        root, "t", toml,
        files__data__in_dot_csv="1,2", scorer__grade_dot_py="pass", reference__out__a_dot_txt=b"\xff\x00",
    )  # fmt: skip
    (item,) = load_benchmark(root).version.items
    assert {role: tuple(paths) for role, paths in item.files.items()} == {
        "environment": ("data/in.csv",),
        "scorer": ("grade.py",),
        "reference": ("out/a.txt",),
    }
    assert item.reference == {"answer": "word\n"}
    assert load_benchmark(root).blobs[item.files["reference"]["out/a.txt"]] == b"\xff\x00"


def test_scorer_defaults_lie_below_items_of_the_same_kind(tmp_path) -> None:
    more = '[scorer]\nkind = "exact"\nfold = ["case"]\ntake = "last_line"\n'
    root = write_benchmark(
        tmp_path,
        record("a", scorer={"expected": ["a"]}),
        record("b", scorer={"kind": "exact", "expected": ["b"], "take": "all"}),
        record("c", scorer={"kind": "numeric", "expected": 1}),
        more=more,
    )
    scorers = {item.name: item.scorer for item in load_benchmark(root).version.items}
    assert scorers["a"] == {"kind": "exact", "fold": ["case"], "take": "last_line", "expected": ["a"]}
    assert scorers["b"]["take"] == "all"
    assert scorers["c"] == {"kind": "numeric", "expected": 1}


def test_line_ends_count_unless_the_file_is_declared_as_text(tmp_path) -> None:
    unix, dos = tmp_path / "unix", tmp_path / "dos"
    for root, more in ((unix, ""), (dos, "")):
        write_benchmark(root, more=more)
    write_item(unix, "t", instruction_dot_md="a\nb\n")
    write_item(dos, "t", instruction_dot_md="a\r\nb\r\n")
    assert identity(load_benchmark(unix)) != identity(load_benchmark(dos))
    for root in (unix, dos):
        write_benchmark(root, more='text = ["*.md"]')
    assert identity(load_benchmark(unix)) == identity(load_benchmark(dos))
    assert load_benchmark(unix).warnings == ()
    (warning,) = load_benchmark(dos).warnings
    assert "items/t/instruction.md" in warning
    assert "bytes differ, text equal after newline normalisation" in warning


@pytest.mark.parametrize("image", ["bench:latest", "bench", "reg.example/bench:1.3", "bench@sha256:123"])
def test_a_moving_image_is_a_warning_kept_with_the_version(tmp_path, image: str) -> None:
    loaded = load_benchmark(write_benchmark(tmp_path, record(environment={"image": image})))
    assert any("moving tag" in warning for warning in loaded.version.warnings)


def test_a_pinned_image_does_not_move(tmp_path) -> None:
    image = f"bench@sha256:{'1' * 64}"
    loaded = load_benchmark(write_benchmark(tmp_path, record(environment={"image": image})))
    assert not any("moving" in warning for warning in loaded.warnings)


@pytest.mark.parametrize(
    ("changes", "field", "word"),
    [
        ({"instruction": None}, "instruction", "no instruction"),
        ({"instruction": "  "}, "instruction", "no instruction"),
        ({"instruction": 7}, "instruction", "string"),
        ({"scorer": None}, "scorer", "no scorer"),
        ({"scorer": {}}, "scorer.kind", "missing"),
        ({"scorer": {"kind": "magic"}}, "scorer.kind", "no scorer is called 'magic'"),
        ({"scorer": {"kind": "exact"}}, "scorer.expected", "missing"),
        ({"scorer": {"kind": "exact", "expected": ["x"], "fuzzy": True}}, "scorer.fuzzy", "unknown key"),
        ({"reference": None}, "reference", "no reference solution"),
        ({"reference": {}}, "reference", "no reference solution"),
        ({"reference": {"answer": " "}}, "reference", "no reference solution"),
        ({"reference": {"answer": "x", "note": "y"}}, "reference.note", "unknown key"),
        ({"environment": {"kind": "moon"}}, "environment.kind", "no environment"),
        ({"environment": {"gpu": 1}}, "environment.gpu", "unknown key"),
        ({"environment": {"files": {"../x": "y"}}}, "environment.files", "leaves its folder"),
        ({"environment": {"files": {"/x": "y"}}}, "environment.files", "absolute"),
        ({"environment": {"files": {"x": 7}}}, "environment.files.x", "text"),
        ({"environment": {"files": ["x"]}}, "environment.files", "table"),
        ({"artifacts": ["../out"]}, "artifacts.0", "leaves its folder"),
        ({"human_minutes": -1}, "human_minutes", "greater than 0"),
        ({"visibility": "secret"}, "visibility", "public"),
        ({"difficulty": 3}, "difficulty", "unknown key"),
        ({"tags": "a"}, "tags", "list"),
        ({"name": "../evil"}, "name", "not safe"),
        ({"name": "a\tb"}, "name", "cannot be printed"),
        ({"name": "x" * 201}, "name", "longer"),
        ({"name": 7}, "name", "must be text"),
    ],
)
def test_a_fault_of_an_item_names_file_line_and_field(tmp_path, changes, field: str, word: str) -> None:
    error = only(write_benchmark(tmp_path, record("fine"), record(**{"name": "t-02", **changes})))
    assert (error.line, error.field) == (2, field)
    assert word in error.message
    assert error.file is not None
    assert error.file.endswith("items/all.jsonl")
    assert error.hint


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"name": "a"', "broken JSON"),
        ('["a"]', "an object is expected"),
        ('{"name": "a", "human_minutes": NaN}', "NaN"),
        ('{"name": "a", "human_minutes": 1e999}', "finite"),
        ('{"name": "a", "human_minutes": 9007199254740993}', "2^53"),
        ('{"name": "a", "name": "b"}', "twice"),
        ('{"name": "a", "source": "\\u0000"}', "NUL"),
        ('{"name": "a", "source": "\\ud800"}', "surrogate"),
        ('{"name": "a", "human_minutes": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_line_is_named(tmp_path, line: str, word: str) -> None:
    error = only(write_benchmark(tmp_path, record("fine"), line))
    assert error.line == 2
    assert word in error.message


def test_a_key_that_occurs_twice_is_shown_where_it_occurs_again(tmp_path) -> None:
    root = write_benchmark(tmp_path)
    (root / "items" / "t.json").write_text('{\n "name": "t",\n "source": "a",\n "source": "b"\n}')
    error = only(root)
    assert (error.line, error.field) == (4, "source")


def test_all_faults_come_at_once(tmp_path) -> None:
    root = write_benchmark(tmp_path, record("a", scorer=None), "{", record("b", reference=None, instruction=None))
    (root / "items" / "c").mkdir()
    (root / "items" / "d.csv").write_text("x")
    found = errors(root)
    assert len(found) == 6
    assert sorted(Path(str(error.file)).name for error in found) == ["all.jsonl"] * 4 + ["d.csv", "item.toml"]


@pytest.mark.parametrize(
    ("before", "after", "field", "word"),
    [
        ("schema_version = 1\n", "", "schema_version", "missing"),
        ("schema_version = 1", "schema_version = 2", "schema_version", "1"),
        ('version = "1.0.0"', 'version = "1.0"', "version", "semantic"),
        ('version = "1.0.0"', "version = 1.0", "version", "string"),
        ('purpose = "evaluation"', 'purpose = "fun"', "purpose", "training"),
        ('owner = "testers"', 'owner = " "', "owner", "empty"),
        ('owner = "testers"', 'owner = "testers"\nauthor = "x"', "author", "unknown key"),
        ('name = "small"', 'name = "a/b"', "name", "no /"),
        ('name = "small"', 'name = ""', "name", "empty"),
        ('construct = "Whether', 'construct_statement = "Whether', "construct", "missing"),
    ],
)
def test_a_fault_of_the_manifest_names_line_and_field(tmp_path, before, after, field: str, word: str) -> None:
    root = write_benchmark(tmp_path, record())
    text = MANIFEST.format(name="small", version="1.0.0", more="")
    assert before in text
    (root / "benchmark.toml").write_text(text.replace(before, after))
    found = {error.field: error for error in errors(root)}
    assert word in found[field].message
    if after and "missing" not in word:
        expected = next(
            n for n, line in enumerate(text.replace(before, after).split("\n"), 1) if line.startswith(field)
        )
        assert found[field].line == expected


def test_broken_toml_names_the_line(tmp_path) -> None:
    root = write_benchmark(tmp_path, record())
    (root / "benchmark.toml").write_text('name = "a"\nversion = = 1\n')
    assert only(root).line == 2
    (root / "benchmark.toml").write_text('name = "a"\nlimit = nan\n')
    assert only(root).line == 2
    (root / "benchmark.toml").write_text("name = 'a'\nday = 2024-01-01\n")
    assert "quotation marks" in only(root).message


def test_text_that_is_not_utf8_names_the_line(tmp_path) -> None:
    root = write_benchmark(tmp_path, record("a"))
    (root / "items" / "all.jsonl").write_bytes(json.dumps(record("a")).encode() + b'\n{"name": "caf\xe9"}\n')
    error = only(root)
    assert error.line == 2
    assert "UTF-8" in error.message
    write_benchmark(root, record("a"))
    write_item(root, "t", instruction_dot_md=b"one\ntwo \xff\n")
    assert only(root).line == 2


def test_a_byte_order_mark_does_no_harm(tmp_path) -> None:
    plain = load_benchmark(write_benchmark(tmp_path, record()))
    for file in (tmp_path / "benchmark.toml", tmp_path / "items" / "all.jsonl"):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert identity(load_benchmark(tmp_path)) == identity(plain)


@pytest.mark.parametrize("place", ["files/link", "scorer/link", "reference/link", "files/deep/link"])
@pytest.mark.parametrize("target", ["/etc/hostname", "/etc", "nowhere"])
def test_links_in_an_item_are_refused(tmp_path, place: str, target: str) -> None:
    root = write_benchmark(tmp_path)
    link = write_item(root, "t") / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    error = only(root)
    assert "symbolic link" in error.message
    assert str(error.file).endswith(place)


def test_a_linked_role_folder_instruction_or_item_is_refused(tmp_path) -> None:
    root = write_benchmark(tmp_path / "b")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("x")
    item = write_item(root, "t")
    (item / "files").symlink_to(outside, target_is_directory=True)
    (item / "instruction.md").unlink()
    (item / "instruction.md").symlink_to(outside / "x.txt")
    (root / "items" / "linked").symlink_to(item, target_is_directory=True)
    messages = [error.message for error in errors(root)]
    assert sum("symbolic link" in message for message in messages) == 3


def test_a_pipe_is_not_waited_for(tmp_path) -> None:
    root = write_benchmark(tmp_path)
    folder = write_item(root, "t")
    (folder / "files").mkdir()
    os.mkfifo(folder / "files" / "pipe")
    assert "no regular file" in only(root).message


def test_the_same_thing_said_twice_is_refused(tmp_path) -> None:
    root = write_benchmark(tmp_path)
    toml = 'instruction = "x"\n[reference]\nanswer = "y"\n[environment.files]\n"a.txt" = "1"\n'
    write_item(root, "t", f'{toml}[scorer]\nkind = "exact"\nexpected = ["word"]\n', files__a_dot_txt="2")
    assert {error.field for error in errors(root)} >= {"instruction", "reference.answer", "environment.files"}


def test_an_empty_benchmark_and_a_missing_folder_are_told(tmp_path) -> None:
    assert "no items" in only(write_benchmark(tmp_path / "a", "")).message
    with pytest.raises(InputError, match="no such folder"):
        load_benchmark(tmp_path / "nowhere")
    (tmp_path / "b").mkdir()
    assert only(tmp_path / "b").file.endswith("benchmark.toml")
