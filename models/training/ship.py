"""Ships a model: fits its heads, measures its plan, calibration and audit, and writes its cards into models/.

    export JOKEJUDGE_DATA=…  PYTHONPATH=.:models/training
    python models/training/ship.py MODEL.gguf CACHE --name NAME [--readings readings.jsonl] [--drafts drafts.jsonl]
        [--second models/training/second.jsonl] [--contrasts families.jsonl] [--only STEP …] [--from STEP]

It runs the scripts beside it and the program's own commands one after another, in the order of README.md. The model's
states are kept in CACHE, and the program's measurements in CACHE/profile, so that a stopped run can be continued: give
``--from`` the step at which it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import across
import cards
import context
import drafts
import editor
import edits
import features
import joint
import length
import make
import notes
import offence
import weights

from jokejudge_gui.cli.main import main as jokejudge
from jokejudge_gui.core.files import atomic_write, sha256_of
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles

MODELS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Shipping:
    """The model to ship and the scripts' inputs. ``profile``: the folder for the program's measurements of the
    model."""

    model: Path
    cache: Path
    name: str
    readings: Path
    drafts: Path
    second: Path | None
    contrasts: Path | None
    profile: Path

    @property
    def both(self) -> list[str]:
        return [str(self.model), str(self.cache)]

    @property
    def read(self) -> list[str]:
        """The arguments of the scripts that fit to readings."""
        found = [*self.both, "--readings", str(self.readings), "--drafts", str(self.drafts)]
        return found if self.second is None else [*found, "--second", str(self.second)]

    def program(self, *command: str) -> str:
        """Return the output of one of the program's commands. Raises ``SystemExit`` where it fails."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = jokejudge([*command, "--data-dir", str(self.profile), "--model", str(self.model)])
        if status:
            raise SystemExit(f"jokejudge {' '.join(command)}: exit status {status}")
        return out.getvalue()

    def kept(self) -> None:
        """Copy the program's measurements of the model from the profile to models/."""
        sha256 = sha256_of(self.model)
        shipped = MeasuredFiles(MODELS, MODELS)
        shipped.update(
            sha256, MeasuredFiles(MODELS, Profile.at(self.profile).models).own(sha256, "calibration", "plan")
        )


def states(of: Shipping) -> None:
    """Read the labelled texts."""
    features.extract(of.model, of.cache, ["ukp", "headlines", "hahackathon", "plain", "mechanics", "rjokes:800"])


def heads(of: Shipping) -> None:
    """Fit the audience head and its card, and once without the held-out texts for the weights fitted on those."""
    held = str(of.cache / "held_out")
    make.main([*of.both, "--name", of.name, "--across", "--held-out", held, "--write", str(MODELS)])
    length.main([*of.both, "--write", str(MODELS)])


def duel_weights(of: Shipping) -> None:
    """Fit a duel's weights on the held-out texts."""
    weights.main([*of.both, "--held-out", str(of.cache / "held_out"), "--write", str(MODELS)])


def editors(of: Shipping) -> None:
    """Fit the editor's heads, and the audience's maps of their findings."""
    for script in (editor, joint, across):
        script.main([*of.read, "--write", str(MODELS)])


def draft_heads(of: Shipping) -> None:
    drafts.main([*of.both, "--drafts", str(of.drafts), "--write", str(MODELS)])


def offences(of: Shipping) -> None:
    offence.main([*of.both, "--write", str(MODELS)])


def contexts(of: Shipping) -> None:
    context.main([*of.both, "--write", str(MODELS)])


def calibration(of: Shipping) -> None:
    of.program("models", "calibrate")
    of.kept()


def plan(of: Shipping) -> None:
    """Measure the gain from asking the model beyond reading it."""
    of.program("models", "plan", "--measure")
    of.kept()


def audit(of: Shipping) -> None:
    path = MODELS / "audits" / f"{sha256_of(of.model)[:16]}.json"
    atomic_write(path, of.program("audit", "--no-history", "--json"))


def note(of: Shipping) -> None:
    """Measure how often the note's sentences, the turn and edits are right, if there are families."""
    if of.contrasts is not None:
        given = ["--contrasts", str(of.contrasts), "--write", str(MODELS)]
        notes.main([*of.both, "--readings", str(of.readings), *given])
        edits.main([str(of.model), "--drafts", str(of.drafts), *given])


def pages(_of: Shipping) -> None:
    """Write the models' pages and the README's table."""
    cards.main()


STEPS: dict[str, Callable[[Shipping], None]] = {
    "states": states,
    "heads": heads,
    "weights": duel_weights,
    "editor": editors,
    "drafts": draft_heads,
    "offence": offences,
    "context": contexts,
    "calibration": calibration,
    "plan": plan,
    "audit": audit,
    "notes": note,
    "cards": pages,
}


def chosen(only: list[str], begin: str | None) -> list[str]:
    """Return the steps to take, in order."""
    names = list(STEPS)
    return [name for name in names[names.index(begin) if begin else 0 :] if not only or name in only]


def main(argv: list[str] | None = None) -> None:
    description = f"{__doc__}\nSteps: {', '.join(STEPS)}."
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--name", required=True, help="as cards call the model")
    parser.add_argument("--readings", type=Path, default=MODELS / "readings" / "readings.jsonl")
    parser.add_argument("--drafts", type=Path, default=MODELS / "drafts" / "drafts.jsonl")
    parser.add_argument("--second", type=Path)
    parser.add_argument("--contrasts", type=Path, help="families of texts around one joke")
    parser.add_argument("--only", nargs="*", choices=list(STEPS), default=[], metavar="STEP")
    parser.add_argument("--from", dest="begin", choices=list(STEPS), metavar="STEP")
    given = parser.parse_args(argv)
    shipping = Shipping(
        model=given.model,
        cache=given.cache,
        name=given.name,
        readings=given.readings,
        drafts=given.drafts,
        second=given.second,
        contrasts=given.contrasts,
        profile=given.cache / "profile",
    )
    for name in chosen(given.only, given.begin):
        began = time.monotonic()
        print(f"== {name}", flush=True)
        STEPS[name](shipping)
        print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
