"""The attack on whole files: histories, the shipped heads and cards, an old history killed during its migration to the
new schema."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from jokejudge_gui.history.migrations import STEPS
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

ROOT = Path(__file__).resolve().parents[2]
_OLD = ROOT / "tests" / "unit" / "history" / "data" / "version_4.sqlite3.gz"
_NESTED = b"[" * 100_000
_PARTS = ("jokejudge_gui", "criteria", "models", "resources")
_MINE = EMBEDDED_SHA256[:16]
_CHUNK = 32
Taken = Callable[[int | None, bytes], None]
_MOST_S, _MOST_MB, _WAIT_S = 2.0, 300, 60.0
_READING = (
    "rate --file BAD", "rate --batch BAD --out OUT", "duel A --file-b BAD", "duel --batch BAD --out OUT",
    "contest BAD", "contest LIST --out BAD", "contest LIST --resume BAD", "screen BAD", "screen LIST --out BAD",
    "workshop --file BAD", "audit --pairs BAD", "merge BAD --out OUT", "merge LIST --out BAD",
    "evaluate --pairs BAD", "evaluate --ratings BAD", "evaluate --reference BAD", "evaluate --compare BAD BAD",
    "evaluate --pairs PAIRS --out BAD", "models fit --pairs BAD", "models fit --ratings BAD",
    "template check BAD",
    "template check seeds BAD", "template run BAD LIST --out OUT", "template run seeds BAD --out OUT",
    "template stages --readings BAD --out OUT", "template stages --out BAD", "criteria import BAD",
    "criteria check BAD", "models use BAD", "rate A --model BAD", "rate --batch LIST --out BAD",
)  # fmt: skip
"""Every command that reads a user's file without starting a process or a model before it."""
_PIPED = (
    "rate -",
    "rate --batch - --out OUT",
    "duel --batch - --out OUT",
    "contest -",
    "screen -",
    "evaluate --pairs -",
)


def endless_files(folder: Path, profile: Path, *, quick: bool) -> Iterator[tuple[str, int | None, bytes, float, int]]:
    """Run each command that reads a file with /dev/zero, a 3 GB file of zeros and one of a single word, and those that
    read standard input with an endless pipe. Yields the command, exit status (None: it had to be ended), its message,
    seconds of a core beyond those that the program needs to start, and megabytes."""
    zeros, word = folder / "zeros", folder / "word"
    with zeros.open("wb") as stream:
        stream.truncate(3 << 30)
    with word.open("wb") as stream:
        stream.write(b"text\n")
        stream.truncate(3 << 30)
    (folder / "LIST").write_text("A cow walks in.\nA goat walks out.\n", encoding="utf-8")
    (folder / "PAIRS").write_text("text_a,text_b,winner\nA cow.,A goat.,A\n", encoding="utf-8")
    start = min(_measured(["--version"], profile, "/dev/null")[2] for _ in range(3))
    for command in _READING:
        for bad in ("/dev/zero",) if quick else ("/dev/zero", zeros, word):
            (folder / "OUT").unlink(missing_ok=True)
            named = {"BAD": str(bad), "A": "A joke."}
            named |= {name: str(folder / name) for name in ("LIST", "OUT", "PAIRS")}
            status, said, seconds, megabytes = _measured(
                [named.get(each, each) for each in command.split()], profile, "/dev/null"
            )
            yield f"{command} ({Path(bad).name})", status, said, seconds - start, megabytes
    for command in _PIPED:
        (folder / "OUT").unlink(missing_ok=True)
        words = [str(folder / "OUT") if each == "OUT" else each for each in command.split()]
        status, said, seconds, megabytes = _measured(words, profile, "/dev/zero")
        yield f"{command} (< /dev/zero)", status, said, seconds - start, megabytes


