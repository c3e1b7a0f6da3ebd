"""A built wheel, used away from the checkout, shows the whole mission and serves the dashboard."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = "import sys; from metrology.cli.main import run; run(sys.argv[1:])"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel unpacked by pip, without a trace of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    return target


def _environment(installed: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("METROLOGY_")}
    return {**kept, "PYTHONPATH": str(installed), **more}


def test_the_wheel_carries_all_that_it_needs(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import metrology; print(metrology.__file__)"],
        env=_environment(installed),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(installed)
    shipped = installed / "metrology" / "_shipped"
    assert (shipped / "migrations" / "versions").is_dir()
    for name in ("app.py", "icon.svg", ".streamlit/config.toml"):
        assert (shipped / "dashboards" / name).is_file()
    assert (shipped / "benchmarks" / "gauge" / "benchmark.toml").is_file()
    assert (shipped / "benchmarks" / "records" / "gauge-smollm2" / "campaign.json").is_file()


def test_demo_and_dashboard_run_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    demo = subprocess.run(
        [sys.executable, "-c", RUN, "demo", "--directory", "there", "--trials", "1", "--nights", "3"],
        env=_environment(installed),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert demo.returncode == 0, demo.stderr
    for words in ("coverage:", "Campaign by campaign", "metrology dashboard --db", "simulated"):
        assert words.lower() in demo.stdout.lower()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", RUN, "dashboard", "--port", str(port), "--db", "there/metrology.db"],
        env=_environment(installed),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert _answer(f"http://127.0.0.1:{port}/_stcore/health", server) == "ok"
    finally:
        os.killpg(server.pid, 15)
        server.communicate(timeout=20)


def _answer(address: str, server: subprocess.Popen[bytes]) -> str:
    for _ in range(120):
        assert server.poll() is None, "the dashboard ended"
        try:
            with urllib.request.urlopen(address, timeout=5) as reply:
                return str(reply.read().decode())
        except urllib.error.URLError:
            time.sleep(0.5)
    pytest.fail("the dashboard did not answer within a minute")
