"""What a load needs, from what a turn costs."""

import pytest

from benchmarks.capacity import Load, Server, Turn, months, needs

TURN = Turn(10.0, 2.0, 20_000.0, 5.0, {"conversation_item": 8_000.0, "message": 2_000.0})
SERVER = Server(
    processors=10,
    wal_megabytes_a_second=100,
    terabytes=1,
    dead_rows_a_second=1_000,
    host_processors=4,
    frames_a_second=10_000,
)


def test_rates_are_of_the_busiest_hour_and_storage_of_what_is_kept() -> None:
    needed = needs(TURN, Load(100, 3, 3.0), 50_000_000, SERVER)

    assert needed == pytest.approx(
        {
            "hosts": 0.625,
            "database processors": 0.05,
            "WAL": 0.05,
            "vacuum": 1.25,
            "storage": 0.5,
            "message index": 0.1,
            "deltas": 1.0,
        }
    )


def test_what_is_kept_grows_until_as_much_goes_as_comes() -> None:
    played = [*months(TURN, Load(10, 2, 1.0), SERVER, 4)]

    assert [one["turns kept"] for one in played] == [25_920_000, 51_840_000, 51_840_000, 51_840_000]
    assert [one["exceeded"] for one in [*months(TURN, Load(40, 2, 1.0), SERVER, 2)]] == [["storage"], ["storage"]]
