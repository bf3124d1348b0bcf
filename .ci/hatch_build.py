"""Compiles the kernel for wheels, where HATCH_BUILD_HOOK_ENABLE_CUSTOM is set: `mcrock docs contributing`.

The code is made for a baseline processor and is loaded where Python, numba and llvmlite are those of the
build; elsewhere the kernel is compiled at its first use, as from a wheel without.
"""

import os
import platform
import subprocess
import sys
import sysconfig
from tempfile import TemporaryDirectory

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILE = """
from pathlib import Path
from sys import argv
from mcrock.verify.warm import compile_for_wheel
compile_for_wheel(Path(argv[1]))
"""
PROCESSOR = """
from platform import machine
from mcrock.base.compiled_code import BASELINE
print(BASELINE[machine()][0])
"""


class CompiledCode(BuildHookInterface):
    """Adds compiled code to a wheel, and says in the name of the wheel what it is for."""

    def initialize(self, version, build_data):
        if version == "editable":  # compiles what it needs after each edit
            return
        self.folder = TemporaryDirectory()
        compiled = f"{self.folder.name}/compiled"
        environment = os.environ | {"PYTHONPATH": self.root}
        asked = [sys.executable, "-c", PROCESSOR]
        processor = subprocess.run(
            asked, env=environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        self.app.display_info(f"compiling the kernel for {processor.strip()}: some minutes")
        environment |= {
            "NUMBA_CACHE_DIR": f"{self.folder.name}/cache",
            "NUMBA_CPU_NAME": processor.strip(),
            "NUMBA_CPU_FEATURES": "",
        }
        subprocess.run([sys.executable, "-c", COMPILE, compiled], env=environment, check=True)
        build_data["force_include"][compiled] = "mcrock/compiled"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-{self.platform()}"

    @staticmethod
    def platform():
        """That of numba's own wheels on Linux: the code calls the C library of the process alone."""
        if platform.libc_ver()[0] == "glibc":
            return f"manylinux_2_17_{platform.machine()}"
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")

    def finalize(self, version, build_data, artifact_path):
        if hasattr(self, "folder"):
            self.folder.cleanup()
