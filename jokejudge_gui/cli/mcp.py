"""``jokejudge mcp``: the judge for agents, a server of the Model Context Protocol by its official library, whose loop
reads and writes; one call after another is judged in a thread beside it."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, cast

from .. import __version__
from ..api import JokeJudge
from ..core.errors import Cancelled as Stopped
from ..core.errors import JokeJudgeError, UsageError, info, of_the_system
from ..core.logs import log, report_of
from ..core.paths import how_to_add, resources_dir
from ..judge.kinds import kind_of
from .context import Context, misuse
from .options import command

_LOG = log("mcp")
MOST_LINE = 8 << 20
"""The most bytes of a message."""
MOST_WAITING = 64
"""The most calls that may wait for their turn."""
_PROGRESS_S = 0.1
_BUSY = -32000
OnProgress = Callable[[int, int, str], None]
"""Called with the amount done, the total and the current step."""


def answer(judge: JokeJudge, tool: str, given: dict[str, Any], on_progress: OnProgress) -> tuple[dict[str, Any], str]:
    """Run one call of a tool, which is the judge's method of that name; return the JSON object of ``--json`` and a
    sentence. Raises ``JokeJudgeError`` and ``core.errors.Cancelled``."""
    given = _checked(tool, given)
    if tool == "how_far_to_trust":
        trust = judge.how_far_to_trust()
        return trust, str(trust["headline"] or "How far this model agrees with people hasn't been measured.")
    keep = given.pop("keep", None)
    if keep is not None:
        given["top"] = keep
    verdict = getattr(judge, tool)(**given, progress=on_progress)
    fields = verdict.to_dict()
    if keep is not None:
        fields["entries"] = fields["entries"][:keep]
    kind = kind_of(verdict)
    words = (kind.noun.capitalize(), kind.glance(verdict).headline.rstrip("."))
    return fields, f"{': '.join(filter(None, words))}."


@cache
def described() -> dict[str, Any]:
    """Return what clients are told: instructions, and the tools as ``tools/list`` answers them."""
    return json.loads((resources_dir() / "agents.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each tool's arguments."""
    return {tool["name"]: tool["inputSchema"] for tool in described()["tools"]}


