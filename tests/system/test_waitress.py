"""The parts inside waitress that config/webserver.py uses: read it again where a test fails."""

import inspect
import re
import socket
from contextlib import closing

import pytest
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from config import webserver
from tests.system.test_webserver import application

OVERRIDES = [
    (ours, name)
    for _, ours in inspect.getmembers(webserver, inspect.isclass)
    if ours.__module__ == webserver.__name__
    for name, member in vars(ours).items()
    if getattr(member, "__override__", False)
]


@pytest.mark.parametrize(("ours", "name"), OVERRIDES)
def test_waitress_has_the_methods_that_are_replaced(ours: type, name: str) -> None:
    theirs = ours.__mro__[1]

    assert hasattr(theirs, name), f"waitress calls no {theirs.__name__}.{name}() any more"
    assert list(inspect.signature(getattr(theirs, name)).parameters) == list(
        inspect.signature(getattr(ours, name)).parameters
    )


def test_waitress_has_the_attributes_that_are_used() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        dispatcher = ThreadedTaskDispatcher()
        adjustments = Adjustments(sockets=[listener])
        with closing(
            TcpWSGIServer(
                application,
                {},
                _sock=listener.dup(),
                dispatcher=dispatcher,
                adj=adjustments,
                sockinfo=(
                    listener.family,
                    listener.type,
                    listener.proto,
                    listener.getsockname(),
                ),
                bind_socket=False,
            )
        ) as server:
            ours, theirs = socket.socketpair()
            with ours, theirs:
                channel = server.channel_class(server, theirs, ("", 0), adjustments, map={})
                parser = channel.parser_class(adjustments)
                parser.received(b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n")
                task = channel.task_class(channel, parser)
                used = {
                    wasyncore: "loop close_all",
                    dispatcher: "add_task active_count lock queue set_thread_count shutdown"
                    " threads",
                    server: "accepting active_channels add_task del_channel socket"
                    " task_dispatcher trigger",
                    server.trigger: "pull_trigger close",
                    channel: "addr close_when_flushed last_activity request requests"
                    " requests_lock server total_outbufs_len will_close",
                    parser: "adj body_bytes_received chunked close completed content_length error"
                    " expect_continue get_body_stream headers headers_finished path",
                    task: "channel request set_close_on_finish",
                }
                missing = [
                    f"{type(owner).__name__}.{name}"
                    for owner, names in used.items()
                    for name in names.split()
                    if not hasattr(owner, name)
                ]
                channel.handle_close()

    assert missing == []


def test_the_queue_has_the_methods_that_waitress_calls() -> None:
    called = re.findall(r"\bqueue\.(\w+)", inspect.getsource(ThreadedTaskDispatcher))

    assert called
    assert set(called) <= set(dir(webserver._Queue))
