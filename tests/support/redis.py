"""A real Redis for tests: the one that WORKFLOW_AGENT_TEST_REDIS_URL names, or one on this machine."""

import os
from functools import cache
from urllib.parse import urlsplit

import pytest
from redis import Redis
from redis.exceptions import RedisError

_URL = "redis://127.0.0.1:6379/7"


@cache
def redis_url() -> str:
    """Return the address of a Redis database that tests may empty; where there is none, skip the test.

    Each worker of a run has the one that follows the database named: they empty it at the same time.
    """
    named = urlsplit(os.environ.get("WORKFLOW_AGENT_TEST_REDIS_URL", _URL))
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    url = named._replace(path=f"/{int(named.path.strip('/') or 0) + worker}").geturl()
    with Redis.from_url(url) as redis:
        try:
            redis.ping()
        except RedisError as error:
            pytest.skip(f"no Redis answers at {url}: {error}")
    return url


def emptied() -> None:
    """Empty the database of the tests, as a restart without persistence does."""
    with Redis.from_url(redis_url()) as redis:
        redis.flushdb()
