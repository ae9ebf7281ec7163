"""What the command line asks, and where it keeps things."""

from pathlib import Path

from pydantic import SecretStr


class Client:
    """The server that commands ask, and what they keep."""

    url: str | None = None
    """The server that commands ask, such as `http://127.0.0.1:8000`; without it they work on `data_dir`."""
    api_key: SecretStr | None = None
    """The key that commands send to that server; one of its `api_keys`."""
    state_dir: Path | None = None
    """Where the command line keeps what was typed; the user's state directory unless set."""
