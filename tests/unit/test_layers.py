"""What the layer contracts of pyproject.toml (import-linter, in .ci/run) can't say themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "jokejudge_gui"


def test_what_only_a_checkout_has_is_named_where_an_installed_package_is_told_from_one() -> None:
    named = {
        str(module.relative_to(PACKAGE))
        for module in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Constant) and "packaging/run.py" in str(node.value)
    }
    assert named == {"core/paths.py"}


def modules_below_the_window() -> list[str]:
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "ui" not in parts and parts[-1] != "__main__":
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def test_everything_below_the_window_works_with_qt_uninstalled() -> None:
    names = modules_below_the_window()
    assert "jokejudge_gui.core.verdicts" in names
    code = (
        "import importlib, sys\n"
        "sys.modules['PySide6'] = None\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *names], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_is_cheap_and_sets_the_waiting_policy() -> None:
    code = (
        "import os, sys; os.environ.pop('OMP_WAIT_POLICY', None)\n"
        "import jokejudge_gui\n"
        "assert os.environ['OMP_WAIT_POLICY'] == 'passive'\n"
        "heavy = {'PySide6', 'llama_cpp', 'numpy', 'lxml', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
