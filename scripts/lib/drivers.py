# SPDX-License-Identifier: MIT
"""Which OpenCL drivers, loaders and devices are on this machine."""
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENDORS = Path("/etc/OpenCL/vendors")
VENV_PYTHON = ROOT / "build/venv/bin/python"
PROBE = ROOT / "build/scripts/probe"
# Drivers of which there is no .icd file; see scripts/opencl-env.
UNREGISTERED = {
    "oclgrind": Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so"),
    "intel": ROOT / "build/venv/lib/libintelocl.so",
}
# With devices that they simulate: they compile, load and launch, but compute nothing.
SIMULATED = ("neo",)
LOADERS = ("ocl-icd", "khronos", "pyopencl")
WITHOUT_OWN_CACHE = ("intel", "oclgrind")

# What a user has set must not decide what is measured.
FOREIGN = ("OCLCACHE_", "NEO_CACHE_", "OPENCL_LAYER", "BinaryCacheTrace",
           "PrintDebugMessages", "PYOPENCL_", "POCL_CACHE_DIR",
           "POCL_KERNEL_CACHE", "CUDA_CACHE_", "MESA_SHADER_CACHE_",
           "SYCL_CACHE_", "cl_cache_dir")

OWN_CACHE_OFF = {
    # Emptied before each run; without it the layer does nothing on PoCL.
    "POCL_CACHE_DIR": str(ROOT / "build/bench/pocl-cache"),
    "CUDA_CACHE_DISABLE": "1",
    "MESA_SHADER_CACHE_DISABLE": "true",
    "NEO_CACHE_PERSISTENT": "0",
    "AMD_COMGR_CACHE": "0",
    "PYOPENCL_NO_CACHE": "1",
    "SYCL_CACHE_PERSISTENT": "0",
}


class Unavailable(Exception):
    """A driver or a loader can't be used; the text says why."""


def own_cache_in(directory: Path) -> dict[str, str]:
    """Settings under which drivers, and SYCL's runtime, keep their own caches
    in `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    return {
        "POCL_CACHE_DIR": str(directory),
        "CUDA_CACHE_PATH": str(directory),
        "MESA_SHADER_CACHE_DIR": str(directory),
        "NEO_CACHE_PERSISTENT": "1",
        "NEO_CACHE_DIR": str(directory),
        # Before it knew these.
        "cl_cache_dir": str(directory),
        "AMD_COMGR_CACHE_DIR": str(directory),
        "PYOPENCL_NO_CACHE": "1",
        "SYCL_CACHE_PERSISTENT": "1",
        "SYCL_CACHE_DIR": str(directory),
    }


@dataclass(frozen=True)
class Device:
    platform: str
    index: int  # within the platform
    name: str
    version: str

    @property
    def is_pocl(self) -> bool:
        return self.platform == "Portable Computing Language"


@dataclass(frozen=True)
class Target:
    """One driver under one loader."""
    driver: str
    loader: str

    def __str__(self) -> str:
        return f"{self.driver}, {self.loader}"

    @property
    def has_own_cache(self) -> bool:
        return self.driver not in WITHOUT_OWN_CACHE

    def environment(self) -> dict[str, str]:
        base = {name: value for name, value in os.environ.items()
                if not name.startswith(FOREIGN)}
        command = [ROOT / "scripts/opencl-env", self.driver, self.loader,
                   "env", "-0"]
        done = subprocess.run(command, env=base, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise Unavailable(done.stderr.strip().split(": ", 1)[-1])
        return dict(line.split("=", 1)
                    for line in done.stdout.split("\0") if "=" in line)


def installed_drivers() -> list[str]:
    """Names for scripts/opencl-env: the system's, then the others."""
    names = sorted(path.stem for path in VENDORS.glob("*.icd"))
    return names + [name for name, library in UNREGISTERED.items()
                    if library.exists() and name not in names]


def has_dpnp() -> bool:
    return any(VENV_PYTHON.parents[1].glob("lib/python3*/site-packages/dpnp"))


def clinfo_json(environment: dict[str, str]) -> dict:
    """What clinfo knows; empty where it finds nothing."""
    try:
        done = subprocess.run(
            ["clinfo", "--json"], env={**environment, **OWN_CACHE_OFF},
            capture_output=True, text=True, errors="replace", timeout=120,
            check=False)
    except FileNotFoundError:
        raise Unavailable("clinfo isn't installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable("clinfo takes more than two minutes") from None
    if done.returncode < 0:
        raise Unavailable(f"clinfo dies of signal {-done.returncode}")
    try:
        # Some drivers' strings hold control characters.
        return json.loads(done.stdout, strict=False)
    except json.JSONDecodeError:
        return {}


def find_devices(environment: dict[str, str]) -> list[Device]:
    """All devices of one target."""
    try:
        done = subprocess.run(
            [PROBE, "--list"], env={**environment, **OWN_CACHE_OFF},
            capture_output=True, text=True, errors="replace", timeout=120,
            check=False)
    except FileNotFoundError:
        raise Unavailable(f"{PROBE} is missing: type `make "
                          "script-programs`") from None
    except subprocess.TimeoutExpired:
        raise Unavailable("it takes more than two minutes") from None
    if done.returncode < 0:
        raise Unavailable(f"it dies of signal {-done.returncode}")
    devices = [Device(**json.loads(line)) for line in done.stdout.splitlines()
               if line.startswith("{")]
    if not devices:
        raise Unavailable("it has no platform or no device here")
    return devices


def loader_version(environment: dict[str, str]) -> str:
    facts = clinfo_json(environment).get("icd_loader", {})
    return (f"{facts.get('CL_ICDL_NAME', 'unknown')} "
            f"{facts.get('CL_ICDL_VERSION', '')}").strip()
