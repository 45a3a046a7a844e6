"""Changes between two audits of the same pairs: by another model, other criteria, or another version."""

from __future__ import annotations

from ..core.statistics import Fraction, fraction
from ..core.verdicts import Frozen, Side
from ..judge.audit.kind import STRENGTH, VOICE, Names, effects
from ..judge.audit.statistics import Strength
from ..judge.audit.types import ADMISSIONS, AuditResult, Voice


class Flip(Frozen):
    """A pair for which a voice now prefers the other joke."""

    id: str
    text_a: str
    text_b: str
    was: Side
    now: Side


class VoiceDrift(Frozen):
    """One voice: the share of pairs with the same verdict, the pairs with another one, and the agreement with people
    then and now."""

    voice: Voice
    kept: Fraction
    flips: tuple[Flip, ...] = ()
    agreed: Fraction | None = None
    agrees: Fraction | None = None


class EffectDrift(Frozen):
    """A probe whose effect on a voice now has another strength."""

    voice: Voice
    probe: str
    was: Strength
    now: Strength


class Drift(Frozen):
    """``differs``: the differences between the two judges, in words; ``pairs``: number of pairs in both audits."""

    differs: tuple[str, ...]
    pairs: int
    voices: tuple[VoiceDrift, ...]
    effects: tuple[EffectDrift, ...]


def drift(old: AuditResult, new: AuditResult, names: Names) -> Drift:
    """Return the changes from ``old`` to ``new``. Only pairs and voices that both have are compared."""
    before = {pair.id: pair for pair in old.pairs}
    shared = [(before[pair.id], pair) for pair in new.pairs if pair.id in before]
    voices, changed = [], []
    for now in new.voices:
        was = old.voice(now.voice)
        if was is None:
            continue
        voice = now.voice
        if voice not in ADMISSIONS:
            flips = [
                Flip(id=b.id, text_a=b.text_a, text_b=b.text_b, was=_side(a.odds[voice]), now=_side(b.odds[voice]))
                for a, b in shared
                if voice in a.odds and voice in b.odds
            ]
            kept = fraction([float(flip.was == flip.now) for flip in flips])
            flips = [flip for flip in flips if flip.was != flip.now]
            voices.append(VoiceDrift(voice=voice, kept=kept, flips=tuple(flips), agreed=was.agrees, agrees=now.agrees))
        earlier = dict(effects(was, names, least="none"))
        for probe, strength in effects(now, names, least="none"):
            if earlier.get(probe, strength) != strength:
                changed.append(EffectDrift(voice=voice, probe=probe, was=earlier[probe], now=strength))
    return Drift(differs=_differs(old, new), pairs=len(shared), voices=tuple(voices), effects=tuple(changed))


def drift_lines(found: Drift) -> tuple[str, ...]:
    """Return the drift in sentences."""
    if not found.pairs:
        return ("The two audits share no pair, so nothing can be compared.",)
    what = f"They differ in {', '.join(found.differs)}." if found.differs else "Both were made with the same judge."
    lines = [f"{found.pairs:,} pairs are in both audits. {what}"]
    for voice in found.voices:
        if voice.kept.n:
            lines.append(f"{VOICE[voice.voice]}: {len(voice.flips):,} of {voice.kept.n:,} verdicts changed.")
    for effect in found.effects:
        lines.append(
            f"{VOICE[effect.voice]}, {effect.probe.lower()}: {STRENGTH[effect.was]} before, {STRENGTH[effect.now]} now."
        )
    return tuple(lines)


def _differs(old: AuditResult, new: AuditResult) -> tuple[str, ...]:
    parts = (
        ("the model", old.model.sha256 if old.model else "", new.model.sha256 if new.model else ""),
        ("the audience head", old.head_version, new.head_version),
        ("the criteria", old.criteria_version, new.criteria_version),
        ("the prompts", old.prompt_version, new.prompt_version),
        ("the probes", old.perturbations, new.perturbations),
        ("the program's version", old.program, new.program),
    )
    return tuple(name for name, was, now in parts if was != now)


def _side(odds: float) -> Side:
    return "A" if odds > 0 else "B"
