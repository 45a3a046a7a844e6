"""The guard of conftest.py: tests reach no network, nor do the processes they start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from no_network import NetworkForbidden


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_network_socket_cant_be_opened(family: int) -> None:
    with pytest.raises(NetworkForbidden):
        socket.socket(family)


def test_processes_that_a_test_starts_are_guarded_as_well() -> None:
    code = "import socket; socket.socket(socket.AF_INET)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode != 0
    assert "NetworkForbidden" in done.stderr


def test_the_users_folders_are_out_of_reach() -> None:
    home = Path(os.environ["HOME"])
    for folder in (Profile.default().data, Profile.default().config, Profile.default().cache, Path.home()):
        assert folder.is_relative_to(home.parent)


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); socket.create_connection(s.getsockname())", True),
        ("socket.getaddrinfo('localhost', 80)", True),
        ("socket.socket().bind(('', 0))", False),
        ("socket.socket().connect(('192.0.2.1', 80))", False),
        ("socket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.1', 80))", False),
        ("socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 80))", False),
        ("socket.getaddrinfo('example.org', 80)", False),
    ],
)
def test_a_process_that_may_use_loopback_reaches_nothing_else(code: str, allowed: bool) -> None:
    environment = {**os.environ, "JOKEJUDGE_TESTS_LOOPBACK": "1"}
    command = [sys.executable, "-c", f"import socket; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert (done.returncode == 0) == allowed, done.stderr
    assert ("NetworkForbidden" in done.stderr) != allowed
