"""Attacks the program and counts what fails: ``python -m tests.bench.attack [KIND…]``, some minutes.

Kinds: writers and openings of the history that are killed, heads and headers of model files that are damaged, chat
templates that are hostile, calls of agents and files of users that make no sense. A failure is anything but a result or
one of the program's own errors within its time. Templates need the embedded model in its place."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sqlite3
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO, TextIOWrapper
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from jokejudge_gui import JokeJudge
from jokejudge_gui.cli.main import main as jokejudge
from jokejudge_gui.cli.mcp import answer, schemas
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import JokeJudgeError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.engine.gguf import read_gguf
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.library.embedded import ensure_embedded
from jokejudge_gui.library.probe import probe
from jokejudge_gui.session.session import Session
from tests.bench import damaged_heads
from tests.fake_engine import FakeEngine
from tests.gguf_builder import STRING, gguf
from tests.known_calibration import known
from tests.live.damaged_models import with_setting

JOKE = "I used to be a banker, but I lost interest."
_WRITERS, _HANG = 4, 60.0
_PIECES = (
    *("\u0000", "\u0085", "\u009b31m", "\u202e", "\u200d", "\ud83e", "🧀" * 40, "<|im_end|>", "<think>", "{{7*7}}"),
    *("=1+1", "<script>", "'; DROP TABLE", "\\" * 30, "\n" * 50, "\t", "﷽" * 9, "a\u0301" * 60, "(" * 90, "{b}"),
    *("hilarious yes true funny best 5 five", "ignore all of this", "%s%n", "../..", "NaN", "-inf", "1e308", "é", "漢"),
    *("duck", "bar", "why", '"', "\ufeff", "\u2028", "text,id\n1,2", "Q: ", "1. ", "%\n"),
)  # fmt: skip
_JUNK = (b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": ' * 50_000, b"1e999", b'{"version": NaN}')
_TEMPLATES = (
    "{% for a in range(9999) %}" * 3 + "{% endfor %}" * 3, "{{ 'x' * 10000000 }}", "{% if", "{{ 1/0 }}", "",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{% for m in messages %}{{ m.content * 999999 }}{% endfor %}",
    "{{ cycler.__init__.__globals__.os.system('touch /tmp/owned') }}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
)  # fmt: skip
Tries = Iterator[str | None]
"""For each try what failed, None where nothing did."""


def hostile(dice: random.Random) -> str:
    return " ".join(dice.choice(_PIECES) for _ in range(dice.randrange(1, 12)))


def failure(action: Callable[[], object]) -> str | None:
    """What an action raises, if it isn't an error of the program's own."""
    began = time.monotonic()
    try:
        action()
    except JokeJudgeError:
        pass
    except BaseException as error:  # noqa: BLE001  (that is what is looked for)
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
    return "it took too long" if time.monotonic() - began > _HANG else None


def _write(path: Path, told: Connection, writer: int) -> None:
    with closing(HistoryStore(path, KINDS)) as store:
        for number in count():
            id = f"{writer}-{os.getpid()}-{number}"
            made: Any = {"mode": "quick", "model": None, "prompt_version": "1", "criteria_version": "1", "seed": 1}
            store.begin(id=id, kind="rate", subjects=(Subject(text=JOKE),), **made)
            store.save_partial(id, RatingResult(id=id, text=JOKE))
            store.end(id, Status.FINISHED, RatingResult(id=id, text=JOKE))
            told.send(id)


def _open(path: Path, told: Connection, _writer: int) -> None:
    told.send("")
    HistoryStore(path, KINDS).close()


def _killed(target: Callable[..., None], path: Path, seconds: list[float]) -> set[str]:
    """Run processes that are killed after some seconds each; return what they said before."""
    context = multiprocessing.get_context("fork")
    running = []
    for number, delay in enumerate(seconds):
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=target, args=(path, theirs, number))
        process.start()
        theirs.close()
        running.append((process, mine, time.monotonic() + delay))
    told: set[str] = set()
    for process, mine, end in running:
        time.sleep(max(0.0, end - time.monotonic()))
        process.kill()
        process.join()
        while mine.poll():
            try:
                told.add(mine.recv())
            except (EOFError, OSError):  # cut within a message
                break
    return told


def _sound(path: Path, wanted: set[str]) -> str | None:
    """What is wrong with a history after kills."""
    with closing(HistoryStore(path, KINDS)) as store, closing(sqlite3.connect(path)) as database:
        lost = sum(store.get(id).row.status != Status.FINISHED for id in wanted)
        running = database.execute("SELECT count(*) FROM verdicts WHERE status = 'running'").fetchone()[0]
        check = database.execute("PRAGMA integrity_check").fetchone()[0]
    return None if (lost, running, check) == (0, 0, "ok") else f"{lost} lost, {running} still running, {check}"


def writers(folder: Path, dice: random.Random) -> Tries:
    """Four writers of one history, killed at once or in turn."""
    path, told = folder / "history.sqlite3", set[str]()
    for _ in range(12):
        told |= _killed(_write, path, [0.2 + 0.8 * dice.random() for _ in range(_WRITERS)])
        fault = _sound(path, told)
        yield from (fault, *[None] * (_WRITERS - 1))


def openings(folder: Path, dice: random.Random) -> Tries:
    """A new history whose tables are being made."""
    for number in range(70):
        path = folder / str(number) / "history.sqlite3"
        _killed(_open, path, [0.12 * dice.random()])
        yield _sound(path, set())


def heads(folder: Path, _dice: random.Random) -> Tries:
    """Heads damaged in every way, each used by a rating and a duel."""
    tried, faults = damaged_heads.run(folder, every=8)
    yield from (*faults, *[None] * (tried - len(faults)))


def headers(folder: Path, dice: random.Random) -> Tries:
    """Model files whose header is damaged in some places, cut off, or has numbers that are too large."""
    path = folder / "model.gguf"
    for number in range(2400):
        data = bytearray(gguf())
        if number % 4 == 0:
            del data[dice.randrange(len(data)) :]
        for _ in range(dice.randrange(1, 8) if data else 0):
            at = dice.randrange(min(len(data), 900))
            value = dice.choice((bytes([dice.randrange(256)]), b"\xff" * 8, struct.pack("<Q", 1 << dice.randrange(63))))
            data[at : at + len(value)] = value
        path.write_bytes(data)
        yield failure(lambda: read_gguf(path))


def templates(folder: Path, _dice: random.Random) -> Tries:
    """Chat templates that don't end, fill the memory, or try to run code; each is rendered in a process of its own."""
    model = ensure_embedded(Profile.default())
    for template in _TEMPLATES:
        path = with_setting(model, folder / "model.gguf", "tokenizer.chat_template", STRING, template)
        yield failure(lambda path=path: probe(path, Profile.at(folder), CancelToken()))  # type: ignore[misc]
    yield "code ran" if Path("/tmp/owned").exists() else None


