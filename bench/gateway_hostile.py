# What 24 hostile clients do to two good ones, an agent over stdio and one over HTTP. Of interest is what the host does about it, not how the kernel
# shares a processor: the host and its server have one, all clients the other, where the hostile ones are nice.
import os, subprocess, sys, time

from gateway_stage import CORE, OTHER, Stage, pinned, verdict

# Of the hostile kinds: how many over stdio, how many over HTTP.
HOSTILE = {"flood": (3, 3), "half": (2, 2), "never": (2, 2), "ids": (2, 2), "deep": (2, 1), "wrong": (1, 2)}
PHASE, BAR = 10, 2
PACES = {"back to back": 0, "a call every 5 ms": 5000}


def start_hostile(stage, port):
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gateway_hostiles.py")
    children = []
    for kind, counts in HOSTILE.items():
        for transport, count in zip(("stdio", "http"), counts):
            target = stage.programs.pfar if transport == "stdio" else str(port)
            words = pinned(["nice", "-n", "19", sys.executable, "-B", here, kind, transport, target], OTHER)
            for _ in range(count):
                children.append(subprocess.Popen(words, env=stage.host.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
    return children


def end_hostile(children):
    for child in children:
        os.killpg(child.pid, 9)  # and the pfar serve below it
        child.wait()


def phase(stage, good, memory):
    """{transport: {pace: summary}}, and samples of the host's memory meanwhile."""
    found = {name: {} for name in good}
    for pace, gap in PACES.items():
        for client in good.values():
            client.begin(f"paced {PHASE} {gap}")
        until = time.monotonic() + PHASE
        while time.monotonic() < until:
            memory.append(stage.host.rss_kib() / 1024)
            time.sleep(0.05)
        for name, client in good.items():
            found[name][pace] = client.end()
    return found


def measure(programs, out):
    stage = Stage(programs)
    children, good = [], {}
    try:
        url = stage.serve_http()
        good = {"stdio": stage.client(core=OTHER), "HTTP": stage.http_client(url, core=OTHER)}
        alone_memory, memory, after = [], [], []
        alone = phase(stage, good, alone_memory)
        children = start_hostile(stage, int(url.split(":")[2].split("/")[0]))
        time.sleep(3)
        before = stage.cpu()
        beside = phase(stage, good, memory)
        busy = (stage.cpu() - before) / (PHASE * len(PACES))
        end_hostile(children)
        children = []
        time.sleep(2)
        after = stage.host.rss_kib() / 1024
    finally:
        end_hostile(children)
        for client in good.values():
            client.close()
        stage.remove()
    return report(out, alone, beside, {"alone": max(alone_memory), "most": max(memory), "end": memory[-1], "after": after}, busy)


def report(out, alone, beside, memory, busy):
    print(f"{f'24 hostile clients beside good ones (host on core {CORE}, clients on {OTHER})':<66} {'p50 us':>9} {'p99 us':>9} {'max us':>9} {'calls':>8} {'failed':>6}", file=out)
    result = {"memory_mib": {key: round(value, 1) for key, value in memory.items()}, "host_busy": round(busy, 2)}
    for name in alone:
        for pace in PACES:
            for title, found in (("alone", alone), ("beside them", beside)):
                one = found[name][pace]
                print(f"{f'  {name}, {pace}, {title}':<66} {one['p50']:9.0f} {one['p99']:9.0f} {one['max']:9.0f} {one['calls']:8} {one['failed']:6}", file=out)
            ratio = beside[name][pace]["p99"] / alone[name][pace]["p99"]
            good = ratio <= BAR and beside[name][pace]["failed"] == 0
            print(f"{'    ratio of the p99':<66} {'':>9} {ratio:9.2f}  <= {BAR}: {verdict(good)}", file=out)
            result[f"{name}, {pace}"] = {"alone": alone[name][pace], "beside": beside[name][pace], "p99_ratio": round(ratio, 2)}
    words = f"{memory['alone']:.0f} alone, at most {memory['most']:.0f}, {memory['end']:.0f} at the end, {memory['after']:.0f} two seconds after they are gone"
    print(f"  the host's memory, MiB: {words}; busy {busy:.2f} of a core", file=out)
    return result
