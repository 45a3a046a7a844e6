"""``jokejudge mcp``: the protocol by a plain client, good and bad, and by the official one where it is installed."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.cli import mcp as server
from jokejudge_gui.cli.mcp import MOST_LINE, Server, SessionAnswers
from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession

if TYPE_CHECKING:
    from .conftest import Run

JOKE = "I used to be a banker, but I lost interest."
OTHER = "Parallel lines have so much in common. It's a shame they'll never meet."
CALL = {"jsonrpc": "2.0", "method": "tools/call"}


class Client:
    """Speaks to a server in this process, whose messages it can wait for."""

    def __init__(self, session: Session, *, record: bool = False) -> None:
        there, here = os.pipe()
        self._in = os.fdopen(here, "wb", buffering=0)
        self._reader = os.fdopen(there, "rb", buffering=0)
        self.said: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._server = Server(self._reader, self, SessionAnswers(session, record=record))  # type: ignore[arg-type]
        self._thread = threading.Thread(target=self._server.serve)
        self._thread.start()
        self._ids = iter(range(1, 10_000))

    def write(self, data: bytes) -> int:
        """What the server writes: one message on a line."""
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        message = json.loads(data)
        assert message["jsonrpc"] == "2.0"
        self.said.put(message)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def send(self, message: object) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        while data:
            data = data[self._in.write(data) :]

    def next(self) -> dict[str, Any]:
        return self.said.get(timeout=120)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}})
        while (found := self.next()).get("id") != id:
            assert found["method"] == "notifications/progress"
        return found

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        found = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = found["result"]
        assert isinstance(result, dict)
        return result

    def close(self) -> None:
        self._in.close()
        self._thread.join(120)
        assert not self._thread.is_alive()
        self._reader.close()


@pytest.fixture
def connect(make_session: MakeSession) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def make(*, record: bool = False, **engine: object) -> Client:
        client = Client(make_session(**engine), record=record)  # type: ignore[arg-type]
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(connect: Callable[..., Client]) -> Client:
    return connect()


@pytest.mark.parametrize(("asked", "given"), [("2025-06-18", "2025-06-18"), ("1999-01-01", server.VERSIONS[0])])
def test_a_client_is_greeted_in_its_version_if_that_is_known(client: Client, asked: str, given: str) -> None:
    found = client.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x"}})
    assert found["result"]["protocolVersion"] == given
    assert found["result"]["capabilities"] == {"tools": {"listChanged": False}}
    assert found["result"]["serverInfo"]["name"] == "jokejudge"
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert client.ask("ping")["result"] == {}


def test_the_tools_are_told_with_their_bounds_and_that_they_only_read(client: Client) -> None:
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert set(tools) == {"rate_joke", "compare_jokes", "rank_jokes", "workshop_drafts", "how_far_to_trust"}
    for tool in tools.values():
        assert (tool["annotations"]["readOnlyHint"], tool["annotations"]["openWorldHint"]) == (True, False)
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["description"]
    assert tools["rank_jokes"]["inputSchema"]["properties"]["texts"]["maxItems"] == server.MOST_JOKES


def test_an_answer_is_the_terminals_object_and_a_sentence(connect: Callable[..., Client], run: Run) -> None:
    client = connect()
    scene = "A bank is being robbed."
    given = {
        "rate": (client.call("rate_joke", text=JOKE, context=scene), ("rate", JOKE, "--context", scene)),
        "duel": (client.call("compare_jokes", text_a=JOKE, text_b=OTHER), ("duel", JOKE, OTHER)),
        "workshop": (client.call("workshop_drafts", texts=[JOKE, OTHER]), ("workshop", JOKE, OTHER)),
    }
    for name, (result, command) in given.items():
        sentence, text = (part["text"] for part in result["content"])
        assert json.loads(text) == result["structuredContent"]
        assert sentence.endswith(".")
        assert "isError" not in result
        told = run(*command, "--json", "--no-history").object
        assert set(result["structuredContent"]) == set(told), name


def test_a_list_is_ranked_and_the_best_are_kept(connect: Callable[..., Client]) -> None:
    client = connect(record=True)
    texts = [JOKE, OTHER, "A horse walks into a bar.", " "]
    rated = client.call("rate_joke", text=OTHER)["structuredContent"]["id"]
    whole = client.call("rank_jokes", texts=texts, topic="money")["structuredContent"]
    assert {entry["id"]: entry["seen"] for entry in whole["entries"]}["2"] == rated
    assert [entry["rank"] for entry in whole["entries"]] == [1, 2, 3, None]
    kept = client.call("rank_jokes", texts=texts, topic="money", keep=2)["structuredContent"]
    assert [entry["id"] for entry in kept["entries"]] == [entry["id"] for entry in whole["entries"]][:2]
    assert kept["top"] == 2


def test_trust_is_a_sentence_and_its_figures(client: Client) -> None:
    result = client.call("how_far_to_trust")
    assert result["structuredContent"]["model"]["name"]
    assert result["content"][0]["text"].endswith(".")


@pytest.mark.parametrize("record", [True, False])
def test_verdicts_are_kept_unless_nothing_is_to_be(
    connect: Callable[..., Client], profile: Profile, record: bool
) -> None:
    client = connect(record=record)
    client.call("rate_joke", text=JOKE)
    client.call("rate_joke", text=JOKE)
    assert profile.database.exists() == record


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("rate_joke", {}, "“text” is missing."),
        ("rate_joke", {"text": 5}, "“text” should be a text."),
        ("rate_joke", {"text": "x" * 30_000}, "“text” has 30,000 characters; at most 20,000 are taken."),
        ("rate_joke", {"text": JOKE, "mood": "grim"}, "There's no argument “mood”"),
        ("compare_jokes", {"text_a": JOKE, "text_b": None}, "“text_b” is missing."),
        ("rank_jokes", {"texts": JOKE}, "“texts” should be a list of 1 to 500 texts."),
        ("rank_jokes", {"texts": ["x"] * 501}, "“texts” should be a list of 1 to 500 texts."),
        ("rank_jokes", {"texts": [JOKE, 5]}, "“texts”, number 2, should be a text."),
        ("rank_jokes", {"texts": [JOKE], "keep": True}, "“keep” should be a whole number from 1 to 500."),
        ("workshop_drafts", {"texts": []}, "“texts” should be a list of 1 to 20 texts."),
        ("how_far_to_trust", {"of": "it"}, "There's no argument “of”; known are none."),
    ],
)
def test_arguments_that_do_not_fit_are_an_error_that_a_model_can_correct(
    client: Client, tool: str, arguments: dict[str, Any], said: str
) -> None:
    result = client.call(tool, **arguments)
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "E_REQUEST"
    assert result["content"][0]["text"].startswith(said)


def test_a_joke_that_cannot_be_judged_has_its_code(client: Client) -> None:
    result = client.call("rate_joke", text="  ")
    assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, "E_INPUT_EMPTY")
    assert "isError" not in client.call("rate_joke", text=JOKE)


def test_a_failure_of_the_engine_is_of_its_call_alone(connect: Callable[..., Client]) -> None:
    failing = [True]

    def gate(_method: str) -> None:
        if failing[0]:
            raise EngineError("E_DECODE", "The model stopped.", "Try again.")

    client = connect(gate=gate)
    assert client.call("rate_joke", text=JOKE)["structuredContent"]["error"]["code"] == "E_DECODE"
    failing[0] = False
    assert "isError" not in client.call("rate_joke", text=JOKE)


BAD: list[tuple[bytes, int]] = [
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b"[" * 5000, -32700),
    (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700),
    (b"[]", -32600),
    (b"5", -32600),
    (b'{"id": 1, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/fly"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
]


@pytest.mark.parametrize(("line", "code"), BAD, ids=lambda part: str(part)[:40])
def test_bad_messages_have_their_error_and_the_next_one_its_answer(client: Client, line: bytes, code: int) -> None:
    client.raw(line + b"\n")
    error = client.next()["error"]
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert client.ask("ping")["result"] == {}


def test_what_needs_no_answer_gets_none(client: Client) -> None:
    client.raw(b"\n  \n")
    client.send({"jsonrpc": "2.0", "method": "notifications/whatever", "params": {}})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}})
    client.send({"jsonrpc": "2.0", "id": 5, "result": {}})
    assert client.ask("ping")["result"] == {}


def test_a_huge_line_is_passed_over_and_not_kept(client: Client) -> None:
    for _ in range(MOST_LINE // (1 << 16) + 2):
        client.raw(b"x" * (1 << 16))
    client.raw(b"\n")
    assert client.next()["error"]["code"] == -32600
    assert client.ask("ping")["result"] == {}


def test_lists_tell_their_progress_which_only_rises(client: Client) -> None:
    texts = [f"{JOKE} Number {number}." for number in range(6)]
    params = {"name": "rank_jokes", "arguments": {"texts": texts}, "_meta": {"progressToken": "mine"}}
    client.send(CALL | {"id": "a", "params": params})
    seen = []
    while "id" not in (found := client.next()):
        assert found["method"] == "notifications/progress"
        assert found["params"]["progressToken"] == "mine"
        seen.append(found["params"]["progress"])
    assert found["id"] == "a"
    assert seen
    assert seen == sorted(set(seen))


def test_a_call_that_is_cancelled_ends_without_an_answer_and_others_go_on(connect: Callable[..., Client]) -> None:
    running, go_on = threading.Event(), threading.Event()

    def gate(_method: str) -> None:
        running.set()
        go_on.wait(60)

    client = connect(gate=gate)
    texts = [f"{JOKE} Number {number}." for number in range(30)]
    client.send(CALL | {"id": 1, "params": {"name": "rank_jokes", "arguments": {"texts": texts}}})
    client.send(CALL | {"id": 2, "params": {"name": "rate_joke", "arguments": {"text": JOKE}}})
    client.send(CALL | {"id": 3, "params": {"name": "rate_joke", "arguments": {"text": OTHER}}})
    assert running.wait(60)
    client.send({"jsonrpc": "2.0", "id": 4, "method": "ping"})
    assert client.next() == {"jsonrpc": "2.0", "id": 4, "result": {}}  # at once, in the middle of the list
    client.send(CALL | {"id": 3, "params": {"name": "how_far_to_trust"}})
    assert client.next()["error"]["code"] == -32600  # a call of this id waits
    for id in (1, 2):
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    client.ask("ping")
    go_on.set()
    answer = client.next()
    assert answer["id"] == 3
    assert answer["result"]["structuredContent"]["text"] == OTHER


def test_too_many_calls_are_refused(connect: Callable[..., Client]) -> None:
    go_on = threading.Event()
    client = connect(gate=lambda _method: go_on.wait(60))
    for id in range(server.MOST_WAITING + 1):
        client.send(CALL | {"id": f"c{id}", "params": {"name": "rate_joke", "arguments": {"text": JOKE}}})
    found = client.next()
    assert (found["id"], found["error"]["code"]) == (f"c{server.MOST_WAITING}", -32000)
    for id in range(server.MOST_WAITING):
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"c{id}"}})
    client.ask("ping")
    go_on.set()


def test_the_end_of_the_input_stops_what_runs(connect: Callable[..., Client]) -> None:
    running = threading.Event()
    go_on = threading.Event()

    def gate(_method: str) -> None:
        running.set()
        go_on.wait(60)

    client = connect(gate=gate)
    client.send(CALL | {"id": 1, "params": {"name": "rate_joke", "arguments": {"text": JOKE}}})
    assert running.wait(60)
    (call,) = client._server._open.values()
    client._in.close()
    for _ in range(6000):  # the call goes on only once the server has seen the end of its input
        if call.cancel.cancelled:
            break
        go_on.wait(0.01)
    assert call.cancel.cancelled
    go_on.set()
    client._thread.join(60)
    assert not client._thread.is_alive()
    assert client.said.empty()


def test_a_reader_that_has_gone_ends_the_server(make_session: MakeSession) -> None:
    class Gone(io.BytesIO):
        def write(self, _data: object) -> int:
            raise BrokenPipeError

    ask = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with pytest.raises(BrokenPipeError):
        Server(io.BytesIO(ask), Gone(), SessionAnswers(make_session(), record=False)).serve()


# -- the program itself -----------------------------------------------------------------------------------------------


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    """What a library prints, into the file descriptor itself as llama.cpp does, goes to standard error."""
    code = (
        "import os, sys\n"
        "from jokejudge_gui.cli import mcp\n"
        "from jokejudge_gui.cli.main import main\n"
        "class Loud(mcp.SessionAnswers):\n"
        "    def call(self, tool, given, cancel, told):\n"
        "        os.write(1, b'llama_print: hello\\n')\n"
        "        print('and so does Python')\n"
        "        return {'text': given['text']}, 'A sentence.'\n"
        "mcp.SessionAnswers = Loud\n"
        "sys.exit(main())\n"
    )
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        CALL | {"id": 2, "params": {"name": "rate_joke", "arguments": {"text": "ha\u2028ha"}}},
    ]
    with subprocess.Popen(
        [sys.executable, "-c", code, "mcp", "--data-dir", str(tmp_path), "--no-history"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for message in asked:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in asked]
        process.stdin.close()
        rest, said = process.stdout.read(), process.stderr.read()
        assert process.wait(60) == 0
    assert sorted(answer["id"] for answer in answers) == [1, 2]
    assert rest == b""
    assert b"llama_print: hello" in said
    assert b"and so does Python" in said
    assert not (tmp_path / "history.sqlite3").exists()


OFFICIAL = """
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def speak():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        wrong = await session.call_tool("rate_joke", {"text": " "})
        print(len(tools), wrong.content[0].text)

asyncio.run(speak())
"""


def test_the_official_client_is_served(tmp_path: Path) -> None:
    pytest.importorskip("mcp.client.stdio", reason="the official client isn't installed: pip install mcp")
    asked = [sys.executable, "-c", OFFICIAL, sys.executable, "-m", "jokejudge_gui", "mcp", "--no-history"]
    found = subprocess.run(
        [*asked, "--data-dir", str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert found.stdout.startswith("5 There is no text"), found.stderr
