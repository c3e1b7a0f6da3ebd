from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from metrology.domain.status import Status
from metrology.environments import process
from metrology.environments.base import MEBIBYTE, Box, BoxError, Ended, Limit, Limits, build_environment, problems
from metrology.environments.process import FOLDER_PREFIX, ProcessEnvironment
from metrology.errors import InputError
from metrology.testing.environments import check_environment

PYTHON = sys.executable
SLEEPER = "sys.executable, '-c', 'import time; time.sleep(60)'"


def in_box(act: Callable[[Box], Awaitable[object]], limits: Limits | None = None) -> object:
    async def main() -> object:
        async with await ProcessEnvironment().open({"kind": "process"}, limits) as box:
            return await act(box)

    return asyncio.run(main())


def run(program: str, limits: Limits | None = None, *, seconds: float = 120.0, stdin: bytes = b"") -> Ended:
    ended = in_box(lambda box: box.run([PYTHON, "-c", program], time_limit_seconds=seconds, stdin=stdin), limits)
    assert isinstance(ended, Ended)
    return ended


def alive(token: str) -> list[str]:
    """Processes whose command line holds a token."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and token.encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_it_keeps_the_contract() -> None:
    asyncio.run(check_environment(build_environment("process"), {"kind": "process"}))


def test_nothing_of_the_host_is_inherited(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-agents")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    ended = run("import os; print(sorted(os.environ)); print(os.getcwd())")
    assert b"OPENAI_API_KEY" not in ended.stdout
    assert b"PYTHONPATH" not in ended.stdout
    assert b"PATH" in ended.stdout


def test_exit_codes_are_data() -> None:
    assert [run(f"raise SystemExit({code})").exit_code for code in (0, 3, 124, 137)] == [0, 3, 124, 137]
    killed = run("import os; os.kill(os.getpid(), 9)")
    assert (killed.exit_code, killed.signal, killed.timed_out) == (None, 9, False)


def test_a_deadline_ends_it_and_its_children_at_once() -> None:
    token = f"deadline-token-{uuid.uuid4().hex}"
    program = f"import subprocess, sys, time; subprocess.Popen([{SLEEPER}, '{token}']); time.sleep(60)"
    started = time.monotonic()
    ended = run(program, seconds=1.0)
    assert ended.timed_out
    assert ended.exit_code is None
    assert time.monotonic() - started < 30
    assert not alive(token)


def test_the_end_of_the_main_process_is_the_end() -> None:
    # A child holds the pipes open; nobody waits for it.
    token = f"holds-the-pipe-{uuid.uuid4().hex}"
    program = f"import subprocess, sys; subprocess.Popen([{SLEEPER}, '{token}']); print('done')"
    started = time.monotonic()
    ended = run(program)
    assert ended.stdout == b"done\n"
    assert time.monotonic() - started < 30
    assert not alive(token)


@pytest.mark.parametrize(
    "escape",
    [
        "os.setsid()",
        "os.setsid(); os.fork() and os._exit(0)",
        "os.setsid(); os.fork() and os._exit(0); os.chdir('/')",
    ],
)
def test_a_straggler_that_left_the_group_is_killed(escape: str) -> None:
    token = f"straggler-token-{uuid.uuid4().hex}"
    program = f"""
import os, sys, time
if os.fork() == 0:
    {escape}
    os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', '{token}'])
time.sleep(2)
"""
    ended = run(program)
    assert ended.exit_code == 0
    assert ended.stragglers >= 1
    assert not alive(token)


def test_a_straggler_without_environment_is_found_by_its_folder() -> None:
    token = f"{uuid.uuid4().int % 10**12}"
    program = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve('/bin/sleep', ['sleep', '61.{token}'], {{}})
    os._exit(0)
time.sleep(2)
"""
    assert run(program).stragglers == 1
    assert not alive(token)


def test_memory_is_bounded_and_said() -> None:
    limits = Limits(memory_bytes=256 * MEBIBYTE)
    ended = run("data = bytearray(10**9)", limits)
    assert ended.limit is Limit.MEMORY
    assert not ended.succeeded
    filled = run("chunks = []\nwhile True: chunks.append(bytearray(2**20))", limits)
    assert filled.limit is Limit.MEMORY
    caught = run("try:\n data = bytearray(10**9)\nexcept MemoryError:\n print('coped')", limits)
    assert caught.succeeded
    assert caught.limit is None


def test_processor_time_is_bounded_and_said() -> None:
    ended = run("while True: pass", Limits(cpu_seconds=1))
    assert ended.limit is Limit.CPU
    assert ended.measured is not None
    assert ended.measured >= 0.9


