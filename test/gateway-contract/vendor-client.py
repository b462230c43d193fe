"""The newest published client of the vendor judges every answer of the simulated gateway: it validates strictly.

Usage: vendor-client.py URL MANAGEMENT_KEY KEY. Prints a line for each operation; exit code 1 if one was refused.
"""

import sys
from datetime import datetime, timedelta, timezone

from openrouter import OpenRouter

url, management_key, key = sys.argv[1:]
management = OpenRouter(api_key=management_key, server_url=url)
ordinary = OpenRouter(api_key=key, server_url=url)
until = datetime.now(timezone.utc)

calls = {
    "current key": lambda: ordinary.api_keys.get_current_key_metadata(),
    "keys": lambda: management.api_keys.list(include_disabled=True, include_expired=True),
    "credits": lambda: management.credits.get_credits(),
    "meta": lambda: management.analytics.get_analytics_meta(),
    "query": lambda: management.analytics.query_analytics(
        metrics=["credits_usage"],
        dimensions=["model"],
        time_range={"start": until - timedelta(days=7), "end": until},
    ),
}
failures = 0
for name, call in calls.items():
    try:
        print(f"{name}: {type(call()).__name__}")
    except Exception as error:
        failures += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:2000]}")
sys.exit(1 if failures else 0)
