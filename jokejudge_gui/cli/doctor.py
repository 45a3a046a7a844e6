"""``jokejudge doctor``: checks the installation, and measures the model's speed."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Literal

from .. import __version__
from ..core.config import Settings, load_settings
from ..core.errors import JokeJudgeError
from ..core.files import sha256_of
from ..core.paths import Profile, how_to_mend, is_package, models_dir
from ..engine.base import CancelToken, ChatFrame, Segment
from ..engine.gguf import read_gguf
from ..heads.audience import AudienceHead
from ..heads.drafts import DraftHeads
from ..heads.editor import EditorHeads
from ..heads.editor_file import EditorCard
from ..heads.offence import OffenceHead
from ..history.query import HistoryQuery
from ..history.store import HistoryStore
from ..judge.asking.calibration import measure_noise
from ..judge.asking.measured import DEFAULT, MeasuredFiles, Noise
from ..judge.judged_kind import without_events
from ..judge.kinds import KINDS
from ..judge.main_judge import MainJudge
from ..learning.trust_cards import read_card
from ..library.finder import ModelFile, resolve_model
from ..library.probe import probe
from ..rubric.overlay import Rubric
from ..rubric.own_file import OwnFile
from ..session.loading import chat_frame
from .console import Console
from .context import Context
from .options import command

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials", "pydantic", "lxml", "numpy")
_LITTLE_SPACE = 500 * 10**6
_SLOW = 30.0

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``seconds``: the duration of the check."""

    state: State
    detail: str
    hint: str = ""
    name: str = ""
    seconds: float = 0.0


@command("doctor", judges=True)
def doctor(context: Context) -> int:
    """Run every check, whatever the others found; exit status 1 if one failed."""
    console = context.console
    findings: list[Finding] = []
    for finding in _findings(context):
        findings.append(finding)
        if not console.json:
            _print(console, finding)
    failed = any(finding.state == "failed" for finding in findings)
    if console.json:
        checks = [
            {"name": f.name, "state": f.state, "detail": f.detail, "hint": f.hint, "seconds": round(f.seconds, 3)}
            for f in findings
        ]
        console.object({"ok": not failed, "checks": checks, "error": None})
    else:
        console.text("")
        console.text("Something needs to be fixed, see above." if failed else "All is well.")
    return 1 if failed else 0


def _print(console: Console, finding: Finding) -> None:
    colour = {"ok": "", "warning": "yellow", "failed": "red"}[finding.state]
    seconds = f"  ({finding.seconds:.1f} s)" if finding.seconds >= 0.05 else ""
    console.paragraph(f"{finding.state:<8} {finding.name}: {finding.detail}{seconds}", style=colour)
    if finding.hint:
        console.text(f"         {finding.hint}")


def _findings(context: Context) -> Iterator[Finding]:
    profile = context.profile
    folders = {"data folder": profile.data, "settings folder": profile.config, "cache": profile.cache}
    checks: dict[str, Callable[[], Finding]] = {
        "program": _program,
        "packages": _packages,
        "processor": _processor,
        **{name: partial(_folder, folder) for name, folder in folders.items()},
        "settings": partial(_settings, profile),
        "criteria": partial(_criteria, profile),
        "history": partial(_history, profile),
        "heads": partial(heads, profile, models_dir()),
    }
    for name, check in checks.items():
        yield _checked(name, check)
    figures: list[ModelFigures] = []
    yield _checked("model", partial(_model, context, figures))
    for known in figures:
        for note in known.notes:
            yield Finding("warning", note, name="model")
        yield replace(_noise(known), name="noise")


def _checked(name: str, check: Callable[[], Finding]) -> Finding:
    began = time.monotonic()
    try:
        found = check()
    except JokeJudgeError as error:
        found = Finding("failed", error.sentence, error.hint)
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        # A missing or broken library, or a refusal by the system, in its own words.
        detail = " ".join(str(error).split())[:300] or type(error).__name__
        found = Finding("failed", f"it can't be used ({detail})", how_to_mend())
    return replace(found, name=name, seconds=time.monotonic() - began)


