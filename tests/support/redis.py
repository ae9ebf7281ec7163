"""A real Redis for tests: the one that WORKFLOW_AGENT_TEST_REDIS_URL names, or one on this machine."""

import os
from functools import cache

import pytest
from redis import Redis
from redis.exceptions import RedisError

_URL = "redis://127.0.0.1:6379/7"


@cache
def redis_url() -> str:
    """Return the address of a Redis database that tests may empty; where there is none, skip the test."""
    url = os.environ.get("WORKFLOW_AGENT_TEST_REDIS_URL", _URL)
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
