# What 24 hostile clients do to two good ones, an agent over stdio and one over HTTP, that go on meanwhile: in turns with them and without them. Of
# interest is what the host does about it, not how the kernel shares a processor: the host and its server have one, all clients the other, where the
# hostile ones are nice.
import os, statistics, subprocess, sys, time

from gateway_stage import CORE, OTHER, Stage, pinned, verdict

# Of the hostile kinds (gateway_hostiles.py): how many over stdio, how many over HTTP.
HOSTILE = {"flood": (3, 3), "half": (2, 2), "never": (2, 2), "ids": (2, 2), "deep": (2, 1), "wrong": (1, 2)}
PACES = {"back to back": 0, "a call every 5 ms": 5000}
ROUNDS, PHASE, BAR = 3, 4, 2


class Scene:
    """Two good clients, hostile ones when wanted, and an eye on the host."""

    def __init__(self, programs):
        self.stage, self.good, self.children, self.memory = Stage(programs), {}, [], []
        try:
            url = self.stage.serve_http()
            self.port = int(url.split(":")[2].split("/")[0])
            self.good = {"stdio": self.stage.client(core=OTHER), "HTTP": self.stage.http_client(url, core=OTHER)}
        except BaseException:
            self.close()
            raise

    def call_them(self, hostile):
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gateway_hostiles.py")
        for kind, counts in hostile.items():
            for transport, count in zip(("stdio", "http"), counts):
                target = self.stage.programs.pfar if transport == "stdio" else str(self.port)
                words = pinned(["nice", "-n", "19", sys.executable, "-B", here, kind, transport, target], OTHER)
                for _ in range(count):
                    self.children.append(subprocess.Popen(words, env=self.stage.host.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))

    def end_them(self):
        for child in self.children:
            os.killpg(child.pid, 9)  # and the pfar serve below it
            child.wait()
        self.children = []

    def measure(self, gap, seconds=PHASE):
        """{transport: summary}"""
        for client in self.good.values():
            client.begin(f"paced {seconds} {gap}")
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.memory.append(self.stage.host.rss_kib() / 1024)
            time.sleep(0.05)
        return {name: client.end() for name, client in self.good.items()}

    def close(self):
        self.end_them()
        for client in self.good.values():
            client.close()
        self.stage.remove()


def middle(rounds):
    """Of summaries; what must not happen at all is added up."""
    out = {key: statistics.median(one[key] for one in rounds) for key in ("p50", "p99")}
    return {**out, "max": max(one["max"] for one in rounds), "calls": sum(one["calls"] for one in rounds), "failed": sum(one["failed"] for one in rounds)}


def show(out, title, one):
    print(f"{'  ' + title:<66} {one['p50']:9.0f} {one['p99']:9.0f} {one['max']:9.0f} {one['calls']:8} {one['failed']:6}", file=out)


def heading(out, title):
    print(f"{title:<66} {'p50 us':>9} {'p99 us':>9} {'max us':>9} {'calls':>8} {'failed':>6}", file=out)


def measure(programs, out):
    found = {(name, pace, how): [] for name in ("stdio", "HTTP") for pace in PACES for how in ("alone", "beside them")}
    scene, after, alone = Scene(programs), 0, 0
    try:
        for _ in range(ROUNDS):
            for how in ("alone", "beside them"):
                if how != "alone":
                    scene.call_them(HOSTILE)
                    time.sleep(2)
                for pace, gap in PACES.items():
                    for name, one in scene.measure(gap).items():
                        found[name, pace, how].append(one)
                alone = alone or max(scene.memory)
            scene.end_them()
            time.sleep(2)
            after = scene.stage.host.rss_kib() / 1024
    finally:
        scene.close()
    memory = {"alone": round(alone, 1), "most": round(max(scene.memory), 1), "two_seconds_after": round(after, 1)}
    return report(out, {key: middle(rounds) for key, rounds in found.items()}, memory)


def report(out, found, memory):
    heading(out, f"24 hostile clients beside good ones (host on core {CORE}, clients on {OTHER})")
    result = {"memory_mib": memory}
    for name in ("stdio", "HTTP"):
        for pace in PACES:
            alone, beside = found[name, pace, "alone"], found[name, pace, "beside them"]
            show(out, f"{name}, {pace}, alone", alone), show(out, f"{name}, {pace}, beside them", beside)
            ratio = beside["p99"] / alone["p99"]
            good = ratio <= BAR and beside["failed"] == 0
            print(f"{'    ratio of the p99':<66} {'':>9} {ratio:9.2f}  <= {BAR}: {verdict(good)}", file=out)
            result[f"{name}, {pace}"] = {"alone": alone, "beside": beside, "p99_ratio": round(ratio, 2)}
    print(f"  the host's memory, MiB: {memory['alone']} alone, at most {memory['most']}, {memory['two_seconds_after']} two seconds after they are gone", file=out)
    return result


def measure_kinds(programs, out):
    """Two hostile clients of one kind at a time: which of them hurts."""
    scene, result = Scene(programs), {}
    heading(out, "two hostile clients of a kind, good ones a call every ms")
    try:
        for kind in [None, *HOSTILE]:
            for transport, counts in (("stdio", (2, 0)), ("HTTP", (0, 2))):
                if kind:
                    scene.call_them({kind: counts})
                    time.sleep(1)
                scene.memory, before = [], scene.stage.cpu()
                for name, one in scene.measure(1000).items():
                    title = f"{kind} over {transport}" if kind else "alone"
                    show(out, f"{title}: {name}", one)
                    result[f"{title}: {name}"] = one
                print(f"    host: at most {max(scene.memory):.0f} MiB, {(scene.stage.cpu() - before) / PHASE:.2f} of a core", file=out, flush=True)
                scene.end_them()
                time.sleep(1.5)
    finally:
        scene.close()
    return result
