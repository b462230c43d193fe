"""Exposes the series of a file with prometheus_client, used as in its documentation: a Gauge for each family."""

import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, Gauge, make_wsgi_app

registry = CollectorRegistry()
families = []
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        kind, *parts = line.rstrip("\n").split("\t")
        if kind == "family":
            name, *labels = parts
            families.append(Gauge(name, "Help.", labels, registry=registry))
        else:
            family, value, *labels = parts
            families[int(family)].labels(*labels).set(float(value))


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Silent(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server("127.0.0.1", 0, make_wsgi_app(registry), Server, Silent)
print(server.server_port, flush=True)
server.serve_forever()
