"""``jokejudge doctor``: checks the installation, and measures the model's speed."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Literal, TypeAlias

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
from ..judge.kinds import KINDS
from ..learning.trust_cards import read_card
from ..library.finder import ModelFile, resolve_model
from ..library.probe import probe
from ..rubric.overlay import Rubric
from ..rubric.own_file import OwnFile
from ..session.loading import chat_frame
from .context import Context
from .options import command

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials", "pydantic", "lxml", "numpy")
_LITTLE_SPACE = 500 * 10**6
_SLOW = 30.0

Found: TypeAlias = tuple[Literal["ok", "warning", "failed"], str, str]
"""What a check says: its state, what it is, and the next step."""
_COLOURS = {"ok": "", "warning": "yellow", "failed": "red"}


@command("doctor", judges=True)
def doctor(context: Context) -> int:
    """Run every check, whatever the others say; exit status 1 if one failed."""
    profile, console = context.profile, context.console
    folders = {"data folder": profile.data, "settings folder": profile.config, "cache": profile.cache}
    checks: dict[str, Callable[[], Found]] = {
        "program": _program,
        "packages": _packages,
        "processor": _processor,
        **{name: partial(_folder, folder) for name, folder in folders.items()},
        "settings": partial(_settings, profile),
        "criteria": partial(_criteria, profile),
        "history": partial(_history, profile),
        "heads": partial(heads, profile, models_dir()),
        "model": partial(_model, context),
    }
    report: list[dict[str, object]] = []
    for name, check in checks.items():
        began = time.monotonic()
        state, detail, hint = _checked(check)
        seconds = time.monotonic() - began
        report.append({"name": name, "state": state, "detail": detail, "hint": hint, "seconds": round(seconds, 3)})
        if not console.json:
            took = f"  ({seconds:.1f} s)" if seconds >= 0.05 else ""
            console.paragraph(f"{state:<8} {name}: {detail}{took}", style=_COLOURS[state])
            if hint:
                console.paragraph(hint, indent=9)
    failed = any(line["state"] == "failed" for line in report)
    if console.json:
        console.object({"ok": not failed, "checks": report, "error": None})
    else:
        console.section("Something needs to be fixed, see above." if failed else "All is well.")
    return 1 if failed else 0


def _checked(check: Callable[[], Found]) -> Found:
    try:
        return check()
    except JokeJudgeError as error:
        return "failed", error.sentence, error.hint
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        # A missing or broken library, or a refusal by the system, in its own words.
        detail = " ".join(str(error).split())[:300] or type(error).__name__
        return "failed", f"it can't be used ({detail})", how_to_mend()


def _program() -> Found:
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return "ok", f"JokeJudge {__version__}, {python}, {platform.system()} {platform.machine()}", ""


def _packages() -> Found:
    present: list[str] = []
    missing: list[str] = []
    for name in _PACKAGES:
        try:
            present.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing and not is_package():
        return "warning", f"{', '.join(missing)} isn't there", how_to_mend()
    return "ok", ", ".join(present), ""


def _processor() -> Found:
    # llama.cpp may be the missing or broken library.
    from ..engine.binding import build_name, can_offload
    from ..engine.loader import physical_cores

    spin = os.environ.get("OMP_WAIT_POLICY", "") != "passive"
    detail = f"{physical_cores()} cores for the model, waiting threads {'spin' if spin else 'rest'}"
    detail += f", {build_name().partition(':')[0]}, built {'with' if can_offload() else 'without'} a GPU backend"
    hint = "Unset OMP_WAIT_POLICY: threads that spin while they wait slow every program down."
    return ("warning", detail, hint) if spin else ("ok", detail, "")


def _folder(folder: Path) -> Found:
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
        return "failed", why, "Make it writable, or use --data-dir."
    if free < _LITTLE_SPACE:
        return "warning", f"{folder} has {free / 1e6:.0f} MB left", "Free some space."
    return "ok", f"{folder}, {free / 1e9:.1f} GB free", ""


def _settings(profile: Profile) -> Found:
    settings = load_settings(profile)
    where = profile.settings_file if profile.settings_file.exists() else "defaults"
    return "ok", f"{where}, mode {settings.mode}", ""


_MOST_NAMED = 10


def _criteria(profile: Profile) -> Found:
    """Check the criteria that ship and the user's own; unusable ones are named with their line."""
    own = OwnFile(profile.criteria)
    shipped = Rubric.shipped()  # raises if they are damaged
    content = f"{len(shipped.criteria.categories)} kinds, {len(shipped.criteria.factors)} factors"
    problems = own.check()
    if problems:
        first = problems[0]
        more = f" There are {len(problems) - 1} more such things." if len(problems) > 1 else ""
        used = own.in_use()[1] == ""
        hint = f"{first.hint} {own.path} is the file; `jokejudge criteria check` says what is wrong with it.".strip()
        state: Literal["warning", "failed"] = "warning" if used else "failed"
        return state, f"{first.sentence}{more}", hint
    count = len(own.load().items)
    mine = f"{count} of your own or changed, sound" if own.path.exists() else "none of your own"
    return "ok", f"{content}, {mine}", ""


