"""``jokejudge mcp`` as an agent's program meets it: messages on standard input, answers on standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from .conftest import Run

pytest.importorskip("mcp", reason="the extra agents isn't installed: python3 packaging/run.py --agents")

JOKE = "I told my plants a joke. They were rooting for me."
PROGRAM = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts jobs in the background without it
from jokejudge_gui.cli import mcp
from jokejudge_gui.cli.main import main

def slow(judge, tool, given, on_progress):
    given = mcp._checked(tool, given)
    if given.get("text") == "wait":
        print("and so does Python")
        for step in range(600):
            on_progress(step, 600, "waiting")  # raises where the call is cancelled
            time.sleep(0.1)
    if given.get("text") == "fail":
        raise ZeroDivisionError("the horse joke")
    return {"text": given.get("text")}, "A sentence."

mcp.answer = slow
sys.exit(main())
"""


MISTAKES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("rate_joke", {}, "“text” is missing"),
    ("rate_joke", {"text": "x", "words": 1}, "no argument “words”"),
    ("rate_joke", {"text": 5}, "“text” should be a valid string"),
    ("rank_jokes", {"texts": ["x" * 9000, 5]}, "“texts”, number 2 should be a valid string"),
    ("rank_jokes", {"texts": ["x"], "keep": 0}, "“top” should be greater than or equal to 1"),
)


class Client:
    """A client of a server in a process of its own. ``slow``: its judge answers as the texts say."""

    def __init__(self, folder: Path, *, slow: bool = False) -> None:
        start = ["-c", PROGRAM] if slow else ["-m", "jokejudge_gui"]
        self.process = subprocess.Popen(
            [sys.executable, *start, "mcp", "--data-dir", str(folder), "--no-history"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        self._last = 0
        told = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.told = self.ask("initialize", told)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def raw(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._last += 1
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}})
        return self._last

    def next(self) -> dict[str, Any]:
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        id = self.request(method, params)
        while (message := self.next()).get("id") != id:
            pass
        return message

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        return dict(self.ask("tools/call", {"name": tool, "arguments": given})["result"])

    def start(self, text: str, **meta: Any) -> int:
        return self.request("tools/call", {"name": "rate_joke", "arguments": {"text": text}, "_meta": meta})

    def cancel(self, id: int) -> None:
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})

    def ended(self) -> tuple[int, bytes, bytes]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Client]:
    with Client(tmp_path, slow=True) as client:
        yield client


def test_an_agent_is_told_what_it_can_ask_and_how_far_to_trust_it(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        assert client.told["serverInfo"]["name"] == "jokejudge"
        assert "how_far_to_trust first" in client.told["instructions"]
        tools = client.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == [
            "rate_joke", "compare_jokes", "rank_jokes", "workshop_drafts", "make_set",
                "how_far_to_trust",
        ]  # fmt: skip
        assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
        assert not any(tool["inputSchema"]["additionalProperties"] for tool in tools)
        wrong = client.call("rate_joke", text=" ")
        assert wrong["isError"] is True
        assert wrong["structuredContent"]["error"]["code"] == "E_INPUT_EMPTY"
        for tool, given, said in MISTAKES:
            refused = client.call(tool, **given)
            assert refused["isError"] is True
            assert said in refused["content"][0]["text"]
            assert len(refused["content"][0]["text"]) < 300
        assert "headline" in client.call("how_far_to_trust")["structuredContent"]
        client.process.stdin.close()
        client.process.stdin = None
        assert client.ended()[:2] == (0, b"")
        assert not (tmp_path / "history.sqlite3").exists()


def test_a_fault_is_of_its_call_alone(slow: Client) -> None:
    failed = slow.call("rate_joke", text="fail")
    assert failed["structuredContent"]["error"]["code"] == "E_INTERNAL"
    assert "horse" not in json.dumps(failed)
    assert slow.call("rate_joke", text=JOKE)["structuredContent"] == {"text": JOKE}


def test_a_running_call_tells_its_progress_and_ends_when_cancelled(slow: Client) -> None:
    running = slow.start("wait", progressToken="mine")
    first = slow.next()
    assert (first["method"], first["params"]["progressToken"]) == ("notifications/progress", "mine")
    waiting, dropped = slow.start(JOKE), slow.start("never")
    slow.cancel(dropped)
    slow.cancel(running)
    while "id" not in (message := slow.next()):
        assert message["params"]["progress"] > first["params"]["progress"]
    assert (message["id"], message["result"]["structuredContent"]) == (waiting, {"text": JOKE})
    assert slow.ask("ping")["result"] == {}


def test_too_many_calls_are_refused(slow: Client) -> None:
    ids = [slow.start("wait") for _ in range(65)]
    assert slow.next()["error"]["code"] == -32000
    for id in ids:
        slow.cancel(id)
    assert slow.call("rate_joke", text=JOKE)["structuredContent"] == {"text": JOKE}


def test_the_end_of_the_input_stops_what_runs_and_nothing_but_the_protocol_was_on_standard_output(slow: Client) -> None:
    slow.start("wait", progressToken=1)
    slow.next()
    status, out, err = slow.ended()
    assert status == 0
    assert all("jsonrpc" in json.loads(line) for line in out.splitlines())
    assert b"and so does Python" in err


def test_without_the_library_the_next_step_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    found = run("mcp", "--json", stdin=b"{}")
    assert (found.status, found.object["error"]["code"]) == (1, "E_AGENTS")
    assert "--agents" in found.err
