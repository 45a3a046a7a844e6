"""``jokejudge mcp``: the judge for agents, a Model Context Protocol server on standard input and output.

Only the parts of the protocol that tools need, implemented here: the official SDK would cost 32 packages, 58 MB and 3.5
to 5.5 s of import for them. Each message is one line of JSON-RPC 2.0. One thread reads, answers requests that need no
judge, and cancels; the main thread judges, one call after another.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from .. import __version__
from ..batch.lists import seen_before
from ..core.errors import Cancelled as Stopped
from ..core.errors import ErrorInfo, JokeJudgeError, UsageError, info, of_the_system, restore
from ..core.events import Cancelled, Event, Failed, Finished, StageProgress, StageStarted
from ..core.files import parse_json
from ..core.logs import log, report_of
from ..core.texts import json_line
from ..core.verdicts import VerdictResult
from ..engine.base import CancelToken
from ..judge.contest.kind import CONTEST
from ..judge.contest.record import ContestRequest
from ..judge.kinds import KINDS, kind_of
from ..judge.versions import WORKSHOP, WorkshopRequest
from ..measure.worths import TrustFiles
from ..session.session import Session
from .context import Context, misuse
from .options import command

_LOG = log("mcp")
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The supported versions of the protocol, the newest first; the parts used here are the same in all."""
MOST_LINE = 8 << 20
"""The most bytes of a message."""
MOST_TEXT = 20_000
MOST_JOKES, MOST_DRAFTS = 500, 20
MOST_WAITING = 64
"""The most calls that may wait for their turn."""
_PROGRESS_S = 0.1
PARSE, INVALID, NO_METHOD, PARAMS, INTERNAL, BUSY = -32700, -32600, -32601, -32602, -32603, -32000
INSTRUCTIONS = (
    "Judges jokes with a language model on this computer. It is a small model's opinion and agrees with people only "
    "somewhat better than chance: ask how_far_to_trust first, trust differences more than numbers, and compare or rank "
    "drafts rather than reading one score as quality. Nothing leaves the computer."
)

# -- the tools ---------------------------------------------------------------------------------------------------------

_TEXT = {"type": "string", "minLength": 1, "maxLength": MOST_TEXT}
_CONTEXT = {
    "type": "string", "maxLength": MOST_TEXT,
    "description": "The topic or scene that it is about, such as a cartoon's scene or the post that it answers.",
}  # fmt: skip
_GENERATOR = {
    "type": "string", "maxLength": 200,
    "description": "The model that wrote the text: you are warned where the judge is of its own family.",
}  # fmt: skip


def _texts(most: int, what: str, least: int = 1) -> dict[str, Any]:
    return {"type": "array", "items": _TEXT, "minItems": least, "maxItems": most, "description": what}


@dataclass(frozen=True)
class Tool:
    """A tool as clients see it. ``fields``: a schema by argument; ``needed``: the required arguments."""

    name: str
    title: str
    description: str
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    needed: tuple[str, ...] = ()

    def described(self) -> dict[str, Any]:
        """Return its entry in ``tools/list``."""
        schema = {"type": "object", "properties": self.fields, "required": list(self.needed)}
        hints = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema | {"additionalProperties": False},
            "annotations": {"title": self.title} | hints,
        }

    def checked(self, given: object) -> dict[str, Any]:
        """Return the given arguments. Raises ``UsageError`` ``E_REQUEST`` for invalid ones."""
        if not isinstance(given, dict):
            raise _misfit("The arguments should be an object.")
        for name in self.needed:
            if given.get(name) is None:
                raise _misfit(f"“{name}” is missing.")
        for name, value in given.items():
            if name not in self.fields:
                raise _misfit(f"There's no argument “{name[:40]}”; known are {', '.join(self.fields) or 'none'}.")
            if value is not None:
                _fit(f"“{name}”", value, self.fields[name])
        return {name: value for name, value in given.items() if value is not None}


def _fit(name: str, value: object, schema: dict[str, Any]) -> None:
    if schema["type"] == "string":
        if not isinstance(value, str):
            raise _misfit(f"{name} should be a text.")
        if len(value) > schema["maxLength"]:
            raise _misfit(f"{name} has {len(value):,} characters; at most {schema['maxLength']:,} are taken.")
    elif schema["type"] == "integer":
        if type(value) is not int or not schema["minimum"] <= value <= schema["maximum"]:
            raise _misfit(f"{name} should be a whole number from {schema['minimum']} to {schema['maximum']}.")
    else:
        least, most = schema["minItems"], schema["maxItems"]
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise _misfit(f"{name} should be a list of {least} to {most} texts.")
        for number, each in enumerate(value, start=1):
            _fit(f"{name}, number {number},", each, schema["items"])


