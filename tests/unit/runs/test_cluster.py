"""A batch over a cluster of two real processes; the engine in them is a fake one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., "subprocess.CompletedProcess[str]"]
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="Dask isn't installed: python3 packaging/run.py --setup-only --cluster"
)


@pytest.fixture
def arguments(tmp_path: Path) -> Callable[..., list[str]]:
    def made(*more: str) -> list[str]:
        profile = ["--data-dir", str(tmp_path / "profile"), "--quiet"]
        return [sys.executable, "-m", "tests.cluster_program", "rate", "--anyway", *profile, *more]

    return made


@pytest.fixture
def program(arguments: Callable[..., list[str]]) -> Program:
    def call(*more: str, **environment: str) -> subprocess.CompletedProcess[str]:
        given = {**os.environ, "JOKEJUDGE_TESTS_LOOPBACK": "1", **environment}
        return subprocess.run(arguments(*more), capture_output=True, text=True, timeout=900, check=False, env=given)

    return call


def table(path: Path, *texts: str) -> Path:
    path.write_text("id,text\n" + "".join(f"r{n},{text}\n" for n, text in enumerate(texts)), encoding="utf-8")
    return path


def lines(path: Path) -> dict[str, dict[str, Any]]:
    """The lines by their ids, without what a verdict cost."""
    head, *told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert head["run"] == "rate"
    assert len({line["id"] for line in told}) == len(told)
    return {line["id"]: {**line, "usage": None} for line in told}


JOKES = tuple(f"A horse of {n} words walks into a bar." for n in range(12))


@needs_dask
def test_two_workers_write_the_lines_that_one_process_writes_and_go_on(program: Program, tmp_path: Path) -> None:
    rows = table(tmp_path / "jokes.csv", *JOKES, "")
    alone = program("--batch", str(rows), "--out", str(tmp_path / "one.jsonl"), "--no-history")
    assert alone.returncode == 0, alone.stderr
    # A part of it is done already, as after an interruption.
    whole = (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "two.jsonl").write_text("".join(whole[:5]), encoding="utf-8")
    both = program("--batch", str(rows), "--out", str(tmp_path / "two.jsonl"), "--cluster", "local:2", "--json")
    assert both.returncode == 0, both.stderr
    assert json.loads(both.stdout) | {"out": ""} == {
        "rows": 13, "judged": 8, "skipped": 4, "errors": 1, "out": "", "error": None
    }  # fmt: skip
    assert lines(tmp_path / "two.jsonl") == lines(tmp_path / "one.jsonl")
    assert (tmp_path / "two.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:5] == whole[:5]
    assert not (tmp_path / "profile" / "history.sqlite3").exists()


@needs_dask
def test_a_worker_s_death_costs_its_row_and_never_the_run(program: Program, tmp_path: Path) -> None:
    rows = table(tmp_path / "jokes.csv", *JOKES[:5], "kill every process", *JOKES[5:], "kill one process")
    done = program("--batch", str(rows), "--out", str(tmp_path / "out.jsonl"), "--cluster", "local:2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["errors"] == 1
    found = lines(tmp_path / "out.jsonl")
    assert len(found) == 14
    assert {id for id, line in found.items() if line["error"]} == {"r5"}
    assert found["r5"]["error"]["code"] == "E_CLUSTER_WORKER"
    assert found["r13"]["error"] is None  # judged by the next one


@needs_dask
def test_ctrl_c_stops_it_with_whole_lines_and_it_goes_on(
    program: Program, arguments: Callable[..., list[str]], tmp_path: Path
) -> None:
    rows, out = table(tmp_path / "jokes.csv", *(f"Joke {n} of a horse." for n in range(3000))), tmp_path / "out.jsonl"
    command = arguments("--batch", str(rows), "--out", str(out), "--cluster", "local:2")
    environment = {**os.environ, "JOKEJUDGE_TESTS_LOOPBACK": "1"}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while process.poll() is None and not (out.exists() and out.stat().st_size > 9000):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
        assert process.wait(timeout=600) == 130
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    found = lines(out)
    assert 0 < len(found) < 3000
    few = table(tmp_path / "few.csv", *(f"Joke {n} of a horse." for n in range(len(found) + 3)))
    assert program("--batch", str(few), "--out", str(out), "--cluster", "local:2").returncode == 0
    assert len(lines(out)) >= len(found) + 3


@needs_dask
def test_a_cluster_that_is_not_there_is_a_sentence(program: Program, tmp_path: Path) -> None:
    rows = table(tmp_path / "jokes.csv", *JOKES)
    nobody = ("--cluster", "tcp://127.0.0.1:9", "--json")
    done = program("--batch", str(rows), "--out", str(tmp_path / "o"), *nobody, JOKEJUDGE_TESTS_WAIT="4")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "E_CLUSTER_CONNECT"


_NO_WORKERS = """
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        input()
"""


@needs_dask
def test_a_cluster_without_workers_is_a_sentence(program: Program, tmp_path: Path) -> None:
    rows, script = table(tmp_path / "jokes.csv", *JOKES), tmp_path / "scheduler.py"
    script.write_text(_NO_WORKERS, encoding="utf-8")
    command = [sys.executable, str(script)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": os.environ | {"JOKEJUDGE_TESTS_LOOPBACK": "1"}}
    with subprocess.Popen(command, text=True, **pipes) as scheduler:  # type: ignore[call-overload]
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        given = ("--batch", str(rows), "--out", str(tmp_path / "o"), "--cluster", address, "--json")
        done = program(*given, JOKEJUDGE_TESTS_WAIT="4")
        scheduler.kill()
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (1, "E_CLUSTER_WORKERS"), done.stderr


_STRANGER = """
import urllib.request, urllib.error
from distributed import Client
from jokejudge_gui.batch.cluster import connected

if __name__ == "__main__":
    with connected("local:1") as client:
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:"), address
        assert client.submit(sum, [1, 2]).result(timeout=60) == 3
        for scheme in ("tcp", "tls"):
            try:
                Client(address.replace("tls:", scheme + ":"), timeout="3s")
            except Exception as error:
                print(scheme, "refused", type(error).__name__)
        port = client.scheduler_info()["services"].get("dashboard")
        for path in ("status", "info/main/workers.html", "json/counts.json", "metrics") if port else ():
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5)
                print("served", path)
            except urllib.error.HTTPError:
                pass
"""


@needs_dask
def test_nobody_without_its_keys_joins_a_cluster_of_this_machine(tmp_path: Path) -> None:
    program = tmp_path / "stranger.py"
    program.write_text(_STRANGER, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "JOKEJUDGE_TESTS_LOOPBACK": "1"},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert [line.split()[:2] for line in found.stdout.splitlines()] == [["tcp", "refused"], ["tls", "refused"]]
