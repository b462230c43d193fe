"""Shows the series of a file by prometheus_client, as its documentation does it: a Gauge for each family."""

import sys

from prometheus_client import CollectorRegistry, Gauge, start_http_server

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

server, thread = start_http_server(0, addr="127.0.0.1", registry=registry)
print(server.server_port, flush=True)
thread.join()
