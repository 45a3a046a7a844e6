"""Seconds of reading and judging: python -m tests.bench.speed [--model PATH|NAME] [--threads N] [--texts N]
[--lists N] [--contest N].

Prints for the first lines of tests/bench/fresh/texts.jsonl: processor seconds and tokens of a bare reading, of a rating
without and with its note, and of a duel, each text read anew; for N jokes of models/training/families.jsonl: wall and
processor seconds and memory of ``rate --batch`` with one and with the usual number of processes, over those of bare
reading by llama.cpp, and whether the verdicts are equal; of a contest; of commands in fresh processes; and of
Stop in the middle of a long text. Asserts nothing.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.finder import resolve_model
from jokejudge_gui.session.session import Session

from .common import model_parser, open_session

HERE = Path(__file__).parent
BARE = """
import json, sys, time
from jokejudge_gui.engine.binding import NativeContext, NativeModel
threads = int(sys.argv[3])
model = NativeModel(sys.argv[1])
context = NativeContext(model, context=2048, sequences=1, batch=512, threads=threads, batch_threads=threads)
begin, spent, count = time.perf_counter(), time.process_time(), 0
for text in json.load(open(sys.argv[2])):
    context.clear()
    tokens = model.tokenize(text, special=False)
    context.decode(tokens, range(len(tokens)), [[0]] * len(tokens), [0] * (len(tokens) - 1) + [1])
    count += len(tokens)
print(time.perf_counter() - begin, time.process_time() - spent, count)
"""


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lists", type=int, default=500)
    parser.add_argument("--contest", type=int, default=0)
    options = parser.parse_args()
    rows = [json.loads(line)["text"] for line in (HERE / "fresh" / "texts.jsonl").read_text("utf-8").splitlines()]
    texts = [clean_text(text) for text in itertools.islice(itertools.cycle(rows), options.texts)]
    with open_session(options) as session:
        verdicts(session, list(dict.fromkeys(texts)), options.rounds)
        stopped(session)
    with tempfile.TemporaryDirectory() as compiled:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as in an installed program
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        lists(options.model, options.lists, options.contest)
        starts()


def verdicts(session: Session, texts: list[str], rounds: int) -> None:
    """Processor seconds of each way to read a text, the least of some rounds, over those of a bare reading."""
    engine = session.judge.engine
    ways: dict[str, Callable[[str], object]] = {
        "bare reading": engine.scan,
        "rating without note": lambda text: list(session.rate(text, force=True, explain=False, record=False)),
        "rating with note": lambda text: list(session.rate(text, force=True, explain=True, record=False)),
        "duel with a word more": lambda text: list(session.duel(text, f"{text} Really.", record=False)),
    }
    seconds = {way: [float("inf")] * len(texts) for way in ways}
    tokens = dict.fromkeys(ways, 0)
    for turn, (at, text) in itertools.product(range(rounds), enumerate(texts)):
        for way, judge in ways.items():
            session.judge.reader = replace(session.judge.reader)  # without cached jokes
            before, begin = engine.usage.tokens_evaluated, time.process_time()
            judge(text)
            seconds[way][at] = min(seconds[way][at], time.process_time() - begin)
            tokens[way] += (engine.usage.tokens_evaluated - before) * (turn == 0)
    bare = seconds["bare reading"]
    for way, spent in seconds.items():
        ratio = statistics.median(one / other for one, other in zip(spent, bare, strict=True))
        milliseconds = 1000 * statistics.fmean(spent)
        print(f"{way:22} {milliseconds:6.1f} ms a text, {ratio:.2f} bare readings (median); {tokens[way]:,} tokens")


def stopped(session: Session) -> None:
    """Seconds from Stop to the end of a verdict on a long text."""
    token, asked = CancelToken(), [0.0]

    def stop() -> None:
        asked[0] = time.perf_counter()
        token.cancel()

    timer = threading.Timer(0.2, stop)
    timer.start()
    list(session.rate("The cat sat on the mat again. " * 250, ask="all", cancel=token, record=False))
    print(f"from Stop to the end: {time.perf_counter() - asked[0]:.3f} s")
    timer.join()


def measured(what: str, command: list[str], wall_and_processor: Sequence[float] = ()) -> str:
    """Run a command, print its wall and processor seconds, over those of something else if they are given, and the most
    memory that it and its children shared among them took, and return its output."""
    before, begin, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while True:
            try:
                output, errors = process.communicate(timeout=0.5)
                break
            except subprocess.TimeoutExpired:
                most = max(most, memory(process.pid))
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    fault = errors[-200:] if process.returncode else ""
    over = "".join(f", {a / b:.2f}" for a, b in zip((wall, spent), wall_and_processor, strict=False))
    print(f"{what:44} {wall:6.1f} s, {spent:6.1f} s of the processor{over}, {most >> 20} MB {fault}".rstrip())
    return output


def memory(pid: int) -> int:
    """The memory of a process and its children in bytes, shared pages by their share."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            total += int(line.split()[1]) * 1024 if line.startswith("Pss:") else 0
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split():
            total += memory(int(child))
        for task in Path(f"/proc/{pid}/task").iterdir():  # a thread's children
            if task.name != str(pid):
                total += sum(memory(int(child)) for child in (task / "children").read_text("ascii").split())
    except (OSError, ValueError, IndexError):
        pass
    return total


