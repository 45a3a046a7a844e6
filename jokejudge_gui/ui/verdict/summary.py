"""A verdict as plain text, for the clipboard."""

from __future__ import annotations

from ...verdicts import DuelResult, RatingResult
from ..look import wording
from ..widgets.duel_scale import factor_text


def _rating(result: RatingResult) -> list[str]:
    lines = [result.text, ""]
    if result.mean_score is not None:
        spread = f" ± {result.spread:.1f}" if result.spread is not None else ""
        lines.append(f"Mean {result.mean_score:.1f}{spread} of 5 · {wording.pathway_words(result)}")
    elif result.admissible is False:
        lines.append(f"Not clearly a joke: {result.rejection or 'a check failed'}")
    else:
        lines.append("No verdict.")
    for factor in result.factors:
        lines.append(f"{factor.name}: {factor.score if factor.score is not None else 'no answer'}")
    return lines


def _duel(result: DuelResult) -> list[str]:
    lines = [f"A: {result.text_a}", f"B: {result.text_b}", ""]
    if result.winner is None or result.confidence_factor is None:
        lines.append("No verdict.")
    else:
        won = "Too close to call" if result.within_noise else f"{result.winner} wins"
        verdict = "Tie" if result.winner == "tie" else won
        lines.append(f"{verdict} · confidence {factor_text(result.confidence_factor)} ({result.band})")
        if result.consistent is False:
            lines.append("The two orders disagree.")
    return lines


def verdict_text(result: RatingResult | DuelResult) -> str:
    """Jokes, figures, warnings, explanation and model."""
    lines = _rating(result) if isinstance(result, RatingResult) else _duel(result)
    lines.extend(result.warnings)
    if result.explanation:
        lines.extend(["", result.explanation])
    if result.model is not None:
        lines.extend(["", f"Judged by {result.model.name}"])
    return "\n".join(lines)