def _program() -> Finding:
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return Finding("ok", f"JokeJudge {__version__}, {python}, {platform.system()} {platform.machine()}")


def _packages() -> Finding:
    found: list[str] = []
    missing: list[str] = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing and not is_package():
        return Finding("warning", f"{', '.join(missing)} isn't there", how_to_mend())
    return Finding("ok", ", ".join(found))


def _processor() -> Finding:
    # llama.cpp may be the missing or broken library.
    from ..engine.binding import build_name, can_offload
    from ..engine.loader import physical_cores

    spin = os.environ.get("OMP_WAIT_POLICY", "") != "passive"
    detail = f"{physical_cores()} cores for the model, waiting threads {'spin' if spin else 'rest'}"
    detail += f", {build_name().partition(':')[0]}, built {'with' if can_offload() else 'without'} a GPU backend"
    hint = "Unset OMP_WAIT_POLICY: threads that spin while they wait slow every program down."
    return Finding("warning", detail, hint) if spin else Finding("ok", detail)


def _folder(folder: Path) -> Finding:
    """Test the folder, or the existing folder above it, by writing and removing a file."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        with tempfile.NamedTemporaryFile(prefix=".jokejudge-doctor-", dir=there):
            pass
        free = shutil.disk_usage(there).free
    except OSError as error:
        why = f"{folder} can't be written: {error.strerror or error}"
        return Finding("failed", why, "Make it writable, or use --data-dir.")
    if free < _LITTLE_SPACE:
        return Finding("warning", f"{folder} has {free / 1e6:.0f} MB left", "Free some space.")
    return Finding("ok", f"{folder}, {free / 1e9:.1f} GB free")


def _settings(profile: Profile) -> Finding:
    settings = load_settings(profile)
    where = profile.settings_file if profile.settings_file.exists() else "defaults"
    return Finding("ok", f"{where}, mode {settings.mode}")


_MOST_NAMED = 10


def _criteria(profile: Profile) -> Finding:
    """Check the criteria that ship and the user's own; unusable ones are named with their line."""
    own = OwnFile(profile.criteria)
    shipped = Rubric.shipped()  # raises if they are damaged
    known = f"{len(shipped.criteria.categories)} kinds, {len(shipped.criteria.factors)} factors"
    problems = own.check()
    if problems:
        first = problems[0]
        more = f" There are {len(problems) - 1} more such things." if len(problems) > 1 else ""
        used = own.in_use()[1] == ""
        hint = f"{first.hint} {own.path} is the file; `jokejudge criteria check` says what is wrong with it.".strip()
        state: State = "warning" if used else "failed"
        return Finding(state, f"{first.sentence}{more}", hint)
    count = len(own.load().items)
    mine = f"{count} of your own or changed, sound" if own.path.exists() else "none of your own"
    return Finding("ok", f"{known}, {mine}")


def heads(profile: Profile, ships: Path) -> Finding:
    """Check every file of heads and every card, the user's and those that ship; unusable ones are named."""
    readers: tuple[tuple[Callable[[Path], object], str, tuple[Path, ...]], ...] = (
        (AudienceHead.load, "*.npz", (profile.heads, ships / "heads", ships / "heads" / "context")),
        (EditorHeads.load, "*.npz", (profile.editor, ships / "editor")),
        (EditorCard.load, "*.json", (profile.editor, ships / "editor")),
        (DraftHeads.load, "*.npz", (profile.drafts, ships / "drafts")),
        (OffenceHead.load, "*.npz", (ships / "offence",)),
        (read_card, "*.json", (profile.cards, ships / "cards")),
    )
    faults: list[JokeJudgeError] = []
    count = 0
    for read, pattern, folders in readers:
        for path in (path for folder in folders for path in sorted(folder.glob(pattern))):
            count += 1
            try:
                read(path)
            except JokeJudgeError as error:
                faults.append(error)
    if not faults:
        return Finding("ok", f"{count} files, sound")
    more = f" And {len(faults) - _MOST_NAMED} more." if len(faults) > _MOST_NAMED else ""
    sentences = " ".join(error.sentence for error in faults[:_MOST_NAMED])
    return Finding("failed", f"{sentences}{more}", faults[0].hint)


