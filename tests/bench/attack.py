"""Attacks the program in its own process and counts the failures: ``python -m tests.bench.attack [--quick]``.

A table of counts on standard output: tries, program faults (the crash message, or a traceback), aborts (a signal that
nobody sent), hangs, and losses. Every number beyond the tries should be zero. Needs the embedded model in its place."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.embedded import EMBEDDED_SHA256, ensure_embedded
from tests.gguf_builder import STRING, U32
from tests.live.damaged_models import nan_words, with_setting

ROOT = Path(__file__).resolve().parents[2]
JOKE = "I used to be a banker, but I lost interest."
_LIMIT, _STOP, _MEASURING = 180.0, 30.0, 45.0
_FAULTS = (b"Traceback (most recent call last)", b"Please report", b"Report it with", b"made a mistake")
_NESTED = b"[" * 100_000
_JUNK = (b"", b"{", b"[]", b"null", b"\xff\xfe\x00", _NESTED, b'{"a": ' * 50_000, b"1e999", b'{"version": NaN}')
_OWN_FILES = ("settings.json", "hashes.json", "probes.json")
_PIECES = (
    *("\u0000", "\u0085", "\u009b31m", "\u202e", "\u200d", "\ud83e", "🧀" * 40, "<|im_end|>", "<think>", "{{7*7}}"),
    *("=1+1", "<script>", "'; DROP TABLE", "\\" * 30, "\n" * 50, "\t", "﷽" * 9, "a\u0301" * 60, "(" * 90, "{b}"),
    *("hilarious yes true funny best 5 five", "ignore all of this", "%s%n", "../..", "NaN", "-inf", "1e308", "é", "漢"),
)
_READING = (
    "rate --file BAD", "rate --batch BAD --out OUT", "duel A --file-b BAD", "duel --batch BAD --out OUT",
    "contest BAD", "contest LIST --out BAD", "contest LIST --resume BAD", "screen BAD", "screen LIST --out BAD",
    "workshop --file BAD", "audit --pairs BAD", "merge BAD --out OUT", "merge LIST --out BAD",
    "evaluate --pairs BAD", "evaluate --ratings BAD", "evaluate --compare BAD BAD",
    "evaluate --pairs PAIRS --out BAD", "models fit --pairs BAD", "models fit --ratings BAD",
    "template check BAD",
    "template check seeds BAD", "template run BAD LIST --out OUT", "template run seeds BAD --out OUT",
    "criteria import BAD",
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


class Done(NamedTuple):
    """A call that ended. ``status`` None: it went on after the limit and Stop."""

    status: int | None
    out: bytes
    err: bytes
    seconds: float
    megabytes: int


@dataclass
class Count:
    """The results of one kind of attack."""

    what: str
    tries: int = 0
    faults: int = 0
    aborts: int = 0
    hangs: int = 0
    losses: int = 0

    def take(self, done: Done, *, usage: bool = False) -> None:
        """Count one try. ``usage``: a usage error is as good as any other sentence."""
        if done.status == 2 and not usage:
            raise SystemExit(f"the attack itself is wrong: {done.err.decode('utf-8', 'replace')}")
        self.tries += 1
        self.hangs += done.status is None
        self.aborts += done.status is not None and done.status < 0
        self.faults += any(words in done.err for words in _FAULTS)


class Attacks:
    """All attacks on throw-away profiles below ``root``, each with a copy of the embedded model."""

    def __init__(self, root: Path, quick: bool) -> None:
        self.root = root
        self.quick = quick
        self.random = random.Random(1)
        self.profile = root / "profile"
        self.model = ensure_embedded(Profile.default())
        (self.profile / "models").mkdir(parents=True)
        for file in (self.model, self.model.with_name(f".{self.model.name}.json")):
            shutil.copy2(file, self.profile / "models" / file.name)

    def run(
        self,
        *arguments: str,
        stdin: bytes | Path = b"",
        before: str = "",
        after: str = "",
        limit: float = _LIMIT,
        tree: Path = ROOT,
    ) -> Done:
        """Call the program of a ``tree``. ``before``, ``after``: what a shell is told, such as a redirection."""
        line = [sys.executable, "-m", "jokejudge_gui", *arguments, "--data-dir", str(self.profile)]
        if before or after:
            line = ["bash", "-c", f'{before} exec "$@" {after}', "bash", *line]
        given = self.root / "stdin"
        if isinstance(stdin, bytes):
            given.write_bytes(stdin)
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            (given if isinstance(stdin, bytes) else stdin).open("rb") as read,
        ):
            environment = os.environ | {"PYTHONPATH": str(tree)}
            process = subprocess.Popen(
                line, start_new_session=True, cwd=tree, env=environment, stdin=read, stdout=out, stderr=err
            )
            # A new model is measured for minutes; that is no hang if Stop stops it.
            stop = threading.Timer(limit, process.send_signal, (signal.SIGINT,))
            end = threading.Timer(limit + _STOP, process.kill)
            stop.start()
            end.start()
            _, status, used = os.wait4(process.pid, 0)
            stop.cancel()
            end.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            killed = process.returncode == -signal.SIGKILL
            seconds = used.ru_utime + used.ru_stime
            return Done(None if killed else process.returncode, out.read(), err.read(), seconds, used.ru_maxrss >> 10)

    def texts(self, count: Count) -> None:
        """Hostile texts as one batch: every row is answered, by a verdict or an error of its own."""
        wanted = 20 if self.quick else 160
        rows = [_hostile(self.random) for _ in range(wanted)]
        source, target = self.root / "texts.jsonl", self.root / "texts.out.jsonl"
        source.write_text(
            "".join(json.dumps({"id": str(at), "text": row}) + "\n" for at, row in enumerate(rows)), encoding="ascii"
        )
        count.take(self.run("rate", "--batch", str(source), "--out", str(target), "--no-explain"))
        count.tries += wanted - 1
        count.losses += abs(wanted - len(_answers(target)))

    def standard_input(self, count: Count) -> None:
        for data in (b"\xff\xfe\x00", b"", b"\0" * 1000, "🧀".encode() * 9000, b"\x1b[2J joke", b"\xed\xa0\x80 x"):
            count.take(self.run("rate", "-", "--json", "--no-explain", stdin=data))

    def models(self, count: Count) -> None:
        """Damaged models: each is chosen, and used for a rating if that was allowed."""
        for path in self._damaged():
            used = self.run("models", "use", str(path))
            count.take(used)
            if used.status == 0:
                count.take(self.run("rate", JOKE, "--json", "--no-explain", limit=_MEASURING))
            path.unlink()
        count.take(self.run("models", "use", "embedded"))

    def _damaged(self) -> Iterator[Path]:
        whole = self.model.read_bytes()
        path = self.root / "damaged.gguf"
        for size in (1, 40, 100, 120, 511):
            yield with_setting(self.model, path, "llama.context_length", U32, size)
        for template in (
            "{% for a in range(9999) %}" * 3 + "{% endfor %}" * 3,
            "{{ 'x' * 100000 }}",
            "{% if",
            "{{ 1/0 }}",
        ):
            yield with_setting(self.model, path, "tokenizer.chat_template", STRING, template)
        yield nan_words(self.model, path, tuple(range(1000, 3000)))
        for place in range(2 if self.quick else 12):
            data = bytearray(whole[: 1 << 22] if place % 3 == 0 else whole)
            for _ in range(20):
                data[self.random.randrange(min(len(data), 1 << 21))] = self.random.randrange(256)
            path.write_bytes(data)
            yield path
        for cut in (0, 3, 24, 5000, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:cut])
            yield path

    def own_files(self, count: Count) -> None:
        """Junk in the place of each of the program's own files."""
        folders = [path for path in (self.profile / "models").iterdir() if path.is_dir()]
        files = [self.profile / name for name in _OWN_FILES] + [file for folder in folders for file in folder.iterdir()]
        for file in files:
            before = file.read_bytes() if file.exists() else None
            for junk in _JUNK[:3] if self.quick else _JUNK:
                file.write_bytes(junk)
                count.take(self.run("rate", JOKE, "--json", "--no-explain", "--no-history"))
            file.unlink(missing_ok=True)
            if before is not None:
                file.write_bytes(before)

    def embedded(self, count: Count) -> None:
        """The embedded model damaged, with its size and time unchanged."""
        file = self.profile / "models" / self.model.name
        status_before = file.stat()
        with file.open("r+b") as stream:
            stream.seek(status_before.st_size // 2)
            stream.write(b"\xff" * 4096)
        os.utime(file, ns=(status_before.st_atime_ns, status_before.st_mtime_ns))
        rated = self.run("rate", JOKE, "--json", "--no-explain")
        count.take(rated)
        count.losses += rated.status != 0

    def outputs(self, count: Count) -> None:
        """Full, closed and odd outputs."""
        for shell in (">/dev/full", ">&-", "2>&-", ">&- 2>&-", "2>/dev/full", ">/dev/full 2>/dev/full"):
            for form in ((), ("--json",)):
                count.take(self.run("rate", JOKE, *form, "--no-explain", after=shell))
        source, fifo = self.root / "one.txt", self.root / "fifo"
        source.write_text(JOKE + "\n", encoding="utf-8")
        os.mkfifo(fifo)
        for target in ("/dev/full", str(fifo), str(self.root), "/dev/null/x"):
            count.take(self.run("rate", "--batch", str(source), "--out", target, "--no-explain"))

    def kills(self, count: Count) -> None:
        """A batch killed again and again: finished answers stay, and the end has every row once."""
        rows = 12 if self.quick else 40
        source, target = self.root / "kills.txt", self.root / "kills.jsonl"
        source.write_text("".join(f"Joke {n}: {JOKE}\n" for n in range(rows)), encoding="utf-8")
        line = ["rate", "--batch", str(source), "--out", str(target), "--no-explain"]
        full = [sys.executable, "-m", "jokejudge_gui", *line, "--data-dir", str(self.profile)]
        kept: list[bytes] = []
        for _ in range(3 if self.quick else 12):
            process = subprocess.Popen(full, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(2.0 + 6.0 * self.random.random())
            process.send_signal(signal.SIGKILL)
            process.wait()
            count.tries += 1
            now = _answers(target)
            count.losses += now[: len(kept)] != kept
            kept = now
        count.take(self.run(*line))
        count.losses += abs(rows - len(_answers(target)))

    def endless(self, count: Count) -> None:
        """Files without an end, and of 3 GB, for every command that reads one: a sentence within 2 s and 300 MB.
        Seconds are of a core, beyond those that the program needs to start."""
        folder, zero = self._folder("endless"), Path("/dev/zero")
        names = {"A": "A joke.", **{name: str(folder / name) for name in ("LIST", "OUT", "PAIRS")}}
        for name, start in (("zeros", b""), ("word", b"text\n")):
            with (folder / name).open("wb") as stream:
                stream.write(start)
                stream.truncate(3 << 30)
        (folder / "LIST").write_text("A cow walks in.\nA goat walks out.\n", encoding="utf-8")
        (folder / "PAIRS").write_text("text_a,text_b,winner\nA cow.,A goat.,A\n", encoding="utf-8")
        least = min(self.run("--version").seconds for _ in range(3))
        calls = [(command, Path(os.devnull), zero) for command in _READING]
        if not self.quick:
            calls += [(command, Path(os.devnull), folder / name) for command in _READING for name in ("zeros", "word")]
        for command, stdin, bad in [*calls, *((command, zero, zero) for command in _PIPED)]:
            (folder / "OUT").unlink(missing_ok=True)
            words = [(names | {"BAD": str(bad)}).get(word, word) for word in command.split()]
            done = self.run(*words, stdin=stdin, limit=60.0)
            count.take(done, usage=True)
            seconds = done.seconds - least
            much = seconds > 2.0 or done.megabytes > 300 or done.status is None
            count.losses += much
            what = f"{command} ({bad.name})" if stdin != zero else f"{command} (< /dev/zero)"
            said = (done.out + done.err).decode("utf-8", "replace").strip().split("\n")[0][:90]
            figures = f"{done.status!s:>4} {seconds:>5.1f} s {done.megabytes:>5} MB"
            print(f"  {'!' if much else ' '} {what:<58} {figures}  {said}", flush=True)

    def shipped(self, count: Count) -> None:
        """Each file that ships for the embedded model damaged in turn, in a copy of the program."""
        tree = self._folder("shipped") / "tree"
        for part in ("jokejudge_gui", "criteria", "models", "resources"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__", "training"))
        mine = [
            *(tree / "models").rglob(f"{EMBEDDED_SHA256[:16]}.*"),
            *(tree / "models" / EMBEDDED_SHA256[:16]).glob("*"),
        ]
        files = sorted(path for path in mine if path.suffix in (".json", ".npz"))
        for file in (*files, tree / "models" / "catalogue.json", tree / "models" / "votes" / "humor_mechanics.csv"):
            whole = file.read_bytes()
            flipped = bytearray(whole)
            for _ in range(20):
                flipped[self.random.randrange(len(flipped))] ^= 1 << self.random.randrange(8)
            for damage in (b"", whole[: len(whole) // 2], bytes(flipped), _NESTED)[:: 3 if self.quick else 1]:
                file.write_bytes(damage)
                count.take(self.run("rate", JOKE, "--json", "--no-history", tree=tree), usage=True)
                count.take(self.run("models", "trust", "--json", tree=tree), usage=True)
            file.write_bytes(whole)

    def memory(self, count: Count) -> None:
        """Little address space, in the steps at which it failed before."""
        for room in (300_000, 428_000, 440_000, 452_000, 560_000, 610_000, 668_000, 800_000):
            count.take(self.run("rate", JOKE, before=f"ulimit -v {room};"))

    def _folder(self, name: str) -> Path:
        made = self.root / name
        made.mkdir()
        return made


def _answers(target: Path) -> list[bytes]:
    """The whole lines of a batch's results that answer a row; the first line names the run."""
    lines = target.read_bytes().split(b"\n")[:-1] if target.exists() else []
    return [line for line in lines if json.loads(line).get("id") is not None]


def _hostile(random_: random.Random) -> str:
    return " ".join(random_.choice((*_PIECES, "duck", "bar", "why")) for _ in range(random_.randrange(1, 12)))


def main() -> int:
    """Attack, and print the table. Exit status 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few of each, in some minutes")
    parser.add_argument("--only", help="one kind of attack by its name")
    options = parser.parse_args()
    fell = 0
    with tempfile.TemporaryDirectory(prefix="jokejudge-attack-") as folder:
        attacks = Attacks(Path(folder), options.quick)
        kinds: dict[str, Callable[[Count], None]] = {
            "texts": attacks.texts,
            "input": attacks.standard_input,
            "memory": attacks.memory,
            "outputs": attacks.outputs,
            "endless": attacks.endless,
            "own files": attacks.own_files,
            "kills": attacks.kills,
            "models": attacks.models,
            "embedded": attacks.embedded,
            "shipped": attacks.shipped,
        }
        print(f"{'attack':<10} {'tries':>6} {'faults':>7} {'aborts':>7} {'hangs':>6} {'losses':>7} {'seconds':>8}")
        for name, attack in kinds.items():
            if options.only not in (None, name):
                continue
            count, began = Count(name), time.monotonic()
            attack(count)
            fell += count.faults + count.aborts + count.hangs + count.losses
            figures = f"{count.tries:>6} {count.faults:>7} {count.aborts:>7} {count.hangs:>6} {count.losses:>7}"
            print(f"{name:<10} {figures} {time.monotonic() - began:>8.0f}", flush=True)
    return 1 if fell else 0


if __name__ == "__main__":
    sys.exit(main())
