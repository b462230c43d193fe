"""The usual exporter: gauges of prometheus_client, and all keys asked by requests each minute.

Parameters: the API root, and the folder of keys.
"""
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import requests
from prometheus_client import Gauge, start_http_server

url, folder = sys.argv[1:]
FIELDS = ["limit", "limit_remaining", "usage", "usage_daily", "usage_weekly", "usage_monthly"]
gauges = {name: Gauge(f"key_{name}_credits", name, ["key"]) for name in FIELDS}
keys = {name: open(os.path.join(folder, name)).read().strip() for name in os.listdir(folder)}
session = requests.Session()
session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=64))


def poll(name):
    try:
        headers = {"authorization": f"Bearer {keys[name]}"}
        data = session.get(f"{url}/key", headers=headers, timeout=10).json()["data"]
    except Exception:
        return
    for field, gauge in gauges.items():
        if isinstance(data.get(field), (int, float)):
            gauge.labels(name).set(data[field])


server, _ = start_http_server(0, addr="127.0.0.1")
print(f"http://127.0.0.1:{server.server_port}", flush=True)
with ThreadPoolExecutor(64) as pool:
    while True:
        start = time.monotonic()
        list(pool.map(poll, keys))
        time.sleep(max(0, 60 - (time.monotonic() - start)))
