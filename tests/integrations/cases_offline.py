"""That the watch works: these try the network, and the run must be refused."""

import socket
import urllib.request
from contextlib import suppress


def test_a_swallowed_attempt():
    with suppress(OSError):
        urllib.request.urlopen("http://nowhere.invalid/", timeout=1)


def test_a_bare_socket():
    with suppress(OSError), socket.socket() as s:
        s.connect(("127.0.0.1", 9))