def _history(profile: Profile) -> Finding:
    if not profile.database.exists():
        return Finding("ok", f"{profile.database} will be made with the first verdict")
    with closing(HistoryStore(profile.database, KINDS)) as store:
        count, damage = store.count(HistoryQuery()), store.check()
    if damage:
        parts = [found.id if found.id is not None else found.why for found in damage[:_MOST_NAMED]]
        more = f" and {len(damage) - _MOST_NAMED} more" if len(damage) > _MOST_NAMED else ""
        detail = f"{profile.database} is damaged; it can't read {', '.join(parts)}{more}"
        hint = "Export what can be read (jokejudge history export), then move the file away."
        return Finding("failed", detail, hint)
    size = profile.database.stat().st_size
    return Finding("ok", f"{count} verdicts, {size / 1e6:.1f} MB, sound")


def _model(context: Context, measured: list[ModelFigures]) -> Finding:
    """Load the model and measure it; the figures are added to ``measured``."""
    profile = context.profile
    try:
        settings = context.settings
    except JokeJudgeError:
        settings = context.applied(Settings())
    file = resolve_model(settings.model, profile)
    facts = read_gguf(file.path)
    # Loaded as for verdicts: a model may work in a small context, and fail in the configured one.
    tried = probe(file.path, profile, CancelToken(), context=settings.context)
    figures = measure_model(file, settings, profile, chat_frame(tried.facts))
    measured.append(figures)
    detail = (
        f"{file.name}, {facts.quantisation}, {facts.size_bytes / 1e6:.0f} MB, loaded in {figures.load_seconds:.1f} s, "
        f"reads {figures.read_rate:.0f} tokens a second"
    )
    if figures.read_rate < _SLOW:
        return Finding("warning", detail, "A smaller model, or one in Q8_0 or Q4_K_M, would be quicker.")
    return Finding("ok", detail)


def _noise(figures: ModelFigures) -> Finding:
    """Report how far an answer depends on the questions asked with it, and the noise that verdicts allow for."""
    known = figures.reckoned
    used = f"{known.odds:.2f}, as measured once" if known else f"{DEFAULT.odds:.2f}, the default"
    detail = f"asking questions together changes an answer by {figures.noise.odds:.2f} nats; verdicts allow for {used}"
    if known is None and figures.noise.odds > DEFAULT.odds:
        return Finding("warning", detail, "`jokejudge models calibrate` makes verdicts allow for it.")
    return Finding("ok", detail)


_TEXT = "A man walks into a library and asks for a book about paranoia. The librarian whispers: it's right behind you. "


@dataclass(frozen=True)
class ModelFigures:
    """Seconds of loading; tokens read in a second; the loader's notes; the numerical noise measured now, and
    ``reckoned``, the noise measured with the model's habits (None: verdicts use the default)."""

    load_seconds: float
    read_rate: float
    notes: tuple[str, ...] = ()
    noise: Noise = DEFAULT
    reckoned: Noise | None = None


def measure_model(file: ModelFile, settings: Settings, profile: Profile, frame: ChatFrame) -> ModelFigures:
    """Load a model as for verdicts, with its chat template as the probe rendered it (``frame``), and measure it for
    some seconds. Nothing is stored. Raises ``JokeJudgeError``."""
    began = time.monotonic()
    from ..engine.loader import load_engine  # llama.cpp may be missing, which doctor reports

    engine = load_engine(
        file.path,
        name=file.name,
        sha256=file.sha256 or sha256_of(file.path),
        threads=settings.threads,
        context=settings.context,
        frame=frame,
    )
    loaded = time.monotonic()
    try:
        before = engine.usage.tokens_evaluated
        engine.warm((Segment(_TEXT * 10, constant=True),))
        tokens = engine.usage.tokens_evaluated - before
        rate = tokens / max(time.monotonic() - loaded, 1e-6)
        noise = without_events(measure_noise(engine))
        judge = MainJudge(engine, MeasuredFiles(models_dir(), profile.models))
        return ModelFigures(loaded - began, rate, engine.info.notes, noise, judge.calibration.noise)
    finally:
        engine.close()
