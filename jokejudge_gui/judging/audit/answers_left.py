"""What an audit leaves of the worth of a model's answers in duels."""

from __future__ import annotations

from .types import AuditResult, Finding


def answers_left(result: AuditResult | None) -> float:
    """Share 0…1 of the worth above chance that a model's answers in duels keep: the least share of verdicts that a
    strong bias left as they were, beside that under the neutral change. 1 where the model wasn't asked or no bias is
    strong. Position doesn't count: both orders are asked, and the worth was measured on their mean."""
    asked = result.voice("asked") if result is not None else None
    if asked is None:
        return 1.0
    return min(
        (_left(each) for each in asked.findings if (each.role, each.strength) == ("bias", "strong")), default=1.0
    )


def left_line(left: float) -> str:
    """The rule in a sentence; empty where nothing is taken away."""
    if left >= 1.0:
        return ""
    return (
        f"For its strongest bias the model's answers in duels count as worth {100 * left:.0f} % of what they were "
        "measured to be above chance; they are asked for only if that is still enough."
    )


def _left(finding: Finding) -> float:
    calm = finding.control if finding.control else 1.0
    return min(1.0, (finding.kept.share or 0.0) / calm)