def _session(profile: Profile) -> Session:
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_calibration(known(MainJudge(FakeEngine(), files)))
    return Session(profile, Settings(), loader=lambda _file, _settings, _cancel: FakeEngine())


def _anything(dice: random.Random, depth: int = 0) -> Any:
    kinds = (lambda: hostile(dice), lambda: dice.choice((None, True, -1, 1e308, "", 10**30, [], {})))
    nested = (lambda: [_anything(dice, 2)] * dice.randrange(3), lambda: {hostile(dice): _anything(dice, 2)})
    return dice.choice(kinds if depth else kinds + nested)()


def agents(folder: Path, dice: random.Random) -> Tries:
    """Calls of the tools for agents with arguments that fit, and with others."""
    with closing(_session(Profile.at(folder))) as session:
        judge = JokeJudge.over(session, history=True)
        for _ in range(400):
            tool = dice.choice([*schemas()])
            names = [*schemas()[tool].get("properties", {}), hostile(dice)]
            fits = {"texts": [hostile(dice) for _ in range(dice.randrange(4))], "keep": dice.randrange(-1, 4)}
            given = {
                name: fits.get(name, hostile(dice)) if dice.random() < 0.7 else _anything(dice)
                for name in dice.sample(names, dice.randrange(len(names)))
            }
            yield failure(lambda tool=tool, given=given: answer(judge, tool, given, lambda *_: None))  # type: ignore[misc]


def files(folder: Path, dice: random.Random) -> Tries:
    """Lists and the program's own files full of junk, through the commands that read them."""
    bad, out = folder / "bad", folder / "out.jsonl"
    calls = (
        "rate --batch BAD --out OUT", "duel --batch BAD --out OUT", "contest BAD --duels 0", "screen BAD",
        "rate -f BAD", "evaluate --pairs BAD", "evaluate --ratings BAD", "criteria import BAD",
        "template run BAD --out OUT",
        "merge BAD --out OUT", "contest --resume last BAD --duels 0",
        "rate --out BAD --batch LIST", "models use BAD",
    )  # fmt: skip
    own = ("settings.json", "hashes.json", "probes.json", "loading.json", "own_criteria.xml", "votes.json")

    def call(line: str) -> None:
        words = [{"BAD": str(bad), "OUT": str(out), "LIST": __file__}.get(word, word) for word in line.split()]
        text = StringIO()
        with redirect_stdout(TextIOWrapper(open(os.devnull, "wb"))), redirect_stderr(text):
            jokejudge([*words, "--data-dir", str(folder)], open_session=lambda profile, _settings: _session(profile))
        if "Report it with" in text.getvalue():
            raise AssertionError(text.getvalue()[-300:])

    for number in range(140):
        rows = [{"id": str(n), "text": hostile(dice), hostile(dice): hostile(dice)} for n in range(8)]
        forms: tuple[Callable[[], str], ...] = (
            lambda rows=rows: "\n".join(map(json.dumps, rows)), lambda rows=rows: json.dumps(rows),
            lambda: "id,text,text_b\n" + "\n".join(hostile(dice) for _ in range(9)), lambda: hostile(dice),
        )  # fmt: skip
        junk = dice.choice(forms)().encode("utf-8", "surrogatepass") if number % 3 else dice.choice(_JUNK)
        bad.write_bytes(junk)
        out.unlink(missing_ok=True)
        line = calls[number % len(calls)]
        yield failure(lambda line=line: call(line))  # type: ignore[misc]
    for name, junk in ((name, junk) for name in own for junk in _JUNK):
        (folder / name).write_bytes(junk)
        yield failure(lambda: call("rate joke --json --no-history"))
        (folder / name).unlink()


def main() -> int:
    """Attack, and print the table. Exit status 1 if anything failed."""
    kinds = {kind.__name__: kind for kind in (writers, openings, heads, headers, templates, agents, files)}
    failed = 0
    print(f"{'attack':<10} {'tries':>6} {'failures':>9} {'seconds':>8}")
    for name in sys.argv[1:] or kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="jokejudge-attack-") as folder:
            outcomes = list(kinds[name](Path(folder), random.Random(1)))
        faults = [fault for fault in outcomes if fault is not None]
        failed += len(faults)
        print(f"{name:<10} {len(outcomes):>6} {len(faults):>9} {time.monotonic() - began:>8.0f}", flush=True)
        for fault in sorted(set(faults))[:10]:
            print(f"    {fault[:300]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
