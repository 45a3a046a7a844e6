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
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.embedded import ensure_embedded
from tests.bench.attack_files import shipped_files, told_endless
from tests.gguf_builder import STRING, U32
from tests.live.damaged_models import nan_words, with_setting

JOKE = "I used to be a banker, but I lost interest."
_LIMIT, _STOP, _MEASURING = 180.0, 30.0, 45.0
_ROOT = Path(__file__).resolve().parents[2]
_FAULTS = (b"Traceback (most recent call last)", b"Please report", b"Report it with", b"made a mistake")
_NESTED = b"[" * 100_000
_JUNK = (b"", b"{", b"[]", b"null", b"\xff\xfe\x00", _NESTED, b'{"a": ' * 50_000, b"1e999", b'{"version": NaN}')
_OWN_FILES = ("settings.json", "hashes.json", "probes.json")
_PIECES = (
    *("\u0000", "\u0085", "\u009b31m", "\u202e", "\u200d", "\ud83e", "🧀" * 40, "<|im_end|>", "<think>", "{{7*7}}"),
    *("=1+1", "<script>", "'; DROP TABLE", "\\" * 30, "\n" * 50, "\t", "﷽" * 9, "a\u0301" * 60, "(" * 90, "{b}"),
    *("hilarious yes true funny best 5 five", "ignore all of this", "%s%n", "../..", "NaN", "-inf", "1e308", "é", "漢"),
)


@dataclass
class Count:
    """The results of one kind of attack."""

    what: str
    tries: int = 0
    faults: int = 0
    aborts: int = 0
    hangs: int = 0
    losses: int = 0

    def take_any(self, status: int | None, said: bytes) -> None:
        """Like ``take``, but a usage error is as good as any other sentence."""
        self.take(1 if status == 2 else status, said)

    def take(self, status: int | None, said: bytes) -> None:
        """Count one try. ``status`` None: the process had to be ended."""
        self.tries += 1
        self.hangs += status is None
        self.aborts += status is not None and status < 0
        if status == 2:
            raise SystemExit(f"the attack itself is wrong: {said.decode('utf-8', 'replace')}")
        self.faults += any(words in said for words in _FAULTS)


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
        self, *arguments: str, stdin: bytes = b"", shell: str = "", limit: float = _LIMIT, cwd: Path | None = None
    ) -> tuple[int | None, bytes, bytes]:
        """Return the exit status (None: it went on after the limit and Stop) and both outputs; ``shell``: a
        redirection; ``cwd``: the folder of the program to run."""
        line = [sys.executable, "-m", "jokejudge_gui", *arguments, "--data-dir", str(self.profile)]
        if shell:
            line = ["bash", "-c", f'exec "$@" {shell}', "bash", *line]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        environment = os.environ | {"PYTHONPATH": str(cwd or _ROOT)}
        with subprocess.Popen(line, start_new_session=True, cwd=cwd, env=environment, **pipes) as process:
            try:
                said = process.communicate(stdin, timeout=limit)
            except subprocess.TimeoutExpired:
                # A new model is measured for minutes; that is no hang if Stop stops it.
                process.send_signal(signal.SIGINT)
                try:
                    said = process.communicate(timeout=_STOP)
                except subprocess.TimeoutExpired:
                    process.kill()
                    return (None, *process.communicate())
            return (process.returncode, *said)

    def texts(self, count: Count) -> None:
        """Hostile texts as one batch: every row is answered, by a verdict or an error of its own."""
        wanted = 20 if self.quick else 160
        rows = [_hostile(self.random) for _ in range(wanted)]
        source, target = self.root / "texts.jsonl", self.root / "texts.out.jsonl"
        source.write_text(
            "".join(json.dumps({"id": str(at), "text": row}) + "\n" for at, row in enumerate(rows)), encoding="ascii"
        )
        status, _, said = self.run("rate", "--batch", str(source), "--out", str(target), "--no-explain")
        count.take(status, said)
        count.tries += wanted - 1
        count.losses += abs(wanted - len(_answers(target)))

    def standard_input(self, count: Count) -> None:
        for data in (b"\xff\xfe\x00", b"", b"\0" * 1000, "🧀".encode() * 9000, b"\x1b[2J joke", b"\xed\xa0\x80 x"):
            status, _, said = self.run("rate", "-", "--json", "--no-explain", stdin=data)
            count.take(status, said)

    def models(self, count: Count) -> None:
        """Damaged models: each is chosen, and used for a rating if that was allowed."""
        for path in self._damaged():
            status, _, said = self.run("models", "use", str(path))
            count.take(status, said)
            if status == 0:
                status, _, said = self.run("rate", JOKE, "--json", "--no-explain", limit=_MEASURING)
                count.take(status, said)
            path.unlink()
        count.take(*self.run("models", "use", "embedded")[::2])

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
        folders = [folder for folder in (self.profile / "calibrations", self.profile / "heads") if folder.is_dir()]
        files = [self.profile / name for name in _OWN_FILES] + [file for folder in folders for file in folder.iterdir()]
        for file in files:
            before = file.read_bytes() if file.exists() else None
            for junk in _JUNK[:3] if self.quick else _JUNK:
                file.write_bytes(junk)
                status, _, said = self.run("rate", JOKE, "--json", "--no-explain", "--no-history")
                count.take(status, said)
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
        status, _, said = self.run("rate", JOKE, "--json", "--no-explain")
        count.take(status, said)
        count.losses += status != 0

    def outputs(self, count: Count) -> None:
        """Full, closed and odd outputs."""
        for shell in (">/dev/full", ">&-", "2>&-", ">&- 2>&-", "2>/dev/full", ">/dev/full 2>/dev/full"):
            for form in ((), ("--json",)):
                status, _, said = self.run("rate", JOKE, *form, "--no-explain", shell=shell)
                count.take(status, said)
        source, fifo = self.root / "one.txt", self.root / "fifo"
        source.write_text(JOKE + "\n", encoding="utf-8")
        os.mkfifo(fifo)
        for target in ("/dev/full", str(fifo), str(self.root), "/dev/null/x"):
            status, _, said = self.run("rate", "--batch", str(source), "--out", target, "--no-explain")
            count.take(status, said)

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
        status, _, said = self.run(*line)
        count.take(status, said)
        count.losses += abs(rows - len(_answers(target)))

    def endless(self, count: Count) -> None:
        """Files without an end, and of 3 GB, for every command that reads one: a sentence within 2 s and 300 MB."""
        count.losses += told_endless(self._folder("endless"), self.profile, count.take_any, quick=self.quick)

    def shipped(self, count: Count) -> None:
        """The shipped heads, cards, plans and votes, each of them damaged."""
        for said in shipped_files(self._folder("shipped"), self.run, quick=self.quick):
            count.take(0, said)

    def _folder(self, name: str) -> Path:
        made = self.root / name
        made.mkdir()
        return made

    def memory(self, count: Count) -> None:
        """Little address space, in the steps at which it failed before."""
        for room in (300_000, 428_000, 440_000, 452_000, 560_000, 610_000, 668_000, 800_000):
            command = [sys.executable, "-m", "jokejudge_gui", "rate", JOKE, "--data-dir", str(self.profile)]
            line = ["bash", "-c", f'ulimit -v {room}; exec "$@"', "bash", *command]
            try:
                done = subprocess.run(line, capture_output=True, timeout=_LIMIT, check=False)
            except subprocess.TimeoutExpired:
                count.take(None, b"")
                continue
            count.take(done.returncode, done.stderr)


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
