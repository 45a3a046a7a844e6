"""Histories damaged in every way of the attack, and a user's actions on one, in a process of its own:
``python -m tests.bench.damaged_histories FOLDER FROM TO`` tries some of them and prints a line of JSON for each.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from jokejudge_gui.cli import doctor
from jokejudge_gui.cli.main import main as terminal
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.library.probe import ProbeResult
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.app import Desktop
from jokejudge_gui.ui.look import theme
from tests.fake_engine import FakeEngine

JOKE = "Why did the heron cross the road?"
WORD = "heron"
ROWS = 12
BAD = f"v{ROWS // 2}"

_VALUES: tuple[tuple[str, str], ...] = (
    ("NULL", "NULL"),
    ("bytes", "x'fffe00'"),
    ("huge", "9e999"),
    ("number", "123456789012345678"),
    ("empty", "''"),
)
_COLUMNS = (
    *("created", "status", "kind", "mode", "seed", "tags", "note", "badge", "tone", "sentence", "value", "starred"),
    *("model_name", "model_sha256", "error", "error_code", "parent", "deleted_at", "owner", "explanation", "id"),
)
_TEXTS = (
    "UPDATE subjects SET text = CAST(x'41ff42' AS TEXT) WHERE seq = :seq",
    "UPDATE subjects SET text = 5 WHERE seq = :seq",
    "UPDATE subjects SET text = '' WHERE seq = :seq",
    "UPDATE subjects SET label = x'00' WHERE seq = :seq",
    "UPDATE subjects SET place = 'first' WHERE seq = :seq",
    "DELETE FROM subjects WHERE seq = :seq",
    "INSERT INTO subjects SELECT seq, 7, label, text FROM subjects WHERE seq = :seq AND place = 0",
)
_BODIES = (
    "'torn {'", "''", "'[]'", "'null'", "'5'", "x'00ff'", "replace(body, '{', '[')", "replace(body, ':true', ':1e999')",
    "replace(body, '\"text\"', '\"texts\"')", "substr(body, 1, length(body) / 2)",
    "(WITH RECURSIVE deep(n, t) AS (SELECT 1, '[' UNION ALL SELECT n + 1, t || t FROM deep WHERE n < 18) SELECT max(t) "
    "FROM deep)",
    "'{\"a\":1e400}'", "'{\"factors\": 7}'", "replace(body, '0.', '-1e308')",
)  # fmt: skip
_VOTES = (
    "UPDATE votes SET value = 9e999", "UPDATE votes SET created = 'whenever'", "UPDATE votes SET subjects = 'torn ['",
    "UPDATE votes SET subjects = '[5]'", "UPDATE votes SET model_name = x'00'", "UPDATE votes SET choice = 'maybe'",
    "UPDATE votes SET kind = 'sonnet'", "UPDATE votes SET subjects = '[]'", "UPDATE votes SET value = 'much'",
    "UPDATE verdict_tags SET tag = 5",
)  # fmt: skip
_SHAPES = (
    "DROP TABLE verdicts_fts", "DROP TABLE votes", "DROP TABLE results", "DROP TABLE subjects",
    "ALTER TABLE verdicts DROP COLUMN seconds", "ALTER TABLE votes RENAME COLUMN scale TO scales",
    "ALTER TABLE results RENAME TO old; CREATE VIEW results AS SELECT * FROM old",
    "DROP VIEW verdict_words", "DROP VIEW verdict_words; CREATE VIEW verdict_words AS SELECT 1 AS seq",
    "DROP TRIGGER verdicts_fts_delete", "DROP INDEX verdicts_live", "DELETE FROM verdicts_fts_data",
    "DELETE FROM verdicts_fts_config", "UPDATE verdicts_fts_data SET block = x'00ff'", "PRAGMA user_version = 4",
    "PRAGMA user_version = 1", "PRAGMA user_version = 99", "PRAGMA application_id = 7", "PRAGMA user_version = -3",
    "DROP TABLE verdicts_fts; CREATE TABLE verdicts_fts (subjects, note, tags, explanation)",
    "CREATE TRIGGER more AFTER INSERT ON verdicts BEGIN DELETE FROM results; END",
)  # fmt: skip

Spoil = Callable[[Path], None]


def variants() -> list[tuple[str, Spoil]]:
    """Return every way to damage a history, by name."""
    found: list[tuple[str, Spoil]] = []
    for column in _COLUMNS:
        for name, value in _VALUES:
            found.append((f"{column} = {name}", _sql(f"UPDATE verdicts SET {column} = {value} WHERE id = '{BAD}'")))
    for moment in ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "2025-01-01", "2025-13-45T00:00:00Z"):
        found.append((f"created {moment}", _sql(f"UPDATE verdicts SET created = '{moment}' WHERE id = '{BAD}'")))
    seq = f"(SELECT seq FROM verdicts WHERE id = '{BAD}')"
    found += [(text, _sql(text.replace(":seq", seq))) for text in _TEXTS]
    found += [(f"body {body}"[:60], _sql(f"UPDATE results SET body = {body} WHERE seq = {seq}")) for body in _BODIES]
    found += [(statement, _sql(statement)) for statement in (*_VOTES, *_SHAPES)]
    dice = random.Random(1)
    for flips in (1, 1, 1, 1, 3, 3, 10, 10, 40, 200):
        found.append((f"{flips} bytes flipped", _flip(dice.randrange(1 << 30), flips)))
    for share in (0.0, 0.001, 0.01, 0.3, 0.5, 0.7, 0.99):
        found.append((f"cut to {share:.3f}", _cut(share)))
    found += [
        ("a folder in its place", lambda path: (path.unlink(), path.mkdir())[0]),
        ("a fifo in its place", lambda path: (path.unlink(), os.mkfifo(path))[0]),
        ("a link to nowhere", lambda path: (path.unlink(), path.symlink_to("nowhere"))[0]),
        ("a link to itself", lambda path: (path.unlink(), path.symlink_to(path))[0]),
        ("text in its place", lambda path: (path.write_text("a shopping list"), None)[1]),
        ("a log of junk", lambda path: (path.with_name(f"{path.name}-wal").write_bytes(b"\xff" * 9000), None)[1]),
        ("a folder in the log's place", lambda path: path.with_name(f"{path.name}-wal").mkdir()),
    ]
    return found


def _sql(statements: str) -> Spoil:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.IntegrityError):
            connection.execute("PRAGMA ignore_check_constraints = ON")
            # NOT NULL columns are damaged in the schema's text first.
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
            connection.commit()
            connection.execute("PRAGMA writable_schema = RESET")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("PRAGMA writable_schema = ON")
            connection.executescript(statements)
            connection.commit()

    return spoil


def _flip(seed: int, flips: int) -> Spoil:
    def spoil(path: Path) -> None:
        dice, data = random.Random(seed), bytearray(path.read_bytes())
        for _ in range(flips):
            data[dice.randrange(100, len(data))] ^= 1 << dice.randrange(8)
        path.write_bytes(data)

    return spoil


def _cut(share: float) -> Spoil:
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


def write_sound(profile: Profile) -> None:
    """Write a history of ratings, duels, notes, tags, stars and votes, by the real session over the fake engine."""
    with closing(_session(profile)) as session:
        for number in range(ROWS):
            events = (
                session.duel(f"{JOKE} {number}", "A joke.") if number % 3 == 0 else session.rate(f"{JOKE} {number}")
            )
            for _ in events:
                pass
        for number, row in enumerate(session.store.search(HistoryQuery(sort="oldest"))):
            if number % 2:
                session.store.set_note(row.id, "A note.")
                session.store.set_tags(row.id, ["birds"])
            with contextlib.suppress(Exception):
                session.vote(row.id, "A" if row.kind == "duel" else "up")
    with closing(sqlite3.connect(profile.database)) as connection:
        connection.execute("UPDATE votes SET verdict_id = (SELECT 'v' || seq FROM verdicts WHERE id = verdict_id)")
        connection.execute("UPDATE verdicts SET id = 'v' || seq")
        connection.commit()
        connection.execute("PRAGMA journal_mode = delete")


def _session(profile: Profile, settings: Settings | None = None) -> Session:
    settings = settings or Settings(reduced_motion=True)
    return Session(profile, settings, loader=lambda _file, _settings, _cancel: FakeEngine())


def _calls(folder: Path) -> Iterator[list[str]]:
    for form in ([], ["--json"]):
        yield ["history", "list", *form]
        yield ["history", "search", WORD, *form]
        yield ["history", "show", BAD, *form]
        yield ["history", "show", "last", *form]
    yield ["history", "list", "--sort", "score_high"]
    for suffix in ("csv", "jsonl", "md", "html"):
        yield ["history", "export", str(folder / f"out.{suffix}")]
    yield ["doctor"]
    yield ["votes", "list"]
    yield ["votes", "fit"]
    yield ["votes", "export", str(folder / "votes.csv")]
    yield ["rate", JOKE, "--json"]
    yield ["rate", JOKE, "--no-history"]
    yield ["history", "tag", BAD, "tag"]
    yield ["history", "delete", BAD]
    yield ["history", "undo"]
    yield ["history", "purge"]


def attack(profile: Profile, out: Path) -> list[str]:
    """Take all actions of a user, by the terminal's calls and in a window; return a line for each program fault."""
    faults: list[str] = []
    _window(profile, faults)
    for call in _calls(out):
        said = io.StringIO()
        with (
            contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")),
            contextlib.redirect_stderr(said),
        ):
            try:
                status = terminal(
                    [*call, "--debug", "--data-dir", str(profile.data)], open_session=lambda p, s: _session(p, s)
                )
            except BaseException:  # noqa: BLE001  (whatever got out is a fault of the program)
                status, _ = 99, said.write(traceback.format_exc())
        if status not in (0, 1) or "Traceback (most recent" in said.getvalue():
            last = [line for line in said.getvalue().splitlines() if line.strip()]
            faults.append(f"{' '.join(call[:3])}: status {status}: {_places(said.getvalue())} {last[-3:-1]}"[:600])
    return faults


