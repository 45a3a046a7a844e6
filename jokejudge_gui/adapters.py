"""The judge as what training and evaluation frameworks expect: a reward, an assertion, a metric, a scorer.

Nothing of a framework is imported before its adapter is used. All take the score of ``jokejudge_gui.score``, 0…1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .api import score


def _text(completion: Any) -> str:
    """Return the text of a completion: itself, or the content of the last message of a conversation."""
    if isinstance(completion, str):
        return completion
    last = completion[-1] if isinstance(completion, Sequence) and completion else completion
    return str(last.get("content") or "") if isinstance(last, dict) else ""


def _odds(completion: Any, context: Any = None) -> float:
    return score([_text(completion)], context=str(context or ""))[0]


def reward(completions: Sequence[Any], *, context: Any = None, **_: Any) -> list[float]:
    """A reward function for TRL's trainers: ``GRPOTrainer(reward_funcs=reward, …)``. Completions are texts or
    conversations; a column ``context`` of the data set gives the topic or scene of each."""
    return score([_text(completion) for completion in completions], context=context)


def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: dict[str, Any] | None = None, **_: Any
) -> float:
    """A reward function for verl: ``reward.custom_reward_function.path``. ``extra_info`` may have a ``context``."""
    return _odds(solution_str, (extra_info or {}).get("context"))


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """An assertion for promptfoo: ``type: python``, ``value: file://…``. Passes from ``threshold`` of the assertion's
    config on (0.5); a variable ``context`` gives the topic or scene."""
    value = _odds(output, (context.get("vars") or {}).get("context"))
    least = float((context.get("config") or {}).get("threshold", 0.5))
    return {"pass": value >= least, "score": value, "reason": f"Odds of the upper half of jokes: {value:.2f}."}


def deepeval_metric(threshold: float = 0.5) -> Any:
    """Return a DeepEval metric of a test case's ``actual_output``; the first entry of its ``context`` is the topic or
    scene."""
    from deepeval.metrics import BaseMetric

    class Funniness(BaseMetric):  # type: ignore[misc]
        __name__ = "Funniness"
        async_mode, evaluation_model = False, "JokeJudge"

        def __init__(self) -> None:
            self.threshold = threshold

        def measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            self.score = _odds(test_case.actual_output or "", next(iter(test_case.context or ()), ""))
            self.success = self.score >= self.threshold
            self.reason = f"Odds of the upper half of jokes: {self.score:.2f}."
            return self.score

        async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return bool(self.success)

    return Funniness()


def inspect_scorer() -> Any:
    """Return a scorer for Inspect: ``Task(scorer=inspect_scorer())``; a sample's metadata may have a ``context``."""
    from inspect_ai.scorer import Score, mean, scorer, stderr

    @scorer(metrics=[mean(), stderr()], name="funniness")  # type: ignore[untyped-decorator]
    def funniness() -> Any:
        async def scored(state: Any, target: Any) -> Any:
            text = state.output.completion
            return Score(value=_odds(text, (state.metadata or {}).get("context")), answer=text)

        return scored

    return funniness()


def transformer() -> Any:
    """Return a transformer for scikit-learn's pipelines: texts in, one column of scores out."""
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(_column, feature_names_out=_names)


def _column(texts: Iterable[Any]) -> Any:
    import numpy as np

    return np.array(score([str(text) for text in np.asarray(texts, dtype=object).ravel()])).reshape(-1, 1)


def _names(*_: Any) -> list[str]:
    return ["funniness"]


class Funniness:
    """A scorer as those of autoevals and Braintrust: ``Funniness()(output)`` has ``name`` and ``score``."""

    name = "Funniness"

    def __call__(self, output: Any, expected: Any = None, *, context: str = "", **_: Any) -> Any:
        try:
            from autoevals import Score
        except ImportError:
            from types import SimpleNamespace as Score
        return Score(name=self.name, score=_odds(output, context), metadata={})

    eval = __call__

    async def eval_async(self, output: Any, expected: Any = None, **more: Any) -> Any:
        return self(output, expected, **more)
