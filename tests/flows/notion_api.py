# What api.notion.com says to the one call that the flow makes, by TLS. It knows one token and keeps what it was asked.
# notion_api.py ADDRESS CERTIFICATE KEY TOKEN LOG
import http.server
import json
import ssl
import sys

address, certificate, key, token, log = sys.argv[1:]


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        right = self.headers.get("Authorization") == "Bearer " + token
        with open(log, "a") as out:
            out.write(f"{self.headers.get('Host')} {self.path} {'right' if right else 'wrong'}\n")
        if not right:
            self.say(401, {"object": "error", "status": 401, "code": "unauthorized", "message": "API token is invalid."})
        elif self.path == "/v1/users/me":
            self.say(200, {"object": "user", "id": "e450a39e-9051-4d36-bc4e-8581611fc592", "name": "The fake", "type": "bot", "bot": {}})
        else:
            self.say(404, {"object": "error", "status": 404, "code": "object_not_found", "message": "no such path"})

    def say(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # whoever goes in the middle


server = Server((address, 443), Api)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("ready.", flush=True)
server.serve_forever()
