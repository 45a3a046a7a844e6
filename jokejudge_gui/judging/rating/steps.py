"""Evaluation steps that a model writes for itself, once for each version of the criteria (G-Eval, arXiv 2303.16634)."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, Field, ValidationError

from ...engine.base import CancelToken, Sampling
from ..asking.grammars import grammar_for
from ..main_judge import MainJudge

_TOKENS = 320


class WrittenSteps(BaseModel):
    """What the model writes."""

    steps: list[str] = Field(min_length=3, max_length=3)


def written_steps(judge: MainJudge, cancel: CancelToken | None = None) -> str:
    """The steps as numbered lines; empty where the model couldn't write any. Written once and kept. Raises what the
    engine raises."""
    key = f"{judge.criteria.version}/{judge.deep_prompts.version}"
    known = judge.kept_steps(key)
    if known is None:
        known = _write(judge, cancel)
        judge.keep_steps(key, known)
    return known


def _write(judge: MainJudge, cancel: CancelToken | None) -> str:
    prompts = judge.deep_prompts
    sampling = Sampling(max_tokens=_TOKENS, grammar=_grammar())
    start = prompts.answer("write_steps", "json")
    pieces = judge.engine.generate(prompts.prompt("write_steps"), [start], sampling, cancel)
    try:
        steps = WrittenSteps.model_validate_json("".join(piece.text for piece in pieces)).steps
    except ValidationError:
        return ""
    lines = [" ".join(step.split()) for step in steps]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)) if all(lines) else ""


@cache
def _grammar() -> str:
    """GBNF of three short steps. Raises ``JokeJudgeError`` if llama.cpp's converter is missing."""
    schema = WrittenSteps.model_json_schema()
    schema["properties"]["steps"]["items"] |= {"minLength": 12, "maxLength": 140}
    return grammar_for(schema)