def lists(name: str | None, count: int, contest: int) -> None:
    """Lists in processes of their own, beside bare readings of the same texts."""
    model = resolve_model(name, Profile.default()).path
    families = (HERE.parents[1] / "models" / "training" / "families.jsonl").read_text("utf-8").splitlines()
    jokes = list(dict.fromkeys(clean_text(json.loads(line)["best"]) for line in families))
    with tempfile.TemporaryDirectory() as folder:
        plain, table = Path(folder) / "texts.json", Path(folder) / "texts.csv"

        def write(texts: list[str]) -> None:
            plain.write_text(json.dumps(texts), "utf-8")
            with table.open("w", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerows([("id", "text"), *enumerate(texts)])

        write(jokes[:count])
        program = [sys.executable, "-m", "jokejudge_gui"]
        options = ["--data-dir", folder, "--model", str(model), "-q"]
        subprocess.run([*program, "rate", *options, "--json", "A first one."], capture_output=True, check=True)
        verdicts = []
        for number, (jobs, more) in enumerate(itertools.product(("1", "0"), (["--no-explain"], []))):
            threads = "1" if number % 2 else "2"
            command = [sys.executable, "-c", BARE, str(model), str(plain), threads]
            *bare, tokens = map(float, measured(f"bare Llama reading, {threads} threads", command).split())
            print(f"{tokens:.0f} tokens in {bare[0]:.1f} s, {bare[1]:.1f} s of the processor: the ratios are to these")
            out = Path(folder) / f"{number}.jsonl"
            how = ["--batch", str(table), "--out", str(out), "--jobs", jobs, *more]
            notes = "without notes" if more else "with notes"
            measured(f"rate --batch --jobs {jobs} {notes}, start included", [*program, "rate", *options, *how], bare)
            verdicts.append([lasting(line) for line in out.read_text("utf-8").splitlines()])
        same = verdicts[:2] == verdicts[2:]
        print(f"verdicts on one process and on several: {'equal to the last bit' if same else 'DIFFERENT'}")
        if contest:
            write(jokes[:contest])
            measured(f"contest of {contest}", [*program, "contest", *options, str(table)])


def lasting(line: str) -> dict[str, object]:
    """A line of a batch without what differs from run to run."""
    return {
        name: value for name, value in json.loads(line).items() if name not in ("usage", "stage_seconds", "seconds")
    }


def starts() -> None:
    """Wall seconds of commands in fresh processes, the median of five."""
    program = [sys.executable, "-m", "jokejudge_gui"]
    for what, command in {
        "--version": [*program, "--version"],
        "history search": [*program, "history", "search", "doctor"],
        "rate --json": [*program, "rate", "--json", "--no-history", "A horse walks into a bar. Why the long face?"],
        "import jokejudge_gui": [sys.executable, "-c", "import jokejudge_gui"],
    }.items():
        spent = []
        for _ in range(5):
            begin = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            spent.append(time.perf_counter() - begin)
        print(f"{what}: {statistics.median(spent):.2f} s")


if __name__ == "__main__":
    main()
