"""Each framework's example of the manual runs, where the framework is installed."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from jokejudge_gui import JokeJudge, adapters, api

from .conftest import NewProfile

PAGE = Path(__file__).resolve().parents[2] / "resources" / "manual" / "python.md"
FRAMEWORKS = PAGE.read_text("utf-8").partition("### In frameworks")[2].partition("## Verdicts")[0]
EXAMPLES = {
    re.findall(r"^from (\w+)", code, re.MULTILINE)[0]: code
    for code in re.findall(r"```python\n(.*?)```", FRAMEWORKS, re.S)
}
BANKER, NEWS = "I used to be a banker, but I lost interest.", "The parcel came on Monday."


@pytest.fixture(scope="module")
def folder(new_profile: NewProfile, embedded_model: Path) -> Path:
    folder = new_profile("adapters").data
    (folder / "models").symlink_to(embedded_model.parent)
    return folder


@pytest.fixture(scope="module", autouse=True)
def judge(folder: Path) -> Iterator[JokeJudge]:
    with JokeJudge(data_dir=folder, threads=1, jobs=1, history=False) as judge, pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "_shared", lambda: judge)
        yield judge


BEFORE = """
from jokejudge_gui import JokeJudge, api
judge = JokeJudge(data_dir={folder!r}, threads=1, jobs=1, history=False)
api._shared = lambda: judge
"""


def run(framework: str, folder: Path, place: Path, before: str, after: str) -> list[str]:
    """Return the lines that a framework's example prints at its end, in a process of its own: frameworks warn, and some
    leave much behind."""
    if find_spec(framework) is None:
        pytest.skip(f"{framework} isn't installed")
    code = BEFORE.format(folder=str(folder)) + before + EXAMPLES[framework] + after
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "DEEPEVAL_TELEMETRY_OPT_OUT": "YES"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=path, cwd=place, check=False
    )
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("> ") for line in done.stdout.splitlines() if line.startswith("> ")]


def test_rewards_take_texts_and_conversations(judge: JokeJudge) -> None:
    expected = judge.score([BANKER, NEWS])
    talk = [[{"role": "assistant", "content": text}] for text in (BANKER, NEWS)]
    assert adapters.reward([BANKER, NEWS], prompts=["a", "b"]) == adapters.reward(talk) == expected
    assert adapters.compute_score("jokes", BANKER, None) == expected[0]
    scene = {"context": "A moose in a lift."}
    assert adapters.compute_score("jokes", BANKER, None, scene) == judge.score([BANKER], context=scene["context"])[0]
    assert adapters.reward([BANKER], context=[scene["context"]]) == judge.score([BANKER], context=scene["context"])


def test_an_assertion_passes_from_its_threshold_on(judge: JokeJudge) -> None:
    [value] = judge.score([BANKER])
    for threshold in (value - 0.01, value + 0.01):
        found = adapters.get_assert(BANKER, {"vars": {}, "config": {"threshold": threshold}})
        assert (found["pass"], found["score"]) == (threshold < value, value)
    assert adapters.get_assert(NEWS, {"vars": {}})["pass"] is False


def test_a_scorer_of_autoevals_kind_has_name_and_score(judge: JokeJudge, folder: Path, tmp_path: Path) -> None:
    [value] = judge.score([BANKER])
    assert run("jokejudge_gui", folder, tmp_path, "", "print('>', result.score)") == [str(value)]
    assert asyncio.run(adapters.Funniness().eval_async(output=BANKER)).score == value


def test_deepeval(judge: JokeJudge, folder: Path, tmp_path: Path) -> None:
    after = "metric = deepeval_metric(0.99)\nprint('>', metric.measure(case), metric.is_successful())"
    assert run("deepeval", folder, tmp_path, "", after) == [f"{judge.score([BANKER])[0]} False"]


def test_inspect(judge: JokeJudge, folder: Path, tmp_path: Path) -> None:
    before = "from inspect_ai.model import ModelOutput, ModelUsage, get_model\n"
    before += f"output = ModelOutput.from_content('mockllm/model', {BANKER!r})\n"
    before += "output.usage = ModelUsage(total_tokens=2)\n"  # else they are counted by a table from the network
    before += "model = get_model('mockllm/model', custom_outputs=[output])\n"
    after = "print('>', log.status, log.results.scores[0].metrics['mean'].value)"
    assert run("inspect_ai", folder, tmp_path, before, after) == [f"success {judge.score([BANKER])[0]}"]


def test_scikit_learn(folder: Path, tmp_path: Path) -> None:
    after = "print('>', column.shape, column[0, 0] > column[1, 0], *transformer().fit(jokes).get_feature_names_out())"
    assert run("sklearn", folder, tmp_path, f"jokes = {[BANKER, NEWS]!r}\n", after) == ["(2, 1) True funniness"]


TINY = """
import json
from datasets import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Tokenizer
words = {chr(33 + n) if n else "<|endoftext|>": n for n in range(90)}
open("vocab.json", "w").write(json.dumps(words))
open("merges.txt", "w").write("#version: 0.2\\n")
GPT2Tokenizer("vocab.json", "merges.txt").save_pretrained("tiny")
GPT2LMHeadModel(GPT2Config(vocab_size=200, n_positions=512, n_embd=16, n_layer=1, n_head=2)).save_pretrained("tiny")
import trl, functools
trl.GRPOConfig = functools.partial(trl.GRPOConfig, use_cpu=True)
model, prompts = "tiny", Dataset.from_dict({"prompt": ["Tell a joke."] * 8, "context": ["Banks"] * 8})
"""


def test_trl(folder: Path, tmp_path: Path) -> None:
    after = "print('>', any('reward' in line for line in trainer.state.log_history))"
    assert run("trl", folder, tmp_path, TINY, after) == ["True"]