def _measured(words: list[str], profile: Path, stdin: str) -> tuple[int | None, bytes, float, int]:
    line = [sys.executable, "-m", "jokejudge_gui", *words, "--data-dir", str(profile)]
    with tempfile.TemporaryFile() as said, open(stdin, "rb") as given:
        process = subprocess.Popen(
            line, stdin=given, stdout=said, stderr=said, env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
        watch = threading.Timer(_WAIT_S, process.kill)
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.cancel()
        said.seek(0)
        killed = process.returncode == -signal.SIGKILL
        seconds = used.ru_utime + used.ru_stime
        return None if killed else process.returncode, said.read(), seconds, used.ru_maxrss >> 10


def told_endless(folder: Path, profile: Path, taken: Taken, *, quick: bool) -> int:
    """Try all of ``endless_files``, print each result, and return the number of those beyond the limits."""
    fell = 0
    for what, status, said, seconds, megabytes in endless_files(folder, profile, quick=quick):
        taken(status, said)
        much = seconds > _MOST_S or megabytes > _MOST_MB or status is None
        fell += much
        sentence = said.decode("utf-8", "replace").strip().split("\n")[0][:90]
        print(
            f"  {'!' if much else ' '} {what:<58} {status!s:>4} {seconds:>5.1f} s {megabytes:>5} MB  {sentence}",
            flush=True,
        )
    return fell


def damaged_histories(folder: Path, taken: Taken, *, quick: bool) -> int:
    """Try every damaged history in processes of 32, and return how many verdicts vanished without a message. A fault is
    counted as a call that printed one."""
    from .damaged_histories import variants

    names, lost = [name for name, _ in variants()], 0
    for first in range(0, len(names), _CHUNK)[: 1 if quick else None]:
        last = min(first + _CHUNK, len(names))
        line = [sys.executable, "-m", "tests.bench.damaged_histories", str(folder), str(first), str(last)]
        done = subprocess.run(line, capture_output=True, timeout=1800, check=False, cwd=ROOT)
        tried = [json.loads(row) for row in done.stdout.splitlines()]
        for row in tried:
            for fault in row["faults"]:
                print(f"    {row['variant']}: {fault}", file=sys.stderr)
            if row["unnamed"]:
                print(f"    {row['variant']}: a verdict is missing and isn't named", file=sys.stderr)
            taken(0, b"Please report" if row["faults"] else b"")
            lost += row["unnamed"]
        for name in names[first + len(tried) : last]:
            print(f"    {name}: the process ended ({done.returncode})", file=sys.stderr)
            taken(min(done.returncode, -1), done.stderr)
            break
    return lost


def shipped_files(folder: Path, run: Callable[..., tuple[int | None, bytes, bytes]], *, quick: bool) -> Iterator[bytes]:
    """Damage each file that ships for the embedded model in turn, in a copy of the program; yields each call's stderr,
    after ``run(*arguments, cwd=…)``."""
    tree = folder / "tree"
    for part in _PARTS:
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__", "training"))
    dice = random.Random(2)
    for file in _of_the_model(tree):
        whole = file.read_bytes()
        for damage in _damages(whole, dice)[:: 3 if quick else 1]:
            file.write_bytes(damage)
            for call in (("rate", "I used to be a banker, but I lost interest.", "--json", "--no-history"),
                         ("models", "trust", "--json")):  # fmt: skip
                status, _, said = run(*call, cwd=tree)
                yield (b"Please report" if status is None or status < 0 else b"") + said
        file.write_bytes(whole)


def _of_the_model(tree: Path) -> list[Path]:
    found = [path for path in (tree / "models").rglob(f"{_MINE}.*") if path.suffix in (".json", ".npz")]
    return sorted([*found, tree / "models" / "catalogue.json", tree / "models" / "votes" / "humor_mechanics.csv"])


def _damages(whole: bytes, dice: random.Random) -> list[bytes]:
    flipped = bytearray(whole)
    for _ in range(20):
        flipped[dice.randrange(len(flipped))] ^= 1 << dice.randrange(8)
    return [b"", whole[: len(whole) // 2], bytes(flipped), _NESTED]


def old_history(path: Path, verdicts: int) -> int:
    """Write a history of the previous version with about so many verdicts; returns their number."""
    path.write_bytes(gzip.decompress(_OLD.read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(verdicts)")]
        copied = ", ".join("id || '-' || :n" if name == "id" else name for name in columns if name != "seq")
        names = ", ".join(name for name in columns if name != "seq")
        known = connection.execute("SELECT seq FROM verdicts WHERE deleted_at IS NULL").fetchall()
        for number in range(verdicts // len(known)):
            for (seq,) in known:
                at = connection.execute(
                    f"INSERT INTO verdicts ({names}) SELECT {copied} FROM verdicts WHERE seq = :seq",
                    {"n": number, "seq": seq},
                ).lastrowid
                connection.execute("INSERT INTO results SELECT ?, body FROM results WHERE seq = ?", (at, seq))
        connection.commit()
        return int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def killed_migrations(folder: Path, taken: Taken, *, quick: bool) -> int:
    """Kill the program during the migration of an old history; returns the number of kills that lost a verdict, left
    the file between two schemas, or made it unreadable for the next start."""
    dice, lost = random.Random(3), 0
    sound = folder / "old.sqlite3"
    count = old_history(sound, 2_000 if quick else 20_000)
    for number in range(3 if quick else 12):
        home = folder / f"kill-{number}"
        home.mkdir()
        file = home / "history.sqlite3"
        shutil.copy2(sound, file)
        line = [sys.executable, "-m", "jokejudge_gui", "history", "list", "--data-dir", str(home)]
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)
        assert process.stderr is not None
        process.stderr.readline()  # the first output of its progress: it has begun
        time.sleep(2.0 * dice.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kept = _state(file)
        done = subprocess.run(line, capture_output=True, timeout=300, check=False, cwd=ROOT)
        taken(done.returncode, done.stderr)
        lost += kept not in ((4, count), (len(STEPS), count)) or _state(file) != (len(STEPS), count)
        with suppress(OSError):
            shutil.rmtree(home)
    return lost


def _state(file: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(file)) as connection:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        return version, int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])
