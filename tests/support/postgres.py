"""A real PostgreSQL for tests: the one that WORKFLOW_AGENT_TEST_DATABASE_URL names, or one from a wheel."""

import asyncio
import atexit
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

import asyncpg
import pytest
from pydantic import SecretStr

from workflow_agent.main.holdings import moved
from workflow_agent.settings import Settings
from workflow_agent.storage.postgres.database import Database, DatabaseOptions, embedded_url

_ROLE = "workflow_agent_tests"
"""Owns each database of the tests and is nothing more, so that row-level security holds for it."""
_MAKE_ROLE = f"""DO $$ BEGIN CREATE ROLE {_ROLE} LOGIN PASSWORD '{_ROLE}';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"""
_PASSES_PREPARED = (1, 21)
"""The first PgBouncer that a prepared statement outlives a transaction in."""
_EMPTY = """DO $$ DECLARE name text; BEGIN
    PERFORM set_config('workflow_agent.tenant', '*', true);
    -- The partitions are opened only where there is something in them: that takes a tenth of a second.
    IF EXISTS (SELECT FROM conversation) THEN DELETE FROM conversation_item; END IF;
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND NOT relispartition
        AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migration'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
END $$"""


@cache
def server_url() -> str:
    """Return the address of a server, started for the tests where none is named."""
    named = os.environ.get("WORKFLOW_AGENT_TEST_DATABASE_URL")
    if named:
        return named
    return embedded_url(Path(tempfile.mkdtemp(prefix="workflow-agent-postgres-")))


@cache
def database_url() -> str:
    """Return the address of a migrated database that the tests of this process share; it goes with the process."""
    return a_database_of_ones_own()


@cache
def _template() -> str:
    """Return the name of a migrated database that nobody writes to, so that what is made of it is empty."""
    name = f"workflow_agent_{os.getpid()}_{secrets.token_hex(4)}"
    asyncio.run(_on_server(_MAKE_ROLE))
    asyncio.run(_on_server(f"CREATE DATABASE {name} OWNER {_ROLE}"))
    atexit.register(lambda: asyncio.run(_on_server(f"DROP DATABASE {name} WITH (FORCE)")))
    asyncio.run(_migrated(_url_of(name)))
    return name


def _url_of(name: str) -> str:
    there = urlsplit(server_url())
    address = there.netloc.rpartition("@")[2]
    return urlunsplit(there._replace(netloc=f"{_ROLE}:{_ROLE}@{address}", path=f"/{name}"))


async def _on_server(statement: str) -> None:
    connection = await asyncpg.connect(server_url())
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _migrated(url: str) -> None:
    database = Database(DatabaseOptions(url))
    await database.migrate()
    await database.close()


@asynccontextmanager
async def an_empty_database() -> AsyncIterator[Database]:
    """Give the connections to an empty database."""
    # In a thread, because it runs a loop of its own the first time.
    url = await asyncio.to_thread(database_url)
    database = Database(DatabaseOptions(url, most_connections=4, patience_seconds=5))
    try:
        await database.rows(_EMPTY)
        yield database
    finally:
        await database.close()


def a_database_of_ones_own(*, is_blank: bool = False) -> str:
    """Return the address of a new database, migrated unless it is to be blank; it goes with the process."""
    template = _template()
    name = f"{template}_{secrets.token_hex(4)}"
    kind = "template1" if is_blank else template
    asyncio.run(_on_server(f"CREATE DATABASE {name} TEMPLATE {kind} OWNER {_ROLE}"))
    atexit.register(lambda: asyncio.run(_on_server(f"DROP DATABASE {name} WITH (FORCE)")))
    return _url_of(name)


@contextmanager
def behind_pgbouncer(url: str) -> Iterator[str]:
    """Give the address of a database behind a pooler in transaction mode, as the page on scaling sets it up.

    The test is skipped where there is no PgBouncer that passes prepared statements on.
    """
    program = shutil.which("pgbouncer")
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True) if program else None
    version = re.search(r"PgBouncer (\d+)\.(\d+)", told.stdout) if told else None
    if program is None or version is None or (int(version[1]), int(version[2])) < _PASSES_PREPARED:
        pytest.skip("no PgBouncer of 1.21 or newer")
    there = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    host = parse_qs(there.query).get("host", [there.hostname])[0]
    name = there.path.removeprefix("/")
    with tempfile.TemporaryDirectory() as folder:
        users, settings = Path(folder) / "users.txt", Path(folder) / "pgbouncer.ini"
        users.write_text(f'"{_ROLE}" "{_ROLE}"\n')
        settings.write_text(
            f"[databases]\n{name} = host={host} port={there.port or 5432}\n[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = plain\nauth_file = {users}\n"
            "pool_mode = transaction\ndefault_pool_size = 4\nmax_prepared_statements = 200\n"
            "ignore_startup_parameters = statement_timeout,lock_timeout,plan_cache_mode,jit,search_path\n"
        )
        for path in (Path(folder), users, settings):
            path.chmod(0o755)
        # It does not run as root, and has to reach the server's socket.
        user = Path(host).owner() if host and host.startswith("/") else "nobody"
        as_user = ["-u", user] if os.geteuid() == 0 else []
        with subprocess.Popen([program, "-q", *as_user, settings]) as pooler:
            try:
                yield urlunsplit(there._replace(netloc=f"{_ROLE}:{_ROLE}@127.0.0.1:{port}", query=""))
            finally:
                pooler.kill()


@asynccontextmanager
async def without_connections(url: str) -> AsyncIterator[None]:
    """Cut every connection to a database, and let nobody connect as long as the block lasts."""
    name = urlsplit(url).path.removeprefix("/")
    await _on_server(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    await _on_server(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608 - ours
    )
    try:
        yield
    finally:
        await _on_server(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


_of_folders: dict[Path, str] = {}
_ROTATED = 3
"""A test may have so many applications at a time, each on a folder of its own."""


def on_postgres(settings: Settings) -> Settings:
    """Return settings by which an application keeps in a database what it would keep in its folder."""
    if settings.data_dir not in _of_folders:
        with ThreadPoolExecutor() as outside:
            # A test's event loop may be running here, and this runs one of its own.
            url = outside.submit(_rotated, len(_of_folders) % _ROTATED, settings).result()
        _of_folders[settings.data_dir] = url
    return settings.model_copy(update={"database_url": SecretStr(_of_folders[settings.data_dir])})


def _rotated(number: int, settings: Settings) -> str:
    url = _numbered(number)
    asyncio.run(_emptied(url))
    if (settings.data_dir / settings.tenant).is_dir():
        # What a test put there beforehand.
        moved(settings, settings.model_copy(update={"database_url": SecretStr(url)}))
    return url


@cache
def _numbered(_: int) -> str:
    return a_database_of_ones_own()


async def _emptied(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_EMPTY)
    finally:
        await connection.close()
