"""Where the server listens, on what it works, and who is answered."""

import ipaddress
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import NoDecode

from workflow_agent.settings.parts import Seconds


class Serving:
    """Where the server listens, and on what it works."""

    host: str = "127.0.0.1"
    """Address to listen on. Any other than a loopback address needs `api_keys`."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """Port to listen on; 0 takes a free one."""
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    """Processes that serve the port side by side, all on the same data; about one a processor core."""
    worker_silence_seconds: Seconds = 60
    """How long one of several workers may do nothing at all, its event loop stuck, before it is killed and
    replaced."""
    data_dir: Path = Path("data")
    """Where conversations and workflows are kept."""
    tenant: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] = "default"
    """The folder under `data_dir` that this server works in."""
    samples: bool = False
    """Whether a new tenant starts with the sample workflows."""

    @property
    def is_loopback(self) -> bool:
        """Say whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


class Access:
    """Who is answered."""

    api_keys: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    """Keys that clients send as `Authorization: Bearer …`, separated by commas; empty asks for none."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Values of the Host header that are answered, separated by commas, `*` for any. Empty means the loopback
    names on a loopback address, which keeps other sites' pages out, and any elsewhere."""