def heads(profile: Profile, ships: Path) -> Found:
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
        return "ok", f"{count} files, sound", ""
    more = f" And {len(faults) - _MOST_NAMED} more." if len(faults) > _MOST_NAMED else ""
    sentences = " ".join(error.sentence for error in faults[:_MOST_NAMED])
    return "failed", f"{sentences}{more}", faults[0].hint


def _history(profile: Profile) -> Found:
    if not profile.database.exists():
        return "ok", f"{profile.database} will be made with the first verdict", ""
    with closing(HistoryStore(profile.database, KINDS)) as store:
        count, damage = store.count(HistoryQuery()), store.check()
    if damage:
        parts = [found.id if found.id is not None else found.why for found in damage[:_MOST_NAMED]]
        more = f" and {len(damage) - _MOST_NAMED} more" if len(damage) > _MOST_NAMED else ""
        detail = f"{profile.database} is damaged; it can't read {', '.join(parts)}{more}"
        hint = "Export what can be read (jokejudge history export), then move the file away."
        return "failed", detail, hint
    size = profile.database.stat().st_size
    return "ok", f"{count} verdicts, {size / 1e6:.1f} MB, sound", ""


def _model(context: Context) -> Found:
    """Load the model as for verdicts, and read with it for a moment."""
    profile = context.profile
    try:
        settings = context.settings
    except JokeJudgeError:
        settings = context.applied(Settings())
    file = resolve_model(settings.model, profile)
    facts = read_gguf(file.path)
    # Loaded as for verdicts: a model may work in a small context, and fail in the configured one.
    tried = probe(file.path, profile, CancelToken(), context=settings.context)
    loading, rate, notes = measured_speed(file, settings, chat_frame(tried.facts))
    detail = (
        f"{file.name}, {facts.quantisation}, {facts.size_bytes / 1e6:.0f} MB, loaded in {loading:.1f} s, "
        f"reads {rate:.0f} tokens a second"
    )
    if notes:
        return "warning", detail, " ".join(notes)
    if rate < _SLOW:
        return "warning", detail, "A smaller model, or one in Q8_0 or Q4_K_M, would be quicker."
    return "ok", detail, ""


_TEXT = "A man walks into a library and asks for a book about paranoia. The librarian whispers: it's right behind you. "


def measured_speed(file: ModelFile, settings: Settings, frame: ChatFrame) -> tuple[float, float, tuple[str, ...]]:
    """Return the seconds that a model takes to load, the tokens that it reads in a second, and the loader's notes."""
    from ..engine.loader import load_engine  # llama.cpp may be missing, which this reports

    began = time.monotonic()
    engine = load_engine(
        file.path, name=file.name, sha256=file.sha256 or sha256_of(file.path), threads=settings.threads,
        context=settings.context, frame=frame,
    )  # fmt: skip
    loaded = time.monotonic()
    try:
        before = engine.usage.tokens_evaluated
        engine.warm((Segment(_TEXT * 10, constant=True),))
        rate = (engine.usage.tokens_evaluated - before) / max(time.monotonic() - loaded, 1e-6)
        return loaded - began, rate, engine.info.notes
    finally:
        engine.close()
