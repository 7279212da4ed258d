"""The head of a response."""

from __future__ import annotations

from partita.engine.door.responses import ResponseWriter


def test_the_date_is_that_of_the_second_it_is_sent_in() -> None:
    clock = iter((0.0, 0.9, 1.0, 86_400.5))
    writer = ResponseWriter(clock=lambda: next(clock))
    dates = []
    for _ in range(4):
        head = writer.head(200, b"", keep_alive=True).decode()
        dates.append(head.partition("Date: ")[2].partition("\r\n")[0])
    assert dates == [
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Thu, 01 Jan 1970 00:00:01 GMT",
        "Fri, 02 Jan 1970 00:00:00 GMT",
    ]


def test_a_status_without_a_name_has_one_all_the_same() -> None:
    assert ResponseWriter().head(599, b"", keep_alive=False).startswith(b"HTTP/1.1 599 Error\r\n")


def test_two_doors_never_give_the_same_request_id() -> None:
    heads = {ResponseWriter().head(200, b"", keep_alive=True) for _ in range(100)}
    assert len(heads) == 100
