"""Rows of outputs judged in the terminal: the whole way over a fake engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli import main
from jokejudge_gui.config import Settings
from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.judging.templates.values import text_of
from jokejudge_gui.paths import Profile
from jokejudge_gui.rubric.template_types import Pack
from jokejudge_gui.rubric.templates import find_pack, templates_dir
from jokejudge_gui.session import Session

CASES = {
    (pack.source, module.id, at): case
    for pack in (find_pack("seeds"), find_pack("stages"))
    for module in pack.modules
    for at, case in enumerate(module.cases)
}


def knowing(prompt: str, question: str, label: str) -> float:
    """Knows a sound row by the clean output of its case, and sound reasoning by its quotation marks."""
    if label.strip().isdigit():
        sound = prompt.count('"') > 1 and "no doubt" not in prompt and _own(prompt)
        top = "4" if "to 4" in question else "2"
        return 12.0 if label == (top if sound else "0") else 0.0
    planted = any(text in prompt for text in _PLANTED)
    broken = "break this rule" in question
    return 9.0 if (label.strip().lower() == "yes") == (planted == broken) else 0.0


def _own(prompt: str) -> bool:
    for case in CASES.values():
        if case.reasoning in prompt:
            return text_of(case.input) in prompt
    return True


def _planted(pack: Pack) -> set[str]:
    return {
        f"Output: {text_of(each.output)}\n"
        for module in pack.modules
        for rule in module.rules
        for each in rule.violated
        if all(each.output != case.output for case in module.cases)
    }


_PLANTED = _planted(find_pack("seeds"))


def quoting(prompt: str, _branch: str) -> str:
    return prompt.split("Output: ")[-1].split("\n")[0][:12] + '"'


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(profile: Profile, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str, engine: FakeEngine | None = None) -> tuple[int, str]:
        fake = engine or FakeEngine(knowing, write=quoting)
        status = main(
            ["--data-dir", str(profile.data), *arguments],
            open_session=lambda _p, s: Session(profile, s or Settings(), loader=lambda *_: fake),
        )
        return status, capsys.readouterr().out

    return call


def row(module: str = "M01", id: str = "1", at: int = 0, **changes: Any) -> dict[str, Any]:
    case = CASES.get(("seeds", module, at)) or CASES["seeds", "M01", 0]
    return {
        "id": id, "module": module, "input": case.input, "output": case.output, "expected": case.expected,
        "reasoning": case.reasoning, "confidence": 0.9, **changes,
    }  # fmt: skip


def data(tmp_path: Path, *rows: dict[str, Any] | str) -> str:
    path = tmp_path / "data.jsonl"
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in rows))
    return str(path)


def lines_of(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in found if "run" not in line]


def test_a_sound_row_passes_in_the_seeds_json(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    status, _ = run("template", "run", "seeds", data(tmp_path, row()), "--out", str(out), "--quiet")
    (line,) = lines_of(out)
    assert status == 0
    assert {"correctness", "rule_compliance", "reasoning_quality"} == set(line["evaluation"])
    correct = line["evaluation"]["correctness"]
    assert (correct["score"], correct["match"]) == (40, True)
    for rule in line["evaluation"]["rule_compliance"]["rules"]:
        assert {"name", "compliant", "score", "evidence"} <= set(rule)
        assert (rule["compliant"], rule["score"]) == (True, 10)
        assert rule["evidence"]
    assert line["verdict"] == "PASS"
    assert line["total_score"] == 100
    assert isinstance(line["summary"], str)
    assert isinstance(line["improvement_suggestions"], list)


def test_a_planted_violation_is_found_and_nothing_else(run: Run, tmp_path: Path) -> None:
    module = find_pack("seeds").module("M13")
    assert module is not None
    output = "false, because a green tent is another type than a blue one"
    rows = row("M13", output=False, reasoning=f"{output}. “green” decides.")
    out = tmp_path / "out.jsonl"
    engine = FakeEngine(
        lambda p, q, label: (
            9.0
            if (label.strip().lower() == "yes")
            == (
                ("break" in q)
                == (any(t in p for t in _PLANTED) or ("another type than a blue" in p and "Variants" in q))
            )
            else 0.0
        ),
        write=quoting,
    )
    run("template", "run", "seeds", data(tmp_path, rows), "--out", str(out), "--quiet", engine=engine)
    (line,) = lines_of(out)
    kept = {rule["name"]: rule["compliant"] for rule in line["evaluation"]["rule_compliance"]["rules"]}
    assert [name for name, value in kept.items() if value is False] == ["Variants ≠ Types"]
    assert line["verdict"] == "FAIL"


def test_without_power_nothing_is_told_but_what_the_program_knows(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run("template", "run", "seeds", data(tmp_path, row()), "--out", str(out), "--quiet", engine=FakeEngine())
    (line,) = lines_of(out)
    compliant = [rule["compliant"] for rule in line["evaluation"]["rule_compliance"]["rules"]]
    assert compliant == [True, None, None, True]
    assert line["total_score"] is None
    assert line["total_range"] == {"least": 60, "most": 100}
    assert line["verdict"] is None


def test_an_answer_without_a_quote_from_the_output_does_not_count(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    engine = FakeEngine(knowing, write=lambda _p, _b: 'words that stand nowhere"')
    run("template", "run", "seeds", data(tmp_path, row()), "--out", str(out), "--quiet", engine=engine)
    (line,) = lines_of(out)
    untold = [rule for rule in line["evaluation"]["rule_compliance"]["rules"] if rule["compliant"] is None]
    assert [rule["name"] for rule in untold] == ["Generate Variations", "No Unrelated Terms"]
    assert all("quoted no words" in rule["why"] for rule in untold)


def test_bad_rows_become_error_lines_and_the_run_goes_on(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = data(
        tmp_path, "{nonsense", "[1]", row(id=""), row(id="1"), row(id="1"), row(id="2", module="M99"),
        row(id="3", expected=None), row("M13", id="4", output="perhaps"), row(id="5", confidence=7),
        row(id="6", reasoning="x" * 30_000), row(id="7", output=[{"deep": [1]}]), row(id="8"),
    )  # fmt: skip
    status, _ = run("template", "run", "seeds", source, "--out", str(out), "--quiet")
    lines = lines_of(out)
    assert status == 0
    assert [line["id"] for line in lines if line["error"] is None] == ["1", "7", "8"]
    codes = [line["error"]["code"] for line in lines if line["error"]]
    assert codes == [
        "E_TEMPLATE_ROW", "E_TEMPLATE_ROW", "E_BATCH_ID", "E_BATCH_DUPLICATE_ID", "E_TEMPLATE_MODULE",
        "E_TEMPLATE_ROW", "E_TEMPLATE_VALUE", "E_TEMPLATE_CONFIDENCE", "E_INPUT_TOO_LONG",
    ]  # fmt: skip


def test_a_run_goes_on_where_it_stopped_and_parts_make_a_whole(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = data(tmp_path, *(row(id=str(n)) for n in range(6)))
    run("template", "run", "seeds", source, "--out", str(out), "--quiet")
    whole = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(whole[:4]) + whole[4][:40])  # as a kill -9 leaves it
    _, said = run("template", "run", "seeds", source, "--out", str(out), "--json")
    told = json.loads(said)
    assert (told["judged"], told["skipped"]) == (3, 3)
    assert [line["id"] for line in lines_of(out)] == [str(n) for n in range(6)]
    parts = []
    for k in (1, 2):
        part = tmp_path / f"part{k}.jsonl"
        run("template", "run", "seeds", source, "--out", str(part), "--shard", f"{k}/2", "--quiet")
        parts += [line["id"] for line in lines_of(part)]
    assert sorted(parts) == [str(n) for n in range(6)]


def test_lines_of_a_pack_that_was_changed_are_not_mixed(run: Run, tmp_path: Path) -> None:
    own, out = tmp_path / "own.xml", tmp_path / "out.jsonl"
    text = (templates_dir() / "seeds.xml").read_text(encoding="utf-8")
    own.write_text(text, encoding="utf-8")
    assert run("template", "run", str(own), data(tmp_path, row()), "--out", str(out), "--quiet")[0] == 0
    own.write_text(text.replace("not excessive", "no more than ten"), encoding="utf-8")
    status, said = run("template", "run", str(own), data(tmp_path, row()), "--out", str(out), "--json")
    assert status == 2
    assert json.loads(said)["error"]["code"] == "E_TEMPLATE_MIXED"


def test_ten_thousand_rows(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = data(tmp_path, *(row(id=str(n), reasoning="") for n in range(10_000)))
    _, said = run("template", "run", "seeds", source, "--out", str(out), "--no-history", "--json", engine=FakeEngine())
    told = json.loads(said)
    assert (told["judged"], told["errors"]) == (10_000, 0)
    assert told["modules"][0]["rows"] == 10_000


def test_a_row_lies_in_the_history(run: Run, tmp_path: Path) -> None:
    run("template", "run", "seeds", data(tmp_path, row()), "--out", str(tmp_path / "o.jsonl"), "--quiet")
    status, said = run("history", "show", "last")
    assert status == 0
    assert "Extract Brand Entities" in said
    assert "Reasonable Count" in said
    assert json.loads(run("history", "list", "--kind", "template", "--json")[1])


def test_packs_are_listed_shown_and_checked(run: Run, tmp_path: Path) -> None:
    assert {pack["pack"] for pack in json.loads(run("template", "list", "--json")[1])["packs"]} == {"seeds", "stages"}
    assert (
        "“fruit tray”" in run("template", "show", "seeds", "M13")[1]
        or "fruit tray" in run("template", "show", "seeds", "M13")[1]
    )
    status, said = run("template", "check", "seeds", data(tmp_path, row(), row(id="2", module="M99")), "--json")
    assert (status, len(json.loads(said)["bad"])) == (1, 1)
    told = json.loads(run("template", "check", "seeds", "--measure", "--json")[1])["told"]
    assert "No Unrelated Terms" in told["M01"]
    assert json.loads(run("template", "check", "nonesuch", "--json")[1])["error"]["code"] == "E_TEMPLATE_PACK"
