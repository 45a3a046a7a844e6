"""packaging/bundle.py: what goes into the packages and where it lies, without building the program."""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import PACKAGING, load

ROOT = PACKAGING.parent


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PACKAGING))
    return load("bundle")


@pytest.fixture
def tree(bundle: ModuleType, tmp_path: Path) -> Path:
    """What the packages would install, with a program that says how it was started."""
    program = tmp_path / "program"
    program.mkdir()
    (program / "jokejudge").write_text('#!/bin/sh\nprintf "%s|" "$OMP_WAIT_POLICY" "$@"\n')
    (program / "jokejudge").chmod(0o755)
    (program / "library.so").symlink_to("jokejudge")
    tree = tmp_path / "tree"
    page = {"man/man1/jokejudge.1.gz": b"page"}
    bundle.lay_out(program, tree, page, datetime.date(2026, 11, 24))
    return tree


def test_everybody_may_read_what_is_packed_whatever_the_umask(
    bundle: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "bundle", lambda _kinds: (tmp_path / "page").write_text("x"))
    before = os.umask(0o077)
    try:
        assert bundle.main(["deb"]) == 0
    finally:
        os.umask(before)
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb isn't here")
def test_the_deb_is_one_that_dpkg_reads_and_keeps_links_and_rights(
    bundle: ModuleType, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "DIST", tmp_path / "dist")
    monkeypatch.setattr(bundle.run, "LOG", tmp_path / "log")
    made = bundle.pack("deb", tree)
    listed = subprocess.run(["dpkg-deb", "-c", made], capture_output=True, text=True, check=True, timeout=120).stdout
    assert "-rwxr-xr-x root/root" in next(line for line in listed.splitlines() if "bin/jokejudge" in line)
    assert "library.so -> jokejudge" in listed
    told = subprocess.run(
        ["dpkg-deb", "-f", made, "Version", "Depends"], capture_output=True, text=True, check=True, timeout=120
    )
    assert f"Version: {bundle.version()}\nDepends: libc6 (>= 2." in told.stdout


def test_the_licences_are_those_of_what_the_program_needs_and_no_more(bundle: ModuleType) -> None:
    said = "\n".join(bundle.licences(None))
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    named = {line.split()[1].lower().replace("_", "-") for line in said.splitlines() if line.startswith("== ")}
    assert {each.lower().partition("=")[0].partition(">")[0] for each in dependencies} <= named
    assert named.isdisjoint({"pytest", "hypothesis", "ruff", "uv"})
    assert "LGPL-3.0" in said
    assert "SIL OPEN FONT LICENSE" in said


def test_what_cant_be_made_is_said_before_anything_is_done(
    bundle: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # put back afterwards: the program takes it away
    monkeypatch.setattr(bundle.run, "set_up", lambda **_: pytest.fail("it set up first"))
    assert bundle.main(["msi"]) == 1
    assert "no package msi. Name some of deb, rpm, tar.zst" in capsys.readouterr().err
    monkeypatch.setattr(bundle.shutil, "which", lambda name: None)
    assert bundle.main(["rpm"]) == 1
    assert "rpmbuild, strip" in capsys.readouterr().err
