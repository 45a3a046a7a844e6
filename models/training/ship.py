"""Ships a model: fits its heads, measures its calibration, plan and audit, and writes its cards into models/.

    export JOKEJUDGE_DATA=…  PYTHONPATH=.:models/training
    python models/training/ship.py MODEL.gguf CACHE --name NAME [--readings readings.jsonl] [--drafts drafts.jsonl]
        [--second models/training/second.jsonl] [--contrasts families.jsonl] [--only STEP …] [--from STEP]

Steps are taken in the order of README.md. The model's scans are kept in CACHE, and the program's measurements in
CACHE/profile, so that a stopped run can be continued: give ``--from`` the step at which it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from collections.abc import Callable
from pathlib import Path

import audience
import cards
import context
import devices
import endings
import joint
import notes
import odds
import offence
import satire
import sense
import weights
import wordplay
from data import MODELS
from shipping import Shipping

from jokejudge_gui.cli.main import main as jokejudge
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.learning.drafts_fit import DraftsLesson
from jokejudge_gui.learning.editor_lesson import EditorLesson


def measure(of: Shipping, *command: str) -> None:
    """Let one of the program's commands measure the model, and ship its measurements. Raises ``SystemExit`` where it
    fails."""
    profile = of.cache / "profile"
    with contextlib.redirect_stdout(io.StringIO()):
        status = jokejudge([*command, "--data-dir", str(profile), "--model", str(of.model)])
    if status:
        raise SystemExit(f"jokejudge {' '.join(command)}: exit status {status}")
    measured = MeasuredFiles(of.models, Profile.at(profile).models).own(of.sha256, "calibration", "plan", "audit")
    MeasuredFiles(of.models, of.models).update(of.sha256, measured)


def editors(of: Shipping) -> None:
    """Fit the editor's heads and devices, and the audience's maps of their findings."""
    of.teach(EditorLesson(of.both_rounds, of.every_draft))
    devices.fit_devices(of)
    joint.fit_joint(of)
    odds.fit_odds(of)


STEPS: dict[str, Callable[[Shipping], None]] = {
    "heads": audience.fit_audience,
    "length": audience.measure_length,
    "weights": weights.fit_weights,
    "editor": editors,
    "drafts": lambda of: of.teach(DraftsLesson(of.drafts)),
    "sense": sense.fit_families,
    "endings": endings.fit,
    "wordplay": wordplay.fit_puns,
    "offence": offence.fit_offence,
    "context": context.fit_context,
    "satire": satire.fit_satire,
    "calibration": lambda of: measure(of, "models", "calibrate"),
    "plan": lambda of: measure(of, "models", "plan", "--measure"),
    "audit": lambda of: measure(of, "audit"),
    "notes": notes.fit_notes,
    "cards": lambda _of: cards.main(),
}
NEED_FAMILIES = ("sense", "wordplay", "notes")


def chosen(only: list[str], begin: str | None, *, families: bool = True) -> list[str]:
    """Return the steps to take, in order; without ``families`` of texts those that need none."""
    names = list(STEPS)
    names = [name for name in names[names.index(begin) if begin else 0 :] if not only or name in only]
    return [name for name in names if families or name not in NEED_FAMILIES]


def main(argv: list[str] | None = None) -> None:
    description = f"{__doc__}\nSteps: {', '.join(STEPS)}."
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--name", required=True, help="as cards call the model")
    parser.add_argument("--readings", type=Path, default=MODELS / "readings" / "readings.jsonl")
    parser.add_argument("--drafts", type=Path, default=MODELS / "drafts" / "drafts.jsonl")
    parser.add_argument("--second", type=Path, help="readings of the second round; they take $JOKEJUDGE_DATA")
    parser.add_argument("--contrasts", type=Path, help="families of texts around one joke")
    parser.add_argument("--only", nargs="*", choices=list(STEPS), default=[], metavar="STEP")
    parser.add_argument("--from", dest="begin", choices=list(STEPS), metavar="STEP")
    parser.add_argument("--to", type=Path, default=MODELS, metavar="FOLDER", help="in place of models")
    given = vars(parser.parse_args(argv))
    only, begin, models = given.pop("only"), given.pop("begin"), given.pop("to")
    of = Shipping(**given, models=models)
    for name in chosen(only, begin, families=of.contrasts is not None):
        began = time.monotonic()
        print(f"== {name}", flush=True)
        STEPS[name](of)
        print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
