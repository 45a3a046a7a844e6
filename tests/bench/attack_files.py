"""The attack on whole files: endless ones, and the shipped heads and cards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from jokejudge_gui.library.embedded import EMBEDDED_SHA256

ROOT = Path(__file__).resolve().parents[2]
_NESTED = b"[" * 100_000
_PARTS = ("jokejudge_gui", "criteria", "models", "resources")
_MINE = EMBEDDED_SHA256[:16]
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
