"""A private Slurm of one node: its own key, ports and folder, in the foreground, gone when the tests are.

Nothing outside the folder is touched, and no service of the machine is used: where Debian's packages `munge`
and `slurm-wlm` are installed, any user can have one. `python -m tests.cluster.slurm` keeps one until Ctrl-C.
"""

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue")
START = 300.0  # for the node to be idle [s]
CPUS = 4  # that Slurm believes in, whatever the machine has

CONFIG = """
ClusterName=mcrock
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/control
SlurmdSpoolDir={folder}/node
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# what a container has no cgroups for
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
# cores are what jobs queue for, more of them than the machine may have
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
# what is waited for on a real cluster, in seconds
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
KillWait=2
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=8000 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=00:30:00 State=UP
"""


def missing() -> str:
    """Why no Slurm can be started here; nothing if one can."""
    absent = [name for name in PROGRAMS if not find(name)]
    return f"no {', '.join(absent)}: apt-get install slurm-wlm munge" if absent else ""


def find(name: str) -> str | None:
    """Path of a program, also where only root looks."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


@contextlib.contextmanager
def slurm() -> Iterator[dict[str, str]]:
    """Start a Slurm; the environment in which its commands find it."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp")))
        for name in ("control", "node"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        control_port, node_port = free_ports(2)
        config = folder / "slurm.conf"
        config.write_text(
            CONFIG.format(
                folder=folder,
                host=host,
                user=getpass.getuser(),
                cpus=CPUS,
                control_port=control_port,
                node_port=node_port,
            )
        )
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        environment = {**os.environ, "SLURM_CONF": str(config)}
        commands = (
            ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
            + [f"--{item}-file={folder}/munge.{item}" for item in ("pid", "log", "seed")],
            ["slurmctld", "-D", "-i", "-f", str(config)],
            ["slurmd", "-D", "-f", str(config)],
        )
        for command in commands:
            program = find(command[0])
            assert program, missing()
            stack.enter_context(daemon([program, *command[1:]], environment, folder / "output"))
            time.sleep(0.2)
        wait_for_node(environment, folder)
        stack.callback(end_jobs, environment)
        yield environment


@contextlib.contextmanager
def daemon(command: list[str], environment: dict[str, str], output: Path) -> Iterator[None]:
    """A process in the foreground, ended at the end of the block."""
    with output.open("ab") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_ports(n: int) -> list[int]:
    """Ports that nobody listens to."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for item in sockets:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in sockets]


def wait_for_node(environment: dict[str, str], folder: Path) -> None:
    """Return when the node takes jobs."""
    end = time.monotonic() + START
    command = ["sinfo", "--noheader", "--format=%T"]
    while time.monotonic() < end:
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if found.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = "\n".join(file.read_text() for file in folder.glob("*.log"))
    raise RuntimeError(f"Slurm is not up after {START:g} s: {found.stdout}{found.stderr}\n{logs}")


def jobs(environment: dict[str, str], *options: str) -> list[str]:
    """Numbers of the jobs that have not ended, those of an array as ``12_3``."""
    command = ["squeue", "--noheader", "--array", "--format=%i", *options]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return found.stdout.split()


def end_jobs(environment: dict[str, str]) -> None:
    """Cancel what is left, and wait until it is gone."""
    subprocess.run(["scancel", f"--user={getpass.getuser()}"], env=environment, check=False)
    end = time.monotonic() + START
    while jobs(environment) and time.monotonic() < end:
        time.sleep(0.2)


if __name__ == "__main__":
    with slurm() as found:
        print(f"export SLURM_CONF={found['SLURM_CONF']}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(60)
