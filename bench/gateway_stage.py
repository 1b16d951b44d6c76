# The stage of ./dev bench gateway: a host pinned to one core with one sandboxed echo server that was given ten secrets, and clients that obey.
import json, os, resource, socket, subprocess, time

from host import Host

CORES = sorted(os.sched_getaffinity(0))
CORE, OTHER = CORES[-1], CORES[0]  # the first often has the machine's interrupts
SECRETS = 10


class Programs:
    def __init__(self, directory, pfar):
        self.pfar = os.path.abspath(pfar)
        self.echo, self.relay, self.client = (os.path.join(os.path.abspath(directory), "pfar-bench-gateway-" + name) for name in ("echo", "relay", "client"))


def pinned(command, core=CORE):
    return ["taskset", "-c", str(core), *command]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_listening(port, process, patience=20):
    late = time.monotonic() + patience
    while time.monotonic() < late and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.02)
    return False


class Client:
    """pfar-bench-gateway-client, which obeys."""

    def __init__(self, programs, *words, environment=None, core=CORE):
        self.process = subprocess.Popen([programs.client, "--core", str(core), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def begin(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()

    def end(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the client ended: " + " ".join(self.process.args))
        return json.loads(line)

    def ask(self, order):
        self.begin(order)
        return self.end()

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Stage:
    def __init__(self, programs, settings=""):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the host gets it from us
        self.programs, self.host, self.http = programs, Host(programs.pfar, pinned([])), None
        with open(os.path.join(self.host.home, "pfar.toml"), "w") as file:
            file.write(settings)
        os.chmod(self.host.home + "/pfar.toml", 0o600)
        auth = "[auth]\n"
        for number in range(SECRETS):
            self.run("vault", "set", f"bench_{number}", given=os.urandom(20).hex())
            auth += f'BENCH_{number} = "vault:bench_{number}"\n'
        self.host.server("echo", programs.echo, [], tables=auth)
        self.host.start()
        self.host.until_running(1)

    def run(self, *words, given=""):
        done = subprocess.run([self.programs.pfar, *words], input=given, env=self.host.environment, text=True, capture_output=True, cwd="/")
        if done.returncode != 0:
            raise RuntimeError("pfar " + " ".join(words) + ": " + done.stderr)

    def serve_http(self):
        """The URL; once for the stage."""
        port = free_port()
        words = [self.programs.pfar, "serve", "--http", f"127.0.0.1:{port}", "--no-auth"]
        self.http = subprocess.Popen(words, env=self.host.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        if not until_listening(port, self.http):
            raise RuntimeError("pfar serve --http does not come")
        return f"http://127.0.0.1:{port}/mcp"

    def client(self, **other):
        """An agent's session over stdio."""
        return Client(self.programs, "--prefix", "echo__", "--", self.programs.pfar, "serve", environment=self.host.environment, **other)

    def http_client(self, url, **other):
        return Client(self.programs, "--prefix", "echo__", "--http", url, **other)

    def cpu(self):
        """Seconds that the host's process has computed, all threads."""
        with open(f"/proc/{self.host.process.pid}/stat") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def remove(self):
        if self.http:
            self.http.terminate()
            self.http.wait()
        self.host.remove()


def verdict(good):
    return "ok" if good else "MISSED"