def _checked(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the given arguments. Raises ``UsageError`` ``E_REQUEST`` for a name that the tool doesn't have, and where
    one is missing; ``JokeJudge`` checks the values."""
    given = {name: value for name, value in given.items() if value is not None}
    schema, hint = schemas()[tool], "Correct it and call the tool again."
    for name in given.keys() - schema["properties"].keys():
        raise UsageError("E_REQUEST", f"There's no argument “{name[:80]}”.", hint)
    for name in set(schema["required"]) - given.keys() if "required" in schema else ():
        raise UsageError("E_REQUEST", f"“{name}” is missing.", hint)
    return given


# -- the server --------------------------------------------------------------------------------------------------------


async def serve(judge: JokeJudge, lines: Iterator[str]) -> None:
    """Answer the messages of ``lines`` on standard output until they end, and cancel what still runs."""
    import anyio
    from anyio import from_thread, to_thread
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, CallToolResult, ListToolsResult

    turn = anyio.Lock()
    waiting: set[int] = set()

    async def list_tools(_context: Any, _parameters: Any) -> Any:
        return ListToolsResult.model_validate({"tools": described()["tools"]})

    async def call_tool(context: Any, parameters: Any) -> Any:
        if parameters.name not in schemas():
            raise MCPError(
                INVALID_PARAMS, f"There's no tool {parameters.name[:80]!r}; known are {', '.join(schemas())}."
            )
        if len(waiting) >= MOST_WAITING:
            raise MCPError(_BUSY, f"{MOST_WAITING} calls are waiting: call again when some are answered.")
        waiting.add(key := id(parameters))
        try:
            async with turn:
                return CallToolResult.model_validate(await judged(context, parameters))
        finally:
            waiting.discard(key)

    async def judged(context: Any, parameters: Any) -> dict[str, Any]:
        over = threading.Event()
        base = before = 0  # of the stages before this one, as progress may only rise
        shown = (-1, 0.0)

        def on_progress(done: int, total: int, what: str) -> None:
            nonlocal base, before, shown
            if over.is_set():
                raise Stopped()
            base, before = base + (before if done < before else 0), done
            now = time.monotonic()
            if total and base + done > shown[0] and (now - shown[1] >= _PROGRESS_S or done >= total):
                shown = (base + done, now)
                from_thread.run(context.session.report_progress, base + done, base + total, what)

        async def watch() -> None:
            try:
                await anyio.sleep_forever()
            finally:  # the call is cancelled, or has ended
                over.set()
                judge.stop()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            result = await to_thread.run_sync(_answered, judge, parameters, on_progress)
            group.cancel_scope.cancel()
        return cast(dict[str, Any], result)

    send, receive = anyio.create_memory_object_stream[str](0)
    loop = anyio.lowlevel.current_token()

    def read() -> None:
        with suppress(RuntimeError, anyio.BrokenResourceError):  # the server has ended
            for line in lines:
                from_thread.run(send.send, line, token=loop)
            from_thread.run(send.aclose, token=loop)

    server = Server(
        "jokejudge", version=__version__, title="JokeJudge", instructions=described()["instructions"],
        on_list_tools=list_tools, on_call_tool=call_tool,
    )  # fmt: skip
    threading.Thread(target=read, name="mcp reader", daemon=True).start()  # anyio's own would hold the program's end
    async with send, receive, stdio_server(stdin=receive) as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def _answered(judge: JokeJudge, parameters: Any, on_progress: OnProgress) -> dict[str, Any]:
    """Return the result of a tool's call, or its error in the same form."""
    try:
        fields, sentence = answer(judge, parameters.name, parameters.arguments or {}, on_progress)
        return _content(fields, sentence)
    except Stopped:
        return _content({}, "Stopped.")  # nobody waits for it
    except (JokeJudgeError, MemoryError, OSError) as error:
        fault = error if isinstance(error, JokeJudgeError) else of_the_system(error)
    except Exception as error:  # noqa: BLE001  (this call alone)
        _LOG.error("%s: %s", parameters.name, report_of(error))
        fault = JokeJudgeError("E_INTERNAL", "The program has a fault.", "Report it; `jokejudge doctor` may help.")
    return _content({"error": info(fault).model_dump()}, str(info(fault))) | {"isError": True}


def _content(answer: dict[str, Any], sentence: str) -> dict[str, Any]:
    texts = (sentence, json.dumps(answer, ensure_ascii=False, allow_nan=False))
    return {"content": [{"type": "text", "text": text} for text in texts], "structuredContent": answer}


def messages(file: int) -> Iterator[str]:
    """Yield the lines of a file; one longer than ``MOST_LINE`` isn't kept in memory. Nothing is locked while it waits,
    so that the program can end meanwhile."""
    line, too_long = bytearray(), False
    while block := os.read(file, 1 << 16):
        *ends, rest = block.split(b"\n")
        for end in ends:
            if not too_long and len(line) + len(end) <= MOST_LINE:
                yield (line + end).decode("utf-8", "replace")
            line, too_long = bytearray(), False
        line += rest
        if len(line) > MOST_LINE:
            line, too_long = bytearray(), True


@command("mcp", judges=True)
def mcp(context: Context) -> int:
    """Serve until the client closes standard input. Exit status 0; 130 when interrupted."""
    if sys.stdin is None or sys.stdin.isatty():
        raise misuse(
            "mcp is started by an agent's program, which speaks to it through standard input.",
            "The manual's page In agents has the lines to paste into its settings.",
        )
    try:
        import anyio
        import mcp.server.lowlevel  # noqa: F401
    except ImportError as error:
        raise JokeJudgeError(
            "E_AGENTS",
            "Serving agents needs the library mcp, which isn't installed.",
            how_to_add("agents"),
        ) from error
    with context.session() as session:
        try:
            anyio.run(serve, JokeJudge.over(session, history=not context.args.no_history), messages(0))
        except* BrokenPipeError as closed:
            raise BrokenPipeError from closed  # the client has gone
    return 0
