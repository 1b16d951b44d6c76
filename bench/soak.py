# Mixed calls over ten servers while they are killed at random: no answer lost, none twice, and how memory and descriptors went.
#   soak.py PFAR FIXTURE-SERVER [--minutes M] [--json]
import argparse, json, os, random, signal, sys, time

from host import Host, text

parser = argparse.ArgumentParser()
parser.add_argument("pfar"), parser.add_argument("fixture")
parser.add_argument("--minutes", type=float, default=30)
parser.add_argument("--seed", type=int, default=6)
parser.add_argument("--json", action="store_true")
options = parser.parse_args()
chance = random.Random(options.seed)
out = sys.stderr if options.json else sys.stdout

KINDS = ["", "", "", "", "", "", "stateful = false", "stateful = false\npool = 3", 'share = "session"', 'share = "session"']
ODD = ["twice", "batch", "sleep", "error", "lie", "stderr", "change_tools", "crash", "flood"]


def processes(host, name):
    mark, found = f"{name}@{host.place}".encode(), []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"fixture-server") and mark in words:
            found.append(int(pid))
    return found


def slope(samples):
    """Of the least squares line, per hour."""
    count = len(samples)
    middle_t, middle_v = sum(t for t, _ in samples) / count, sum(v for _, v in samples) / count
    spread = sum((t - middle_t) ** 2 for t, _ in samples)
    return sum((t - middle_t) * (v - middle_v) for t, v in samples) / spread * 3600 if spread else 0.0


class Soak:
    def __init__(self, host):
        self.host, self.names = host, [f"s{number}" for number in range(len(KINDS))]
        self.open, self.count = {}, dict.fromkeys(("calls", "answered", "failed", "wrong", "lost", "kills", "revived"), 0)
        self.rss, self.descriptors = [], []
        for name, kind in zip(self.names, KINDS):
            host.server(name, os.path.abspath(options.fixture), ["--mark", f"{name}@{host.place}"], top=kind, tables='[timeouts]\ncall = "20s"')

    def call(self):
        name, number = chance.choice(self.names), self.count["calls"]
        self.count["calls"] += 1
        tool, arguments, expected = "echo", {"text": f"call {number}"}, f"call {number}"
        if chance.random() < 0.1:
            tool, expected = chance.choice(ODD), None
            arguments = {"ms": 50, "how": "garbage", "text": "x", "add": "later", "bytes": 100000}
        if tool == "crash" and chance.random() < 0.95:
            tool, arguments, expected = "blob", {"bytes": 100000}, "x" * 100000
        params = {"server": name, "tool": tool, "arguments": arguments, "session": f"session {number % 3}"}
        self.open[self.host.control.send("call", **params)] = expected

    def take(self, number):
        expected = self.open.pop(number)
        try:
            answer = self.host.control.wait(number)
        except TimeoutError:
            self.count["lost"] += 1
            return
        self.count["answered"] += 1
        if "error" in answer or answer["result"]["outcome"] != "ok" or answer["result"]["result"].get("isError"):
            self.count["failed"] += 1
        elif expected is not None and text(answer["result"]["result"]) != expected:
            self.count["wrong"] += 1

    def disturb(self):
        victims = processes(self.host, chance.choice(self.names))
        for victim in victims[:1]:
            try:
                os.kill(victim, signal.SIGKILL)
                self.count["kills"] += 1
            except ProcessLookupError:
                pass

    def look(self, now):
        self.rss.append((now, self.host.rss_kib()))
        self.descriptors.append(self.host.descriptors())
        for server in self.host.control.ask("list"):
            if server["state"] == "disabled":  # as it should, after three crashes; the owner revives it
                self.host.control.ask("restart", server=server["name"], wait=False)
                self.count["revived"] += 1

    def run(self, seconds):
        start = time.monotonic()
        looked = disturbed = start
        while (now := time.monotonic()) < start + seconds:
            self.call()
            while len(self.open) >= 24:
                self.take(next(iter(self.open)))
            if now - disturbed > 2:
                disturbed = now
                self.disturb()
            if now - looked > 1:
                looked = now
                self.look(now - start)
        for number in list(self.open):
            self.take(number)


def main():
    host = Host(options.pfar)
    try:
        host.start()
        soak = Soak(host)
        host.control.ask("reload")
        host.until_running(6)
        try:
            soak.run(options.minutes * 60)
        except (EOFError, ConnectionError):
            sys.exit(f"the host ended, {host.process.wait(5)}: " + host.log())
        late = [sample for sample in soak.rss if sample[0] > soak.rss[-1][0] / 3]  # the first third is warm-up
        third = len(soak.descriptors) // 3
        numbers = {
            **soak.count,
            "strays": host.control.strays,
            "rss_kib_first": soak.rss[0][1],
            "rss_kib_last": soak.rss[-1][1],
            "rss_kib_per_hour": round(slope(late), 1),
            "descriptors_least_early": min(soak.descriptors[: third + 1]),
            "descriptors_least_late": min(soak.descriptors[-third - 1 :]),
            "descriptors_most": max(soak.descriptors),
        }
        bad = numbers["lost"] + numbers["wrong"] + numbers["strays"]
    finally:
        log = host.log()
        host.remove()
    for key, value in numbers.items():
        print(f"{key:<28} {value:>12}", file=out)
    if options.json:
        print(json.dumps(numbers))
    if bad:
        sys.exit("answers were lost, wrong or given twice\n" + log)


main()