def _misfit(sentence: str) -> UsageError:
    return UsageError("E_REQUEST", sentence, "Correct it and call the tool again.")


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "rate_joke", "Rate a joke",
            "What people and an editor would say of one joke: does it work as a joke, its place among jokes that "
            "people voted on with an interval, kinds, factors, where it turns, what holds it back, what to try.",
            {"text": _TEXT, "context": _CONTEXT, "generator": _GENERATOR}, ("text",),
        ),
        Tool(
            "compare_jokes", "Compare two jokes",
            "Which of two jokes is the funnier one, with odds; the order in which they are given doesn't matter. "
            "Two drafts of one joke are recognised.",
            {"text_a": _TEXT, "text_b": _TEXT, "context": _CONTEXT, "generator": _GENERATOR}, ("text_a", "text_b"),
        ),
        Tool(
            "rank_jokes", "Rank a list of jokes",
            "A list of jokes, best first, each with the ranks that it may have. Entries name the place in the list as "
            "id, from 1.",
            {
                "texts": _texts(MOST_JOKES, "The jokes."),
                "topic": _CONTEXT | {"description": "What all of them are about."},
                "keep": {"type": "integer", "minimum": 1, "maximum": MOST_JOKES,
                         "description": "Return only so many of the best; without it, all."},
            }, ("texts",),
        ),
        Tool(
            "workshop_drafts", "Compare drafts of one joke",
            "Versions of one joke in the order in which they were written: what each change did, which is the best.",
            {"texts": _texts(MOST_DRAFTS, "The versions, the first one first."), "context": _CONTEXT}, ("texts",),
        ),
        Tool(
            "how_far_to_trust", "How far to trust it",
            "What was measured of the model in use: in how many pairs of 100 it agrees with people, with intervals, "
            "and what it can't tell.",
        ),
    )
}  # fmt: skip


# -- the judge behind them ---------------------------------------------------------------------------------------------

OnProgress = Callable[[int, int, str], None]
"""Called with the amount done, the total and the current step."""


class Answers(Protocol):
    """The judge behind the tools: returns the JSON object of ``--json`` and a sentence. Raises ``JokeJudgeError`` and
    ``core.errors.Cancelled``."""

    def call(
        self, tool: str, given: dict[str, Any], cancel: CancelToken, on_progress: OnProgress
    ) -> tuple[dict[str, Any], str]: ...


class SessionAnswers:
    """Answers from a session. ``record``: whether verdicts go into the history."""

    def __init__(self, session: Session, *, record: bool) -> None:
        self._session, self._record = session, record

    def call(
        self, tool: str, given: dict[str, Any], cancel: CancelToken, on_progress: OnProgress
    ) -> tuple[dict[str, Any], str]:
        """Run one call of a tool of ``TOOLS`` with checked arguments."""
        how: dict[str, Any] = {"record": self._record, "cancel": cancel}
        keep = given.pop("keep", None)
        match tool:
            case "rate_joke" | "compare_jokes":
                kind = KINDS["rate" if tool == "rate_joke" else "duel"]
                texts = tuple(given.pop(name) for name in kind.fields)
                events = self._session.ask(kind, texts, **how, **given)
            case "rank_jokes":
                entries = ContestRequest.of_texts(given["texts"]).entries
                texts = tuple(entry.text for entry in entries)
                seen = seen_before(self._session.store, texts, cancel=cancel) if self._record else {}
                asked = {"entries": entries, "context": given.get("topic", ""), "top": keep or 3, "seen": seen}
                events = self._session.ask(CONTEST, (), **how, **asked)
            case "workshop_drafts":
                versions = WorkshopRequest.of(*given["texts"]).versions
                events = self._session.ask(WORKSHOP, (), **how, versions=versions, context=given.get("context", ""))
            case _:
                return self._trust(cancel, on_progress)
        result = _result(events, on_progress)
        assert result is not None
        kind = kind_of(result)
        found = kind.contract(result)
        if keep is not None:
            found["entries"] = found["entries"][:keep]
        return found, f"{kind.noun.capitalize()}: {kind.glance(result).headline.rstrip('.')}."

    def _trust(self, cancel: CancelToken, on_progress: OnProgress) -> tuple[dict[str, Any], str]:
        if self._session.model is None:
            _result(self._session.load(cancel=cancel), on_progress)
        if self._session.judge is None:
            raise UsageError("E_PANEL_KIND", "Several models judge together.", "Start the server with one --model.")
        files = TrustFiles(self._session.profile)
        found = files.fields(files.of(self._session.judge.model))
        return found, str(found["headline"] or "How far this model agrees with people hasn't been measured.")


