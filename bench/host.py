# A host of a bench's own: a home directory with server files, `pfar host`, and a client of its control socket.
import json, os, shutil, signal, socket, subprocess, tempfile, time


class Control:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.unread, self.number, self.open, self.answers, self.strays = b"", 0, set(), {}, 0
        self.ask("hello", version="bench", build="bench", directory="/")

    def send(self, method, **params):
        self.number += 1
        self.open.add(self.number)
        line = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(line).encode() + b"\n")
        return self.number

    def hear(self, patience):
        self.socket.settimeout(patience)
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise EOFError("the host is gone")
        *lines, self.unread = (self.unread + piece).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "id" not in message:
                continue
            if message["id"] in self.open:
                self.open.remove(message["id"])
                self.answers[message["id"]] = message
            else:
                self.strays += 1

    def wait(self, number, patience=120):
        while number not in self.answers:
            self.hear(patience)
        return self.answers.pop(number)

    def ask(self, method, **params):
        answer = self.wait(self.send(method, **params))
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def call(self, server, tool, **arguments):
        """The tool's result, which may be an error of the tool's own."""
        answer = self.ask("call", server=server, tool=tool, arguments=arguments)
        if answer["outcome"] == "refused":
            raise RuntimeError(f"{server}.{tool}: {text(answer['result'])}")
        return answer["result"]


class Host:
    def __init__(self, pfar, prefix=()):
        """prefix: words before the host's command, such as those that pin it to a core."""
        self.pfar, self.prefix, self.process = os.path.abspath(pfar), list(prefix), None
        self.place = tempfile.mkdtemp(prefix="pfar-bench-", dir="/var/tmp")
        os.chmod(self.place, 0o755)
        self.home = os.path.join(self.place, "home", ".pfar")
        os.makedirs(os.path.join(self.home, "mcp"))
        os.chmod(self.home, 0o700)
        with open(os.path.join(self.home, "pfar.toml"), "w") as file:
            file.write('[policy]\napprove = "never"\n')  # what writes would wait for the owner
        self.environment = {"PATH": os.environ["PATH"], "HOME": os.path.dirname(self.home), "PFAR_HOME": self.home}

    def server(self, name, command, args, top="", tables=""):
        words = ", ".join(json.dumps(word) for word in args)
        text = f"name = {json.dumps(name)}\n{top}\n[server]\ncommand = {json.dumps(command)}\nargs = [{words}]\n{tables}\n"
        with open(os.path.join(self.home, "mcp", name + ".toml"), "w") as file:
            file.write(text)

    def no_servers(self):
        shutil.rmtree(os.path.join(self.home, "mcp"))
        os.mkdir(os.path.join(self.home, "mcp"))

    def start(self):
        log = open(os.path.join(self.place, "log"), "ab")
        self.process = subprocess.Popen([*self.prefix, self.pfar, "host"], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        log.close()
        path = os.path.join(self.home, "run", "pfar.sock")
        late = time.monotonic() + 20
        while True:
            try:
                self.control = Control(path)
                return self.control
            except (FileNotFoundError, ConnectionRefusedError, EOFError):
                if time.monotonic() > late or self.process.poll() is not None:
                    raise RuntimeError("the host does not come: " + self.log())
                time.sleep(0.002)

    def log(self):
        with open(os.path.join(self.place, "log")) as file:
            return file.read()[-4000:]

    def until_running(self, count, patience=120):
        late = time.monotonic() + patience
        while True:
            servers = self.control.ask("list")
            if sum(s["state"] == "running" and s["tools"] > 0 for s in servers) >= count:
                return servers
            if time.monotonic() > late:
                raise RuntimeError("not running: " + json.dumps([(s["name"], s["state"], s["reason"]) for s in servers]) + self.log())
            time.sleep(0.005)

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def remove(self):
        self.stop()
        shutil.rmtree(self.place, ignore_errors=True)

    def field(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def rss_kib(self):
        return self.field("VmRSS")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def descendants(self):
        """Names of all processes below the host."""
        parents, names = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    text = file.read()
            except OSError:
                continue
            names[int(pid)] = text[text.index("(") + 1 : text.rindex(")")]
            parents[int(pid)] = int(text[text.rindex(")") + 2 :].split()[1])

        def is_below(pid):
            while pid in parents and pid != self.process.pid:
                pid = parents[pid]
            return pid == self.process.pid

        return [name for pid, name in names.items() if pid != self.process.pid and is_below(pid)]


def text(result):
    return "".join(part.get("text", "") for part in result["content"])
