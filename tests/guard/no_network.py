"""No test, and no process that a test starts, opens a network socket.

A process whose environment says JOKEJUDGE_TESTS_LOOPBACK=1 may open sockets that stay on this machine: a cluster of
local processes communicates that way. Other addresses are forbidden there, too."""

from __future__ import annotations

import os
import socket
import sys

_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
_REACHING = {"socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg"}
_HERE = {"127.0.0.1", "::1", "localhost", None}
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


class NetworkForbidden(RuntimeError):
    """Not an ``OSError``, so that code under test can't take it for a computer that is offline."""


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.__new__" and arguments[1] in _FAMILIES:
        raise NetworkForbidden("a test opened a network socket")
    if event in _LOOKUPS:
        raise NetworkForbidden(f"a test looked a host up ({event})")


def _loopback_hook(event: str, arguments: tuple[object, ...]) -> None:
    if event in _REACHING:
        given, address = arguments[0], arguments[1]
        if isinstance(given, socket.socket) and given.family in _FAMILIES and not _is_here(address):
            raise NetworkForbidden(f"a test reached beyond this machine ({event})")
    if event in _LOOKUPS and arguments[0] not in _HERE and not _is_here(arguments[0]):
        raise NetworkForbidden(f"a test looked a host up ({event})")


def _is_here(address: object) -> bool:
    # A connected datagram socket has no address in sendmsg; its connect was checked.
    return address is None or (isinstance(address, tuple) and address[0] in _HERE)


def install() -> None:
    """Forbid network sockets and host look-ups for the rest of this process (Unix sockets stay)."""
    sys.addaudithook(_loopback_hook if os.environ.get("JOKEJUDGE_TESTS_LOOPBACK") == "1" else _hook)
