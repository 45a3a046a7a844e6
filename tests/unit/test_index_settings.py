"""pip's index settings reach uv, and nothing that is set for uv itself is lost."""

from __future__ import annotations

import runpy
from pathlib import Path

_SETTINGS = runpy.run_path(str(Path(__file__).resolve().parents[2] / "packaging" / "index_settings.py"))
parse_pip_config, uv_environment = _SETTINGS["parse_pip_config"], _SETTINGS["uv_environment"]
pip_environment = _SETTINGS["pip_environment"]


def test_pips_settings_reach_uv_with_pips_own_precedence(tmp_path: Path) -> None:
    pip = parse_pip_config(
        "global.index-url='file:///files'\n"
        ":env:.index-url='file:///env'\n"
        "install.index-url='file:///install'\n"
        "global.extra-index-url='\\nfile:///one\\nfile:///two'\n"
        "global.find-links='wheels'\n"
        "global.timeout='180'\n"
        "not a setting\n"
        "global.broken='\n"
    )
    env = uv_environment(pip, {"PATH": "bin"}, tmp_path)
    assert env["UV_DEFAULT_INDEX"] == "file:///env"
    assert env["UV_EXTRA_INDEX_URL"] == "file:///one file:///two"
    assert env["UV_FIND_LINKS"] == "wheels"
    assert env["UV_HTTP_TIMEOUT"] == "180"
    assert env["UV_PYTHON_DOWNLOADS"] == "never"
    assert env["VIRTUAL_ENV"] == str(tmp_path)
    assert env["PATH"] == "bin"
    assert "UV_NO_INDEX" not in env


def test_the_system_s_certificates_are_trusted_unless_others_are_named(tmp_path: Path) -> None:
    system = tmp_path / "certificates.pem"
    assert uv_environment({}, {}, tmp_path, system)["UV_SYSTEM_CERTS"] == "1"
    assert uv_environment({}, {"UV_SYSTEM_CERTS": "0"}, tmp_path, system)["UV_SYSTEM_CERTS"] == "0"
    assert "UV_SYSTEM_CERTS" not in uv_environment({}, {}, tmp_path, None)  # uv's own are better than none
    assert pip_environment({}, {}, system) == {"PIP_CERT": str(system)}
    assert pip_environment({"cert": "own.pem"}, {}, system) == {}
    assert pip_environment({}, {"REQUESTS_CA_BUNDLE": "own.pem"}, system) == {"REQUESTS_CA_BUNDLE": "own.pem"}
    assert pip_environment({}, {}, None) == {}
