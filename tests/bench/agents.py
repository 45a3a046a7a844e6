"""The official client against the server: python -m tests.bench.agents --client PYTHON [--calls 1000].

PYTHON has the package ``mcp`` installed (in an environment of its own: it isn't a part of this one). It
opens ``jokejudge mcp`` with the model in use, lists the tools, calls each, cancels a list, sends bad input, and rates
``--calls`` jokes in a row; the answers are compared with the terminal's. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLIENT = r'''
import asyncio, glob, json, os, sys, time
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

jokes, calls = json.load(sys.stdin), int(sys.argv[1])

def memory():
    """Resident and anonymous MB of the server, which is the client's one child."""
    (children,) = [open(name).read().split() for name in glob.glob("/proc/self/task/*/children") if open(name).read()]
    pid = int(children[0])
    found = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    return [round(int(found[name].split()[0]) / 1024, 1) for name in ("VmRSS", "RssAnon")]

async def speak():
    said = {}
    server = StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])
    began = time.monotonic()
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        opened = await session.initialize()
        said["opened"] = [getattr(opened, "protocolVersion", None) or getattr(opened, "protocol_version", None),
                          round(time.monotonic() - began, 2)]
        said["tools"] = [tool.name for tool in (await session.list_tools()).tools]

        async def call(name, **given):
            found = await session.call_tool(name, given)
            structured = getattr(found, "structuredContent", None) or getattr(found, "structured_content", None)
            return structured, found.content[0].text

        said["rate"] = await call("rate_joke", text=jokes[0], context="A bank.")
        said["duel"] = await call("compare_jokes", text_a=jokes[0], text_b=jokes[1])
        said["contest"] = await call("rank_jokes", texts=jokes[:6], topic="money")
        said["workshop"] = await call("workshop_drafts", texts=jokes[:2])
        said["trust"] = await call("how_far_to_trust")
        said["bad"] = []
        for name, given in (("rate_joke", {}), ("rate_joke", {"text": " "}), ("rate_joke", {"text": 5}),
                            ("rate_joke", {"text": "x" * 30000}), ("rank_jokes", {"texts": []}), ("fly", {})):
            try:
                found = await session.call_tool(name, given)
                said["bad"].append([name, found.content[0].text])
            except Exception as error:
                said["bad"].append([name, f"{type(error).__name__}: {error}"])
        many = [f"{joke} Number {number}." for number in range(60) for joke in jokes][:400]
        seen = []
        async def progress(done, total, message):
            seen.append([done, total])
        began = time.monotonic()
        task = asyncio.create_task(session.call_tool("rank_jokes", {"texts": many}, progress_callback=progress))
        while not seen and time.monotonic() - began < 300:
            await asyncio.sleep(0.1)
        task.cancel()
        cancelled = time.monotonic()
        try:
            await task
        except asyncio.CancelledError:
            pass
        after = await call("rate_joke", text=jokes[1])
        said["cancel"] = {"progress": seen[-1:], "of": len(many), "answered_s": round(time.monotonic() - cancelled, 2),
                          "next": after[0]["text"] == jokes[1]}
        said["memory"] = [[0, *memory()]]
        began = time.monotonic()
        for number in range(1, calls + 1):
            found, _ = await call("rate_joke", text=f"{jokes[number % len(jokes)]} Number {number}.")
            assert found["error"] is None
            if number in (1, 10, 100) or number % 250 == 0 or number == calls:
                said["memory"].append([number, *memory()])
                print(number, *memory(), file=sys.stderr, flush=True)
        said["seconds_a_call"] = round((time.monotonic() - began) / max(1, calls), 3)
    print(json.dumps(said))

asyncio.run(speak())
'''
JOKES = [line.split("\t")[-1] for line in (Path(__file__).parent / "forty_puns.txt").read_text("utf-8").splitlines()]
MADE = ("id", "usage", "verdict", "rating", "seen")
"""Fields that differ between two verdicts of one text: ids of their own and of the ratings that they hold, their usage,
and whether the history had the text before."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.agents", description=__doc__)
    parser.add_argument("--client", default=sys.executable)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--threads", default="0")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, "-m", "jokejudge_gui", "--data-dir", folder, "--threads", options.threads]
        command = [options.client, "-c", CLIENT, str(options.calls), *program, "mcp"]
        asked = subprocess.run(command, input=json.dumps(JOKES).encode(), stdout=subprocess.PIPE, check=True)
        said: dict[str, Any] = json.loads(asked.stdout)
        jokes = Path(folder) / "jokes.txt"
        jokes.write_text("\n".join(JOKES[:6]), encoding="utf-8")
        terminal = {
            "rate": ["rate", JOKES[0], "--context", "A bank."],
            "duel": ["duel", *JOKES[:2]],
            "contest": ["contest", str(jokes), "--topic", "money"],
            "workshop": ["workshop", *JOKES[:2]],
            "trust": ["models", "trust"],
        }
        told = {name: _object([*program, "--json", *call]) for name, call in terminal.items()}
    print(f"initialize: protocol {said['opened'][0]} in {said['opened'][1]} s; tools: {', '.join(said['tools'])}")
    for name, (found, sentence) in ((name, said[name]) for name in terminal):
        differ = list(_differing(found, told[name]))
        how = f"NOT EQUAL in {', '.join(differ[:8])} to" if differ else "equal to"
        print(f"{name}: {how} the terminal's. {sentence}")
    for name, sentence in said["bad"]:
        print(f"bad input to {name}: {sentence}")
    cancel = said["cancel"]
    print(
        f"a list of {cancel['of']} cancelled at {cancel['progress']}: the next call was answered in "
        f"{cancel['answered_s']} s, {'rightly' if cancel['next'] else 'WRONGLY'}"
    )
    for number, resident, own in said["memory"]:
        print(f"memory after {number:>5} calls: {resident:7.1f} MB resident, {own:7.1f} MB of it anonymous")
    print(f"{said['seconds_a_call']} s a call")


def _object(command: list[str]) -> dict[str, Any]:
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    value: dict[str, Any] = json.loads(found.stdout)
    return value


def _differing(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """The differences of two verdicts, except those of each call."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*one, *other]):
            if name not in MADE:
                yield from _differing(one.get(name), other.get(name), f"{place}.{name}".strip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (mine, its) in enumerate(zip(one, other, strict=True)):
            yield from _differing(mine, its, f"{place}[{number}]")
    elif one != other:
        yield place


if __name__ == "__main__":
    main()
