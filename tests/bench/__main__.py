"""One table in one run: python -m tests.bench [--model PATH|NAME] [--jokes N] [--quick] [--env FOLDER].

A verdict's seconds on this machine: JokeJudge's own, those of the same questions in other ways that people would ask
them, and the least possible. The contenders take turns joke by joke, so that noise affects all of them.
tests/bench/README.md describes how each asks, and holds figures. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.loader import physical_cores
from jokejudge_gui.library.finder import ModelFile, resolve_model
from jokejudge_gui.rubric.xml_parser import Criteria, load_criteria

from .contenders.base import Contender, Unavailable
from .contenders.ours import Ours, Verdict, make_ready
from .contenders.plain_llama import NAMES, PlainLlama, Reuse
from .contenders.server import Server
from .contenders.typed import TypedGguf
from .limit import Limit
from .questions import Job
from .verdicts import processor

COLD, RESTART, WARM = "JokeJudge, cold", "JokeJudge, restarted, states on disk", "JokeJudge, warm"
WRITTEN = ", with explanation"
LIMIT, LIMIT_BEHIND = "limit: rate in an empty context", "limit: rate behind the constant prompt"
KINDS = ("rate", "duel")


@dataclass
class Board:
    """Seconds by row and kind, and the number of questions asked."""

    seconds: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    shares: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def note(self, row: str, kind: str, seconds: float, asked: int = 0, questions: int = 0) -> None:
        self.seconds.setdefault((row, kind), []).append(seconds)
        if questions:
            self.shares[row, kind] = (asked, questions)

    def median(self, row: str, kind: str) -> float | None:
        found = self.seconds.get((row, kind))
        return statistics.median(found) if found else None

    def rows(self) -> list[str]:
        return list(dict.fromkeys(row for row, _ in self.seconds))


def main() -> None:
    options = arguments()
    criteria = load_criteria()
    jokes = criteria.contrast.baseline
    count = 1 if options.quick else options.jokes
    given = resolve_model(options.model, Profile.default())
    model = ModelFile(given.path, given.name, given.sha256 or sha256_of(given.path, lambda _done: None))
    print(f"machine: {processor()}, {physical_cores()} cores; model: {model.name}; jokes: {count}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(options, folder, model, criteria)
        try:
            for number in range(count):
                if time.monotonic() > bench.deadline:
                    print(f"time is up after {number} jokes")
                    break
                bench.round(number, jokes[number], jokes[number + 1])
                print(f"joke {number + 1} of {count} done, {time.monotonic() - bench.begin:.0f} s", flush=True)
            report(bench)
        finally:
            bench.close()


class Bench:
    """All contenders over one model, and their results."""

    def __init__(self, options: argparse.Namespace, folder: Path, model: ModelFile, criteria: Criteria) -> None:
        self.begin = time.monotonic()
        self.deadline = self.begin + 60 * (options.minutes or (5 if options.quick else 30))
        self.options = options
        self.board = Board()
        self.tokens: dict[tuple[str, str], list[Verdict]] = {}
        self._folder = folder
        self._model = model
        self._states = folder / "states"
        shipped = make_ready(self._profile("warm"), model, criteria.contrast.baseline[-4:], states=self._states)
        print("calibration: " + ("shipped" if shipped else "made up from four jokes, for the cost alone"), flush=True)
        self._warm = Ours(self._profile("warm"), model, states=self._states)
        list(self._warm.session.warm())
        self._earlier = {
            kind: self._warm.verdict(texts, explain=True).job
            for kind, texts in (
                ("rate", ("A man walks into a bar. Ouch.",)),
                ("duel", ("A man walks into a bar. Ouch.", "My cat is late, so the mouse has begun.")),
            )
        }
        judge = self._warm.judge
        constant = "".join(segment.text for segment in judge.prompts.constant_part("reading"))
        self.limit = Limit(model.path, context=Settings().context, prefix=constant)
        self.contenders = self._contenders(criteria)

    def round(self, number: int, joke: str, other: str) -> None:
        """Run every contender on one joke and one pair; JokeJudge warm and the machine's rates are measured before and
        after them."""
        for kind, texts in (("rate", (joke,)), ("duel", (joke, other))):
            say(f"joke {number + 1}, {kind}: JokeJudge")
            job = self._ours(kind, texts)
            turn = number % max(len(self.contenders), 1)
            for contender in self.contenders[turn:] + self.contenders[:turn]:
                if time.monotonic() > self.deadline:
                    self.board.missing.setdefault(f"{contender.name}, {kind}", "time was up")
                    continue
                say(f"joke {number + 1}, {kind}: {contender.name}")
                if isinstance(contender, Server):
                    contender.measure_rate()
                    if number == 0:
                        contender.seconds(self._earlier[kind])  # the constant prompts have been read, as by ours
                seconds, asked = contender.seconds(job)
                self.board.note(contender.name, kind, seconds, asked, job.questions)
            self.limit.measure((2, 3))
            self._note(WARM, kind, self._warm.verdict(texts, explain=False))

    def _ours(self, kind: str, texts: tuple[str, ...]) -> Job:
        """Run JokeJudge warm, restarted and cold, without and with explanation; return the questions that the warm one
        asked."""
        warm = self._note(WARM, kind, self._warm.verdict(texts, explain=False))
        self.limit.measure((2, 3))
        self._note(WARM + WRITTEN, kind, self._warm.verdict(texts, explain=True))
        for explain in (False,) if self.options.quick else (False, True):
            row = WRITTEN if explain else ""
            for name, states in ((RESTART, self._states), (COLD, None)):
                ours = Ours(self._profile("warm"), self._model, states=states)
                try:
                    self._note(name + row, kind, ours.verdict(texts, explain=explain))
                finally:
                    ours.close()
        return warm.job

    def close(self) -> None:
        for contender in self.contenders:
            contender.close()
        self._warm.close()
        self.limit.close()

    def _note(self, row: str, kind: str, verdict: Verdict) -> Verdict:
        self.board.note(row, kind, verdict.seconds)
        self.tokens.setdefault((row, kind), []).append(verdict)
        return verdict

    def _profile(self, name: str) -> Profile:
        return Profile.at(self._folder / name)

    def _contenders(self, criteria: Criteria) -> list[Contender]:
        path, cores, context = self._model.path, physical_cores(), Settings().context
        samples: dict[Reuse, int] = {"prefix match": 6, "reset": 1, "RAM cache": 4}
        makers: dict[str, Callable[[], Contender]] = {
            NAMES[reuse]: lambda reuse=reuse, sample=sample: PlainLlama(
                path, reuse=reuse, context=context, threads=cores, sample=sample
            )
            for reuse, sample in samples.items()
        }
        if self.options.env:
            python = Path(self.options.env) / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
            for together in (1, 4):
                makers[f"llama.cpp server ({together} at a time)"] = lambda together=together: Server(
                    python, path, context=context, threads=cores, together=together, sample=12
                )
            makers[TypedGguf.name] = lambda: TypedGguf(python, path, criteria, home=self._folder / "typed", sample=12)
        else:
            self.board.missing["llama.cpp server, typed-gguf"] = "no --env was given (tests/bench/README.md)"
        found: list[Contender] = []
        for name, make in makers.items():
            try:
                found.append(make())
            except (Unavailable, OSError) as error:
                self.board.missing[name] = str(error)
        return found


def report(bench: Bench) -> None:
    board, limit = bench.board, bench.limit
    for kind in KINDS:
        for row, suffix in ((WARM, ""), (WARM + WRITTEN, WRITTEN)):
            for verdict in bench.tokens.get((row, kind), []):
                note = verdict.note
                read = verdict.usage.tokens_evaluated - note.generated
                for name, behind in ((LIMIT, False), (LIMIT_BEHIND, True)):
                    least = limit.seconds(read, note.generated, note.branches or 2, behind=behind)
                    board.note(name + suffix, kind, least)
    print(f"\n{'median seconds of a verdict':58}{'rating':>9}{'× warm':>8}{'duel':>9}{'× warm':>8}   asked")
    for row in board.rows():
        cells, asked = [], []
        base_row = WARM + WRITTEN if row.endswith(WRITTEN) else WARM
        for kind in KINDS:
            value, base = board.median(row, kind), board.median(base_row, kind)
            cells.append(f"{value:9.2f}{value / base:8.2f}" if value is not None and base else f"{'–':>9}{'–':>8}")
            if (row, kind) in board.shares:
                asked.append("{} of {}".format(*board.shares[row, kind]))
        print(f"{row:58}{''.join(cells)}   {', '.join(asked)}")
    for name, why in board.missing.items():
        print(f"{name}: not (always) measured, {why}")
    print("\n× warm: seconds over JokeJudge's, warm. asked: questions of the last joke that were asked; the seconds of")
    print("the others are scaled from them, stage by stage. Explanations are written by JokeJudge alone.")
    print("\ntokens of a verdict (median)" + " " * 30 + "   evaluated   reused   written")
    for (row, kind), verdicts in bench.tokens.items():
        figures = [
            statistics.median(values)
            for values in (
                [verdict.usage.tokens_evaluated for verdict in verdicts],
                [verdict.usage.tokens_reused for verdict in verdicts],
                [verdict.note.generated for verdict in verdicts],
            )
        ]
        print(f"{row + ', ' + kind:58}" + "".join(f"{figure:12,.0f}" for figure in figures))
    rates = {
        "prompt, 512 tokens in an empty context": limit.empty,
        f"prompt, 512 tokens behind {limit.prefix_tokens:,} others": limit.behind,
        f"prompt, 32 tokens behind {limit.prefix_tokens:,} others": limit.small,
        **{f"text, {count} together": values for count, values in limit.written.items()},
        **{f"{c.name}: its own rate, fresh prompt": c.rates for c in bench.contenders if isinstance(c, Server)},
    }
    print("\nrates of this machine (tokens a second, median)")
    for name, values in rates.items():
        if values:
            print(f"  {name:62}{statistics.median(values):8.0f}")


def say(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--model", default=None, help="path or name; the embedded model if none")
    parser.add_argument("--jokes", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one joke, three minutes on a quiet machine")
    parser.add_argument("--minutes", type=float, default=0.0, help="nothing new begins after that (30; 5 if quick)")
    parser.add_argument("--env", default=None, help="a virtual environment with xllamacpp and typed-gguf")
    return parser.parse_args()


if __name__ == "__main__":
    main()
