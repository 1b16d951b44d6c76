# A client that asks for much at once: load.py WHAT..., run inside.
import hashlib, http.client, os, resource, socket, sys, threading

PROXY = ('127.0.0.1', 3128)


def ask(host='good.example'): # one whole request through the proxy
    with socket.create_connection(PROXY, 60) as s:
        s.sendall(b'GET http://%s/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' % (host.encode(), host.encode()))
        return b'peer=good' in b''.join(iter(lambda: s.recv(65536), b''))


def ask_directly(host='good.example'): # one without it
    c = http.client.HTTPConnection(host, timeout=60)
    c.request('GET', '/')
    return b'peer=good' in c.getresponse().read()


def slow(): # 200 connections, a byte a second each
    slow_ones = [socket.create_connection(PROXY, 60) for _ in range(100)]
    slow_ones += [socket.create_connection(('good.example', 80 if i % 2 else 443), 60) for i in range(100)]
    text, pace = b'GET http://good.example/ HTTP/1.1\r\n', threading.Event()
    good = 0
    for i in range(4):
        for s in slow_ones:
            s.send(text[i:i + 1] if s.getpeername()[1] != 443 else b'\x16\x03\x01\x02'[i:i + 1])
        good += sum(ask() for _ in range(3)) + sum(ask_directly() for _ in range(2))
        pace.wait(1) # the attacker's pace
    print('answered', good, 'of 20')


def idle(most, beside): # as many connections as there can be
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    children, left = [], int(most)
    release, hold = os.pipe()
    tell, told = os.pipe()
    while left > 0:
        share = min(left, limit - 64)
        left -= share
        pid = os.fork()
        if pid == 0:
            os.close(hold)
            idle_ones = []
            try:
                while len(idle_ones) < share:
                    idle_ones.append(socket.create_connection(PROXY, 5))
            except OSError:
                pass
            os.write(told, len(idle_ones).to_bytes(4, 'big'))
            os.read(release, 1)
            os._exit(0)
        children.append(pid)
    print('idle', sum(int.from_bytes(os.read(tell, 4), 'big') for _ in children), 'connections', flush=True)
    sys.stdin.readline()
    if beside == 'beside':
        print('beside', sum(ask() for _ in range(5)) + sum(ask_directly() for _ in range(5)), flush=True)
    os.close(hold)
    for pid in children:
        os.waitpid(pid, 0)
    while not soon():
        pass
    print('after', sum(ask() for _ in range(5)))


def soon(): # those that have ended are noticed one after the other
    try:
        return ask()
    except OSError:
        return False


def bulk(): # 20 MiB up and down by each way
    body = os.urandom(1 << 20) * 20
    digest = hashlib.sha256(body).digest()

    def echo(name, connection, url='/echo'):
        connection.request('POST', url, body, {'Content-Type': 'application/octet-stream'})
        print(name, hashlib.sha256(connection.getresponse().read()).digest() == digest, flush=True)

    tunnel = http.client.HTTPSConnection(*PROXY, timeout=60)
    tunnel.set_tunnel('good.example', 443)
    echo('tunnel', tunnel)
    echo('absolute', http.client.HTTPConnection(*PROXY, timeout=60), 'http://good.example/echo')
    echo('transparent', http.client.HTTPSConnection('good.example', timeout=60))
    echo('transparent-http', http.client.HTTPConnection('good.example', timeout=60))


def half(): # the end of one direction is not the end of the other
    for name in 'tunnel', 'transparent':
        s = socket.create_connection(PROXY if name == 'tunnel' else ('db.example', 7000), 60)
        if name == 'tunnel':
            s.sendall(b'CONNECT db.example:7000 HTTP/1.1\r\nHost: db.example:7000\r\n\r\n')
            head = b''
            while not head.endswith(b'\r\n\r\n'):
                head += s.recv(1)
        s.sendall(b'x' * 1000000)
        s.shutdown(socket.SHUT_WR)
        print(name, b''.join(iter(lambda: s.recv(65536), b'')).decode().strip())


globals()[sys.argv[1]](*sys.argv[2:])
