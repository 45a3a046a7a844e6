"""typed-gguf on its own kind of question: the joke is the state, every question has its own description."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from jokejudge_gui.rubric.xml_parser import Criteria

from ..questions import Job, chosen
from .base import Unavailable
from .children import finish, start

_CHILD = Path(__file__).with_name("typed_child.py")
_SCALE = ["not at all", "hardly", "a little", "fairly", "well", "excellently"]


class TypedGguf:
    """As many questions as the verdict's, in typed-gguf's own form; a duel is one choice with each joke first."""

    name = "typed-gguf, its own kind of question"

    def __init__(self, python: Path, model: Path, criteria: Criteria, *, home: Path, sample: int) -> None:
        """``python``: the Python of an environment with typed-gguf; it drives the libllama that llama-cpp-python built
        here. Raises ``Unavailable``."""
        self._model = model
        self._criteria = criteria
        self._sample = sample
        found = importlib.util.find_spec("llama_cpp")
        assert found is not None
        assert found.submodule_search_locations is not None
        libraries = Path(found.submodule_search_locations[0]) / "lib"
        self._process = start(
            [str(python), str(_CHILD), str(model)],
            TYPED_GGUF_RUNTIME_DIR=str(libraries),
            TYPED_GGUF_HOME=str(home),
        )
        if self._read("ready") is None:
            self.close()
            raise Unavailable("typed-gguf isn't there or doesn't load this model")

    def seconds(self, job: Job) -> tuple[float, int]:
        questions = self._rating(job) if job.kind == "rate" else self._duel()
        places = chosen(len(questions), self._sample)
        asked = {f"q{place}": questions[place] for place in places}
        answer = self._send({"model": str(self._model), "state": job.text, "questions": asked})
        lead = answer["seconds"] - answer["questions"]
        return lead + answer["questions"] / len(places) * len(questions), len(places)

    def close(self) -> None:
        finish(self._process)

    def _rating(self, job: Job) -> list[dict[str, Any]]:
        checks = [
            {"type": "noul", "instructions": f"{check.admits} {check.description}"}
            for check in self._criteria.template.checks
        ]
        kinds = [
            {"type": "noul", "instructions": f"Is this joke of the kind “{kind.name}” ({kind.ask})?"}
            for kind in self._criteria.categories
        ]
        scored = max(1, len(job.calls[-1].questions) // 2)
        relevant = len(job.calls[2].questions) if len(job.calls) > 2 else 0
        matters = [
            {"type": "noul", "instructions": f"Does {factor.name} matter for this joke? {factor.explanation}"}
            for factor in self._criteria.factors[:relevant]
        ]
        scores = [
            {"type": "score", "instructions": f"{factor.name}: {factor.explanation}", "criteria": _SCALE}
            for factor in self._criteria.factors[:scored]
        ]
        return [*checks, *kinds, *matters, *scores]

    def _duel(self) -> list[dict[str, Any]]:
        question = {"type": "choice", "instructions": "Which joke is the funnier one?"}
        orders = [{"first": "joke 1", "second": "joke 2"}, {"second": "joke 2", "first": "joke 1"}]
        alone = {"type": "noul", "instructions": "Would people find joke 1 funny?"}
        return [question | {"criteria": order} for order in orders] + [alone, alone]

    def _send(self, payload: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(payload) + "\n")
        self._process.stdin.flush()
        line = self._read("answer")
        if line is None:
            raise Unavailable("typed-gguf gave up on these questions")
        return dict(json.loads(line))

    def _read(self, word: str) -> str | None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line.removeprefix(word).strip() or "{}"
        return None
