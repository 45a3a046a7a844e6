"""What is said of a joke's versions wherever they are shown."""

from __future__ import annotations

from ...verdicts import side_of
from .types import Change, ReadVersion, WorkshopResult

_MOST_FACTORS = 2


def count_of_versions(result: WorkshopResult) -> str:
    """ "3 versions"."""
    n = len(result.versions)
    return f"{n} version{'' if n == 1 else 's'}"


def headline_sentence(result: WorkshopResult) -> str:
    """How many versions there are and which is the best so far."""
    told = count_of_versions(result)
    if len(result.versions) < 2 or result.best is None:
        return told
    if result.best == result.versions[0].id:
        return f"{told}; the first is still the best"
    return f"{told}; the best so far is version {result.best}"


def verdict_of(change: Change) -> str:
    """Whether the change bettered the joke."""
    better = side_of(change.p_better)
    if better == "tie":
        return f"about as good as version {change.against}"
    word, p = ("better", change.p_better) if better == "A" else ("worse", 1.0 - change.p_better)
    return f"{word} than version {change.against} (with probability {p:.2f})"


def voices_of(change: Change) -> list[str]:
    """What each voice says of a change, one sentence each."""
    told = []
    if change.p_editor is not None:
        right = f", right in {100 * change.agreement:.0f} of 100 pairs of drafts" if change.agreement else ""
        told.append(f"Editor: {_prefers(change.p_editor, 'prefers')}{right}.")
        if change.fault and side_of(change.p_editor) != "tie":
            fault = change.fault_name or change.fault.replace("_", " ")
            told.append(f"What the weaker one suffers from: {fault[:1].lower()}{fault[1:]}.")
    if change.p_audience is not None:
        told.append(f"Audience: {_prefers(change.p_audience, 'would vote for')}.")
    if change.faults_gone:
        told.append(f"No longer found: {', '.join(change.faults_gone).lower()}.")
    if change.faults_new:
        told.append(f"Newly found: {', '.join(change.faults_new).lower()}.")
    moved = [each for each in change.factors if each.beyond_doubt][:_MOST_FACTORS]
    for each in moved:
        told.append(f"{each.name}: {each.before:.1f} → {each.after:.1f} (± {each.sd:.1f}).")
    if change.factors and not moved:
        told.append("No factor moved by more than its uncertainty.")
    return told


def _prefers(p: float, verb: str) -> str:
    better = side_of(p)
    if better == "tie":
        return "hardly sees a difference" if verb == "prefers" else "would hardly see a difference"
    return f"{verb} {'this one' if better == 'A' else 'the other'} with probability {max(p, 1.0 - p):.2f}"


def percentile_of(version: ReadVersion) -> str:
    """ "61 (38–80)", or empty where there is no estimate."""
    audience = version.audience
    if audience is None or not audience.heard:
        return ""
    place = f"{min(99, max(1, round(audience.percentile)))}"
    if audience.low is None or audience.high is None:
        return place
    return f"{place} ({round(audience.low)}–{round(audience.high)})"


def made_from(version: ReadVersion) -> str:
    """Where a version comes from, in words."""
    if version.parent is None:
        return "the first version"
    if version.origin == "program":
        done = f" ({version.change})" if version.change else ""
        return f"the program's edit of version {version.parent}{done}"
    if version.origin == "model":
        return f"the model's rewrite of version {version.parent}"
    return f"made from version {version.parent}"
