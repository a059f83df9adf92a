# SPDX-License-Identifier: MIT
"""A driver that can be updated without touching the system's: two releases in
directories, and a link that says which one is installed."""
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from drivers import ROOT, Target, Unavailable

OLD, NEW = "old", "new"
INTEL_NEW = ROOT / "build/venv/lib"


@dataclass(frozen=True)
class Releases:
    """Where they are; `installed` is a link to one of them."""
    driver: str
    what: str
    directory: Path
    library: Path  # within the link

    @property
    def installed(self) -> Path:
        return self.directory / "installed"

    def install(self, release: str) -> None:
        """As a package manager does: one moment the one, then the other."""
        fresh = self.directory / ".installed"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(release)
        os.replace(fresh, self.installed)

    def environment(self, base: dict[str, str]) -> dict[str, str]:
        """Of programs that use it, `base` being that of its driver."""
        return {**base, "OCL_ICD_VENDORS": str(self.directory / "vendors")}


def make(driver: str, directory: Path) -> Releases | None:
    """None: no two releases of that driver can be had here."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    made = {"pocl": make_pocl, "intel": make_intel}[driver](directory)
    if made:
        vendors = directory / "vendors"
        vendors.mkdir()
        (vendors / "driver.icd").write_text(
            f"{made.installed / made.library}\n", encoding="utf-8")
        made.install(OLD)
    return made


# ---- Intel's CPU runtime ----

def intel_releases() -> list[Path]:
    """The older ones, see scripts/deps intel-versions."""
    return sorted((ROOT / "build/intel").glob("[0-9]*"),
                  key=lambda path: [int(part) for part in
                                    path.name.split(".")])


def installed_intel() -> str:
    """The release in build/venv."""
    for facts in INTEL_NEW.glob("python3*/site-packages/intel_opencl_rt-*"):
        return facts.name.split("-")[1].removesuffix(".dist")
    return "a newer one"


def make_intel(directory: Path) -> Releases | None:
    older = intel_releases()
    if not older or not (INTEL_NEW / "libintelocl.so").exists():
        return None
    (directory / OLD).symlink_to(older[-1] / "lib")
    (directory / NEW).symlink_to(INTEL_NEW)
    return Releases("intel", f"intel-opencl-rt {older[-1].name} becomes "
                    f"{installed_intel()}", directory, Path("libintelocl.so"))


# ---- PoCL ----

def pocl_library() -> Path | None:
    """The real path of Debian's, as scripts/opencl-env finds it."""
    try:
        vendors = Target("pocl", "ocl-icd").environment()["OCL_ICD_VENDORS"]
        return Path((Path(vendors) / "driver.icd").read_text().strip()).resolve()
    except (Unavailable, OSError):
        return None


def change_build_id(library: Path) -> bool:
    """As if it had been built anew. It is a note of 20 bytes by "GNU"."""
    content = bytearray(library.read_bytes())
    head = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
    at = content.find(head)
    if at < 0:
        return False
    content[at + len(head)] ^= 1
    library.write_bytes(content)
    return True


def make_pocl(directory: Path) -> Releases | None:
    library = pocl_library()
    if not library:
        return None
    # It looks for what it consists of beside itself, and two directories above.
    parts, data = library.parent / "pocl", \
        (library.parent / "../../share/pocl").resolve()
    if not parts.is_dir() or not data.is_dir():
        return None
    for release in (OLD, NEW):
        place = directory / release / "lib/here"
        place.mkdir(parents=True)
        shutil.copy(library, place / "libpocl.so")
        (place / "pocl").symlink_to(parts)
        (directory / release / "share").mkdir()
        (directory / release / "share/pocl").symlink_to(data)
    if not change_build_id(directory / NEW / "lib/here/libpocl.so"):
        return None
    return Releases("pocl", "PoCL becomes one that was built anew", directory,
                    Path("lib/here/libpocl.so"))