def _places(said: str) -> list[str]:
    return [line.strip()[-90:] for line in said.splitlines() if "jokejudge_gui" in line][-4:]


def _window(profile: Profile, faults: list[str]) -> None:
    """Open the window, open every row of its list, close it."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    caught: list[str] = []
    old = sys.excepthook
    sys.excepthook = (
        lambda kind, value, trace: caught.append(  # type: ignore[assignment]
            " | ".join(line.strip() for line in traceback.format_exception(kind, value, trace)[-4:])
        )
    )
    desktop = Desktop(app, profile, Settings(reduced_motion=True), lambda _file, _settings, _cancel: FakeEngine())
    try:
        desktop.open()
        _pump(app)
        if desktop.main is not None:
            for row in desktop.main.pane.model.rows():
                desktop.main.open_verdict(row.id)
                app.processEvents()
    except BaseException:  # noqa: BLE001  (as above)
        caught.append(traceback.format_exc()[-600:])
    finally:
        if desktop.window is not None:
            desktop.window.close()
            for _ in range(500):
                _pump(app, 2)
                if desktop.main is None or desktop.main.is_closed():
                    break
            desktop.window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        sys.excepthook = old
    faults += [f"window: {words}"[:600] for words in caught]


def _pump(app: QApplication, rounds: int = 30) -> None:
    for _ in range(rounds):
        app.processEvents()


def unnamed(profile: Profile) -> bool:
    """Whether a verdict is missing from the list without being named: the history opens, and the damaged one is neither
    among the entries nor among those left out."""
    try:
        with closing(HistoryStore(profile.database, KINDS)) as store:
            left: list[str] = []
            known = {entry.row.id for entry in store.entries(left_out=left.append)} | set(left)
            return len(known) < ROWS and not store.notes
    except Exception:  # noqa: BLE001  (a refused file names itself)
        return False


def run(folder: Path, first: int, last: int) -> None:
    """Try some of the variants; print a line of JSON for each."""
    app = QApplication([])
    theme.install(app, "light", 1.0, reduced_motion=True)
    sound = Profile.at(folder / "sound")
    if not sound.database.exists():
        write_sound(sound)
    doctor.resolve_model = _no_model  # type: ignore[assignment]
    for number, (name, spoil) in list(enumerate(variants()))[first:last]:
        profile = Profile.at(folder / f"variant-{number}")
        shutil.copytree(sound.data, profile.data)
        spoil(profile.database)
        lost = unnamed(profile) if profile.database.is_file() else False
        print(json.dumps({"variant": name, "faults": attack(profile, folder), "unnamed": lost}), flush=True)
        shutil.rmtree(profile.data)


def _no_model(*_: Any) -> ProbeResult:
    from jokejudge_gui.core.errors import ModelError

    raise ModelError("E_MODEL_MISSING", "The attack is on the history alone.")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