def _result(events: Iterator[Event], on_progress: OnProgress) -> VerdictResult | None:
    base = done = 0
    for event in events:
        match event:
            case StageStarted():
                base, done = base + done, 0
            case StageProgress() if event.total:
                done = event.done
                on_progress(base + done, base + event.total, event.note or event.stage.value)
            case Finished():
                return event.result
            case Failed():
                raise restore(event.error)
            case Cancelled():
                raise Stopped()
    raise AssertionError("a job ended without a last event")


# -- the protocol ------------------------------------------------------------------------------------------------------

Id = str | int | float | None


@dataclass
class _Call:
    """A tool call that runs or waits."""

    id: Id
    tool: Tool
    given: object
    token: str | int | None
    cancel: CancelToken = field(default_factory=CancelToken)


class Server:
    """Reads messages from ``reader`` until its end and writes answers to ``writer``. ``serve`` judges in the thread
    that calls it; it returns when the reader has ended, and cancels the running call. Raises ``BrokenPipeError`` if the
    client has closed the answers' pipe."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes], answers: Answers) -> None:
        self._reader, self._writer, self._answers = reader, writer, answers
        self._writing = threading.Lock()
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._open: dict[Id, _Call] = {}
        self._broken = False

    def serve(self) -> None:
        """Answer until the client has closed its end."""
        threading.Thread(target=self._read, name="mcp reader", daemon=True).start()
        while (call := self._calls.get()) is not None:
            if not call.cancel.cancelled:
                self._judge(call)
            if self._open.get(call.id) is call:
                del self._open[call.id]
        if self._broken:
            raise BrokenPipeError

    # -- in the reader's thread --------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            for line in _lines(self._reader):
                try:
                    self._take(line)
                except OSError:
                    raise
                except Exception as fault:  # noqa: BLE001  (one message of many; the next one may be sound)
                    _LOG.error("a message: %s", report_of(fault))
                    self._error(None, INTERNAL, f"The program has a fault ({type(fault).__name__}).")
        except OSError:
            self._broken = True
        finally:
            for call in list(self._open.values()):
                call.cancel.cancel()
            self._calls.put(None)

    def _take(self, line: bytes | None) -> None:
        """Answer one line, or put its call into the queue. None: the line was too long."""
        if line is None:
            self._error(None, INVALID, f"A message of more than {MOST_LINE >> 20} MB was skipped.")
            return
        if not line.strip():
            return
        try:
            message = parse_json(line)
        except (ValueError, RecursionError) as error:
            self._error(None, PARSE, f"This isn't JSON: {str(error)[:200]}.")
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._error(None, INVALID, "A message is one JSON-RPC 2.0 object on a line.")
            return
        method, id, params = message.get("method"), message.get("id"), message.get("params", {})
        if method is None and ("result" in message or "error" in message):
            return  # a response, although nothing was requested
        if isinstance(id, bool) or not isinstance(id, str | int | float | None):
            self._error(None, INVALID, "An id is a text or a number.")
        elif not isinstance(method, str) or not isinstance(params, dict):
            self._error(id, INVALID, "A message has a method and an object of params.")
        elif "id" not in message:
            self._notified(method, params)
        else:
            self._asked(id, method, params)

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        wanted = params.get("requestId")
        if method == "notifications/cancelled" and isinstance(wanted, str | int | float):
            call = self._open.pop(wanted, None)
            if call is not None:
                call.cancel.cancel()

    def _asked(self, id: Id, method: str, params: dict[str, Any]) -> None:
        match method:
            case "initialize":
                wanted = params.get("protocolVersion")
                self._answer(id, {
                    "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {"listChanged": False}},
                    "serverInfo": {"name": "jokejudge", "title": "JokeJudge", "version": __version__},
                    "instructions": INSTRUCTIONS,
                })  # fmt: skip
            case "ping":
                self._answer(id, {})
            case "tools/list":
                self._answer(id, {"tools": [tool.described() for tool in TOOLS.values()]})
            case "tools/call":
                self._queue(id, params)
            case _:
                self._error(id, NO_METHOD, f"There's no method {method[:80]!r}.")

    def _queue(self, id: Id, params: dict[str, Any]) -> None:
        name, meta = params.get("name"), params.get("_meta")
        tool = TOOLS.get(name) if isinstance(name, str) else None
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if tool is None:
            known = ", ".join(TOOLS)
            self._error(id, PARAMS, f"There's no tool {str(name)[:80]!r}; known are {known}.")
        elif id in self._open:
            self._error(id, INVALID, f"A call with the id {str(id)[:80]!r} is running.")
        elif len(self._open) >= MOST_WAITING:
            self._error(id, BUSY, f"{MOST_WAITING} calls are waiting: call again when some are answered.")
        else:
            call = _Call(id, tool, params.get("arguments") or {}, token if isinstance(token, str | int) else None)
            self._open[id] = call
            self._calls.put(call)

    # -- in the thread that judges -----------------------------------------------------------------------------------

    def _judge(self, call: _Call) -> None:
        shown = (-1, 0.0)

        def on_progress(done: int, total: int, what: str) -> None:
            nonlocal shown
            now = time.monotonic()
            if call.token is None or done <= shown[0] or (now - shown[1] < _PROGRESS_S and done < total):
                return
            shown = (done, now)
            params = {"progressToken": call.token, "progress": done, "total": total, "message": what}
            self._write({"method": "notifications/progress", "params": params})

        try:
            found, sentence = self._answers.call(
                call.tool.name, call.tool.checked(call.given), call.cancel, on_progress
            )
        except Stopped:
            return  # the client doesn't wait for the answer of a cancelled call
        except JokeJudgeError as error:
            self._failed(call, info(error))
        except (MemoryError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            self._failed(call, info(of_the_system(error)))
        except Exception as fault:  # noqa: BLE001  (this call alone)
            _LOG.error("%s: %s", call.tool.name, report_of(fault))
            hint = "Report it; `jokejudge doctor` may help."
            self._failed(call, ErrorInfo(code="E_INTERNAL", sentence="The program has a fault.", hint=hint))
        else:
            self._answer(call.id, _content(found, sentence), call)

    def _failed(self, call: _Call, error: ErrorInfo) -> None:
        found = {"error": error.model_dump()}
        self._answer(call.id, _content(found, f"{error.sentence} {error.hint}".strip()) | {"isError": True}, call)

    def _answer(self, id: Id, result: dict[str, Any], call: _Call | None = None) -> None:
        if call is None or not call.cancel.cancelled:
            self._write({"id": id, "result": result})

    def _error(self, id: Id, code: int, sentence: str) -> None:
        self._write({"id": id, "error": {"code": code, "message": sentence}})

    def _write(self, message: dict[str, Any]) -> None:
        line = json_line({"jsonrpc": "2.0"} | message)
        with self._writing:
            self._writer.write(line)
            self._writer.flush()


def _content(found: dict[str, Any], sentence: str) -> dict[str, Any]:
    texts = (sentence, json.dumps(found, ensure_ascii=False, allow_nan=False))
    return {"content": [{"type": "text", "text": text} for text in texts], "structuredContent": found}


def _lines(reader: IO[bytes]) -> Iterator[bytes | None]:
    """Yield each line; None for one longer than ``MOST_LINE``, which isn't kept in memory."""
    kept, too_long = bytearray(), False
    while block := reader.read(1 << 16):
        *ends, rest = block.split(b"\n")
        for end in ends:
            kept += end
            yield None if too_long or len(kept) > MOST_LINE else bytes(kept)
            kept.clear()
            too_long = False
        kept += rest
        if len(kept) > MOST_LINE:
            kept.clear()
            too_long = True


# -- the command -------------------------------------------------------------------------------------------------------


@contextmanager
def _protocol_only() -> Iterator[IO[bytes]]:
    """Yield the original standard output, for the protocol alone: any other output, llama.cpp's included, goes to
    standard error from here on."""
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    before, sys.stdout = sys.stdout, sys.stderr
    try:
        with open(own, "wb", closefd=False) as writer:
            yield writer
    finally:
        sys.stdout = before
        os.dup2(own, 1)
        os.close(own)


@command("mcp", judges=True)
def mcp(context: Context) -> int:
    """Serve until the client closes standard input. Exit status 0; 130 when interrupted."""
    if sys.stdin is None or sys.stdin.isatty():
        raise misuse(
            "mcp is started by an agent's program, which speaks to it through standard input.",
            "The manual's page In agents has the lines to paste into its settings.",
        )
    # Unbuffered: a reader that waits holds no lock when the program ends.
    reader = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
    with reader, _protocol_only() as writer, context.session() as session:
        Server(reader, writer, SessionAnswers(session, record=not context.args.no_history)).serve()
    return 0
