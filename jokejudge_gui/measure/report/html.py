"""Evaluations and comparisons as one self-contained HTML file each."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.pages import Part, document, paragraph, part_html
from ..comparison import COMPARED, Comparison
from ..evaluation import Evaluation
from ..validation import CAUTION, REFERENCE_CAUTION
from .rows import comparison_parts, evaluation_parts


def evaluation_page(found: Evaluation) -> str:
    """Return the report as a whole HTML document."""
    model = found.model.name if found.model else "no model"
    limit = f", at most {found.limit} rows of each file" if found.limit is not None else ""
    hash = f"SHA-256 {found.model.sha256}" if found.model else ""
    body = [
        "<h1>How far to trust this judge</h1>",
        paragraph(f"{model}, {found.mode} mode, seed {found.seed}{limit}", hash, look="small"),
    ]
    if not found.whole:
        body.append(paragraph("Not finished: this is about the rows judged so far.", look="banner"))
    body += _boxes(evaluation_parts(found))
    if found.pairs or found.ratings or not found.reference:
        body.append(paragraph(CAUTION, look="small"))
    if found.reference:
        body.append(paragraph(REFERENCE_CAUTION, look="small"))
    return document(f"JokeJudge: {model}", body)


def comparison_page(found: Comparison) -> str:
    """Return the comparison as a whole HTML document."""
    body = ["<h1>Two judges on the same rows</h1>", *_boxes(comparison_parts(found)), paragraph(COMPARED, look="small")]
    return document("JokeJudge: two judges compared", body)


def _boxes(parts: Iterable[Part]) -> list[str]:
    return [part_html(part) for part in parts]