def test_the_size_of_a_file_is_bounded() -> None:
    program = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open('big', 'wb').write(b'x' * (4 << 20))"
    assert run(program, Limits(file_bytes=MEBIBYTE)).limit is Limit.FILE_SIZE


def test_endless_output_is_cut_and_said() -> None:
    ended = run("import sys\nwhile True: sys.stdout.write('y' * 100000)", Limits(output_bytes=1000), seconds=1.0)
    assert ended.stdout == b"y" * 1000
    assert ended.truncated
    assert ended.timed_out


def test_large_input_arrives_and_unread_input_blocks_nobody() -> None:
    data = b"x" * 3_000_000
    assert run("import sys; print(len(sys.stdin.buffer.read()))", stdin=data).stdout == b"3000000\n"
    assert run("print('no reader')", stdin=data).stdout == b"no reader\n"


def test_no_core_files() -> None:
    ended = run("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))")
    assert ended.stdout == b"(0, 0)\n"


def test_a_program_that_is_not_there_is_a_matter_of_configuration() -> None:
    with pytest.raises(BoxError) as caught:
        in_box(lambda box: box.run(["no-such-program-here"], time_limit_seconds=1.0))
    assert caught.value.status is Status.CONFIG_ERROR


def test_paths_out_of_the_box_are_refused() -> None:
    for path in ("../evil", "/etc/evil", "a/../../evil", "", "a\\b", "c:evil"):
        with pytest.raises(InputError):
            in_box(lambda box, path=path: box.put({path: b"x"}))


@pytest.mark.parametrize(
    "mess",
    [
        "os.makedirs('a/b'); os.chmod('a/b', 0); os.chmod('a', 0)",
        "[(os.mkdir('d'), os.chdir('d')) for _ in range(1200)]",
        "os.symlink('/', 'root'); os.mkfifo('pipe')",
        "open(b'\\xff\\xfe', 'w')",
    ],
)
def test_nothing_is_left_on_the_host_whatever_the_agent_made(mess: str) -> None:
    kept: list[Path] = []

    async def act(box: Box) -> None:
        kept.append(Path(box.inside()).parent)
        ended = await box.run([PYTHON, "-c", f"import os; {mess}"], time_limit_seconds=120.0)
        assert ended.exit_code == 0, ended.stderr

    in_box(act)
    assert not kept[0].exists()
    assert Path("/etc/hostname").exists()


def test_boxes_of_a_killed_owner_are_cleared(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    token = f"orphan-token-{uuid.uuid4().hex}"
    dead = subprocess.Popen([PYTHON, "-c", "pass"])
    dead.wait()
    left = tmp_path / f"{FOLDER_PREFIX}{dead.pid}-12345-abc"
    (left / "0" / "work").mkdir(parents=True)
    orphan = subprocess.Popen(
        [PYTHON, "-c", "import time; time.sleep(60)", token],
        cwd="/",
        env={"METROLOGY_BOX": str(left / "0")},
        start_new_session=True,
    )
    mine = tmp_path / f"{FOLDER_PREFIX}{os.getpid()}-{process._start_time(os.getpid())}-xyz"
    mine.mkdir()
    deadline = time.monotonic() + 10
    while not alive(token) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.clear_left_behind() == 1
    assert orphan.wait(timeout=10) == -9
    assert not left.exists()
    assert mine.exists()


def test_a_cancelled_run_leaves_nothing() -> None:
    token = f"cancelled-token-{uuid.uuid4().hex}"

    async def main() -> None:
        async with await ProcessEnvironment().open({}) as box:
            task = asyncio.create_task(
                box.run([PYTHON, "-c", "import time; time.sleep(60)", token], time_limit_seconds=60.0)
            )
            while not alive(token):
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert not alive(token)


def test_boxes_run_side_by_side() -> None:
    async def main() -> list[Ended]:
        environment = ProcessEnvironment()

        async def one(number: int) -> Ended:
            async with await environment.open({}) as box:
                await box.put({"n.txt": str(number).encode()})
                return await box.run([PYTHON, "-c", "print(open('n.txt').read())"], time_limit_seconds=60.0)

        return await asyncio.gather(*(one(number) for number in range(8)))

    assert [ended.stdout.strip() for ended in asyncio.run(main())] == [str(n).encode() for n in range(8)]


def test_a_wrong_table_is_told_at_registration() -> None:
    assert [problem.field for problem in problems({"kind": "proces"})] == ["kind"]
    assert [problem.field for problem in problems({"kind": "process", "memory": 1})] == ["memory"]
    assert problems({}) == ()
