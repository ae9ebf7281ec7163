"""Cuts the power of a real ext4 during saves.

Run as `unshare --mount python -m tests.support.ext4_power_cut <directory>`. The file system lies in
an image file there. The shutdown call stops it at once, its journal not written out; mounting it
again is what a machine does after a power cut. The mount belongs to this process's own mount
namespace, so it ends with the process, however that ends. Prints what was found as JSON, or a
reason and exit code 77 where this cannot be tried.
"""

import errno
import fcntl
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.failing_files import FailingFileSystem, never
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.file_system import FileSystem

CANNOT_BE_TRIED = 77
EXT4_IOC_SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING_THE_JOURNAL = struct.pack("I", 2)
ENDINGS = ("acknowledged", "cut")
OLD, NEW = b"old " * 2_000, b"new " * 3_000


class PowerCut(BaseException):
    """The machine is off; nobody is left to handle it."""


def cut_power(mount_point: Path) -> None:
    with (mount_point / "anchor").open() as anchor:
        fcntl.ioctl(anchor, EXT4_IOC_SHUTDOWN, WITHOUT_FLUSHING_THE_JOURNAL)


@contextmanager
def mounted(image: Path) -> Iterator[Path]:
    mount_point = image.with_name("mounted")
    subprocess.run(["mount", "-o", "loop", str(image), str(mount_point)], check=True, capture_output=True)
    try:
        yield mount_point
    finally:
        subprocess.run(["umount", str(mount_point)], check=True, capture_output=True)


class Cutting(FailingFileSystem):
    """Cuts the power after so many calls."""

    def __init__(self, mount_point: Path, after: int) -> None:
        super().__init__(never, errno.EIO)
        self._mount_point, self._after = mount_point, after

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        watched = super()._watched(name, real)

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return watched(*args, **kwargs)
            finally:
                if len(self.made) == self._after:
                    cut_power(self._mount_point)
                    raise PowerCut

        return call


class Careless(FileSystem):
    """Syncs nothing."""

    fsync = staticmethod(lambda _fd: None)


def saved_and_cut(image: Path, file_system: Callable[[Path], FileSystem]) -> tuple[str, str]:
    """Return whether the new content was acknowledged, and which content is there after the power cut."""
    with mounted(image) as mount_point:
        DurableFiles(mount_point / "data").save(mount_point / "data" / "x.json", OLD)
        (mount_point / "anchor").touch()
        # In a process of its own, whose open files end with it; else nothing could be unmounted.
        if (child := os.fork()) == 0:
            try:
                os._exit(_saved(mount_point, file_system(mount_point)))
            finally:
                os._exit(len(ENDINGS))
        ending = ENDINGS[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]
    with mounted(image) as mount_point:
        content = (mount_point / "data" / "x.json").read_bytes()
    return ending, {OLD: "old", NEW: "new"}.get(content, f"{len(content)} bytes of something else")


def _saved(mount_point: Path, file_system: FileSystem) -> int:
    try:
        DurableFiles(mount_point / "data", file_system=file_system).save(mount_point / "data" / "x.json", NEW)
        cut_power(mount_point)
    except PowerCut:
        return ENDINGS.index("cut")
    return ENDINGS.index("acknowledged")


def prepared(directory: Path) -> Path:
    image = directory / "disk.img"
    with image.open("wb") as empty:
        empty.truncate(16 * 2**20)
    (directory / "mounted").mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    with mounted(image) as mount_point:
        (mount_point / "anchor").touch()
        cut_power(mount_point)
    return image


def main(directory: Path) -> int:
    try:
        image = prepared(directory)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stdout.write(f"{error} {getattr(error, 'stderr', b'') or b''!r}")
        return CANNOT_BE_TRIED
    found: dict[str, Any] = {"cuts": []}
    while not found["cuts"] or found["cuts"][-1][0] == "cut":
        after = len(found["cuts"]) + 1
        found["cuts"].append(saved_and_cut(image, lambda at, after=after: Cutting(at, after)))
    found["careless"] = saved_and_cut(image, lambda _: Careless())
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
