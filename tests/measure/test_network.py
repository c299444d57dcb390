from __future__ import annotations

import socket
import threading

import pytest

from longpole.errors import UsageError
from longpole.measure import network
from longpole.measure.network import Loopback, Network, address_of, sent_rate
from longpole.measure.probe import UnmeasurableError
from longpole.measure.sink import COUNT, GREETING, Sink
from longpole.measure.together import Together


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(network, "TRIAL_S", 0.05)
    monkeypatch.setattr(network, "_WAIT_S", 5.0)


def test_loopback_is_a_rate():
    probe = Loopback()

    found = probe.trial()

    probe.close()
    assert 1e6 < found["loopback"] < 1e13


def test_the_network_is_measured_to_a_sink():
    with Sink("127.0.0.1", 0) as sink:
        probe = Network(f"127.0.0.1:{sink.address[1]}")

        found = probe.trial()

        probe.close()
    assert found["network"] > 1e6
    assert "this node itself" in probe.remark


def test_a_sink_tells_how_much_it_got():
    with Sink("127.0.0.1", 0) as sink, socket.create_connection(sink.address, timeout=5) as client:
        file = client.makefile("rb")
        greeted = file.read(len(GREETING))
        client.sendall(b"x" * 12345)
        client.shutdown(socket.SHUT_WR)

        assert (greeted, COUNT.unpack(file.read(COUNT.size))[0]) == (GREETING, 12345)
        file.close()


def test_nobody_there_is_said_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(UnmeasurableError, match=rf"127.0.0.1:{port} cannot be reached .*machine serve"):
        Network(f"127.0.0.1:{port}")


def test_a_host_that_does_not_exist_is_said():
    with pytest.raises(UnmeasurableError, match="cannot be reached"):
        Network("no-such-host.invalid:7417")


def test_something_else_that_answers_is_no_sink():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            client, _ = server.accept()
            with client:
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(UnmeasurableError, match="is not 'longpole machine serve'"):
            Network(f"127.0.0.1:{server.getsockname()[1]}")
        thread.join()


@pytest.mark.parametrize("text", ["", ":7417", "node:", "node:x", "node:0", "node:70000", "node:²"])
def test_what_is_no_host_with_a_port_is_a_usage_error(text):
    with pytest.raises(UsageError, match="is not a host with a port"):
        address_of(text)


@pytest.mark.parametrize("told", [0, 5, 2**64 - 1])
def test_a_sink_that_counts_wrongly_is_not_believed(told):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def lie():
            client, _ = server.accept()
            with client:
                client.sendall(GREETING)
                while client.recv(1 << 20):
                    pass
                client.sendall(COUNT.pack(told))

        thread = threading.Thread(target=lie)
        thread.start()
        with Together(1) as together, pytest.raises(UnmeasurableError, match=rf"says that {told:,} of the "):
            sent_rate(together, server.getsockname()[:2], 1)
        thread.join()
