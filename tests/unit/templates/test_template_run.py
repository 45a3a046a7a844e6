"""Rows of outputs judged in the terminal: the whole way over a fake engine."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.rubric.templates import templates_dir
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.template_engine import knowing, quoting, row

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
    assert (status, line["verdict"], line["total_score"]) == (0, "PASS", 100)
    assert {"correctness", "rule_compliance", "reasoning_quality"} == set(line["evaluation"])
    assert (line["evaluation"]["correctness"]["score"], line["evaluation"]["correctness"]["match"]) == (40, True)
    for rule in line["evaluation"]["rule_compliance"]["rules"]:
        assert (rule["compliant"], rule["score"], bool(rule["evidence"])) == (True, 10, True)


def test_a_broken_rule_is_found_and_nothing_else(run: Run, tmp_path: Path) -> None:
    reasoning = "false, because a green tent is another type than a blue one. “green” decides."
    out = tmp_path / "out.jsonl"
    run("template", "run", "seeds", data(tmp_path, row("M13", output=False, reasoning=reasoning)), "--out", str(out))
    (line,) = lines_of(out)
    kept = {rule["name"]: rule["compliant"] for rule in line["evaluation"]["rule_compliance"]["rules"]}
    assert [name for name, value in kept.items() if value is False] == ["Variants ≠ Types"]
    assert line["verdict"] == "FAIL"


def test_a_model_that_contradicts_itself_leaves_rules_open(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = data(tmp_path, row(reasoning=""))
    run("template", "run", "seeds", source, "--out", str(out), "--quiet", engine=FakeEngine())
    (line,) = lines_of(out)
    compliant = [rule["compliant"] for rule in line["evaluation"]["rule_compliance"]["rules"]]
    assert compliant == [True, None, None, True]
    assert line["total_score"] is None
    assert line["total_range"] == {"least": 60, "most": 80}
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
    assert json.loads(said)["error"]["code"] == "E_BATCH_MIXED"


def test_lines_that_were_tampered_with_are_said_with_the_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = data(tmp_path, row())
    run("template", "run", "seeds", source, "--out", str(out), "--quiet")
    out.write_text(out.read_text(encoding="utf-8").replace('"verdict": "PASS"', '"verdict": "GOOD"'), encoding="utf-8")
    status, said = run("template", "run", "seeds", source, "--out", str(out), "--json")
    error = json.loads(said)["error"]
    assert (status != 0, error["code"], "out.jsonl" in error["sentence"]) == (True, "E_TEMPLATE_OUT", True)


def test_a_row_lies_in_the_history(run: Run, tmp_path: Path) -> None:
    run("template", "run", "seeds", data(tmp_path, row()), "--out", str(tmp_path / "o.jsonl"), "--history", "--quiet")
    status, said = run("history", "show", "last")
    assert status == 0
    assert "Extract Brand Entities" in said
    assert "Reasonable Count" in said
    assert json.loads(run("history", "list", "--kind", "template", "--json")[1])


def test_packs_are_listed(run: Run) -> None:
    assert {pack["pack"] for pack in json.loads(run("template", "list", "--json")[1])["packs"]} == {"seeds", "stages"}
    unknown = run("template", "run", "nonesuch", "rows.jsonl", "--out", "out.jsonl", "--json")[1]
    assert json.loads(unknown)["error"]["code"] == "E_TEMPLATE_PACK"


@pytest.mark.parametrize("command", [("run", "stages", "rows.jsonl")])
def test_an_out_that_is_no_plain_file_is_said_before_anything_is_read(run: Run, command: tuple[str, ...]) -> None:
    status, *_ = run("template", *command, "--out", os.devnull)
    assert status == 2
