"""A server of OpenSSH's own that stands for another machine, with keys and configs that use nothing of the user's."""
import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

sshd = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def need_ssh():
    if not sshd or not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        print("skipped: OpenSSH's server, client and ssh-keygen are needed (openssh-server)")
        sys.exit(77)


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def wait(there, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if there():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass")


class Machine:
    """The server. `inside`: the words before a command that runs on that machine, `beside` before one on this one; `address`: of it.
    `more`: lines of the client's config."""

    def __init__(self, folder, address="127.0.0.1", inside=(), beside=(), more=""):
        self.folder, self.port, self.address, self.beside, self.more = folder, free_port(), address, list(beside), more
        for key in ("host", "user", "stranger"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{key}"], check=True)
        shutil.copy(f"{folder}/user.pub", f"{folder}/authorized")
        with open(f"{folder}/host.pub") as key:
            self.write("known", f"[{self.address}]:{self.port} {key.read()}")
        self.write("sshd_config", f"""Port {self.port}
ListenAddress {self.address}
HostKey {folder}/host
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
SetEnv XDG_RUNTIME_DIR={folder}/there
""")
        self.config("user")
        os.makedirs(f"{folder}/there", mode=0o700)
        os.makedirs(f"{folder}/here", mode=0o700)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.server = subprocess.Popen([*inside, sshd, "-D", "-e", "-f", f"{folder}/sshd_config"], stderr=open(f"{folder}/sshd.log", "w"))
        wait(self.answers)

    def write(self, file, text):
        with open(f"{self.folder}/{file}", "w") as out:
            out.write(text)

    def config(self, key, known="known"):
        """`far` is the machine; its config also has what an attachment must not do."""
        self.write("ssh_config", f"""Host far
  HostName {self.address}
  Port {self.port}
  User {getpass.getuser()}
  RemoteCommand echo never
  LocalForward {self.port} 127.0.0.1:9
Host *
  {self.more}
  IdentityFile {self.folder}/{key}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {self.folder}/{known}
  GlobalKnownHostsFile none
""")

    def answers(self):
        assert self.server.poll() is None, open(f"{self.folder}/sshd.log").read()
        knock = f"import socket; socket.create_connection(({self.address!r}, {self.port}), 2)"
        return subprocess.run([*self.beside, sys.executable, "-c", knock], stderr=subprocess.DEVNULL).returncode == 0

    def cut(self):
        """Ends the server's processes for the connections, and leaves the server."""
        for entry in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError, ProcessLookupError):
                parent = open(f"/proc/{int(entry)}/stat").read().rsplit(")", 1)[1].split()[1]
                if int(parent) == self.server.pid:
                    os.kill(int(entry), signal.SIGKILL)

    def end(self):
        self.cut()
        self.server.kill()
        self.server.wait()
