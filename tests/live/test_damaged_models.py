"""Models that load and then do harm: what is no number is never an answer, and no template ends the program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import EngineError, ModelError
from jokejudge_gui.core.files import remembered
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import ChatFrame, Sampling, Segment
from jokejudge_gui.engine.llama_engine import LlamaEngine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.library.probe import probe
from jokejudge_gui.session.loading import open_model
from tests.gguf_builder import STRING, U32

from .damaged_models import nan_words, with_setting
from .engine_helpers import JOKE, OTHER, ask, load, prompt

TEMPLATE = "tokenizer.chat_template"


@pytest.fixture(scope="module")
def nan_model(embedded_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that can't read the word "doctor", which only JOKE holds."""
    engine = load(embedded_model)
    words = dict(zip((JOKE[begin:end] for begin, end in engine.scan(JOKE).spans), _tokens(engine, JOKE), strict=True))
    engine.close()
    return nan_words(embedded_model, tmp_path_factory.mktemp("nan") / "nan.gguf", (words[" doctor"],))


@pytest.fixture
def engine(nan_model: Path) -> Iterator[LlamaEngine]:
    engine = load(nan_model)
    yield engine
    engine.close()


def _tokens(engine: LlamaEngine, text: str) -> tuple[int, ...]:
    return engine._prompts.flat((Segment(text),))


def test_what_is_not_a_number_is_an_error_and_never_an_answer(engine: LlamaEngine) -> None:
    sound = ask(engine, OTHER)
    with pytest.raises(EngineError) as caught:
        ask(engine, JOKE)
    assert caught.value.code == "E_NOT_FINITE"
    assert caught.value.hint
    for texts in ([JOKE], [OTHER, JOKE]):
        with pytest.raises(EngineError, match="isn't a number"):
            engine.embed(texts)
        with pytest.raises(EngineError, match="isn't a number"):
            engine.scan_together(texts)
    with pytest.raises(EngineError, match="isn't a number"):
        list(engine.generate(prompt(engine, JOKE), [(Segment("It is"),)], Sampling(max_tokens=3)))
    assert ask(engine, OTHER) == sound


def test_a_model_that_failed_is_tried_anew(nan_model: Path, profile: Profile) -> None:
    probe(nan_model, profile)
    probes = profile.data / "probes.json"
    assert str(nan_model) in remembered(probes)
    *_, loaded = _steps(str(nan_model), profile)
    with pytest.raises(EngineError):
        loaded.embed([JOKE])
    loaded.close()
    assert str(nan_model) not in remembered(probes)


def _steps(spec: str | None, profile: Profile) -> Iterator[LlamaEngine]:
    steps = open_model(spec, profile, Settings(), None)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            yield stop.value
            return


@pytest.mark.parametrize("size", [1, 40, 100, 120, 511])
def test_a_context_that_holds_nothing_useful_is_a_sentence(
    embedded_model: Path, tmp_path: Path, profile: Profile, size: int
) -> None:
    path = with_setting(embedded_model, tmp_path / "small.gguf", "llama.context_length", U32, size)
    with pytest.raises(ModelError) as caught:
        probe(path, profile)
    assert (caught.value.code, f" {size} token" in caught.value.sentence) == ("E_MODEL_CONTEXT", True)


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(9999) %}" * 3 + "{% endfor %}" * 3,
        "{% set x = namespace(v='xxxxxxxxxx') %}{% for a in range(40) %}{% set x.v = x.v + x.v %}{% endfor %}{{ x.v }}",
        "{{ 'x' * 100000 }}{{ messages[0]['content'] }}{{ messages[-1]['content'] }}",
    ],
)
def test_a_template_that_hangs_or_eats_memory_is_a_sentence(
    embedded_model: Path, tmp_path: Path, profile: Profile, template: str
) -> None:
    path = with_setting(embedded_model, tmp_path / "template.gguf", TEMPLATE, STRING, template)
    hurried = (
        "import sys; from jokejudge_gui.engine import loader; from jokejudge_gui.library.probe import run_child; "
        "loader._TEMPLATE_SECONDS = 1; sys.exit(run_child(sys.argv[1]))"
    )
    with pytest.raises(ModelError) as caught:
        probe(path, profile, command=[sys.executable, "-c", hurried, str(path)])
    assert caught.value.code in ("E_MODEL_TEMPLATE", "E_MODEL_MEMORY")


def test_the_program_uses_the_frame_that_the_probe_rendered(embedded_model: Path, profile: Profile) -> None:
    kept = probe(embedded_model, profile)["frame"]
    sound = load(embedded_model)
    rendered = sound.frame
    sound.close()
    assert ChatFrame(*kept) == rendered
    other = load_engine(embedded_model, sha256="0" * 64, threads=1, frame=ChatFrame("a", "b", "c"))
    assert other.frame == ChatFrame("a", "b", "c")
    other.close()
