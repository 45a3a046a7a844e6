"""No test, and no process that a test starts, opens a network socket."""

from __future__ import annotations

import socket
import sys

_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


class NetworkForbidden(RuntimeError):
    """Not an ``OSError``, so that code under test can't take it for a computer that is offline."""


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.__new__" and arguments[1] in _FAMILIES:
        raise NetworkForbidden("a test opened a network socket")
    if event in _LOOKUPS:
        raise NetworkForbidden(f"a test looked a host up ({event})")


def install() -> None:
    """Forbid network sockets and host look-ups for the rest of this process (Unix sockets stay)."""
    sys.addaudithook(_hook)
