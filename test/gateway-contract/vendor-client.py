"""The newest published clients judge every answer of the simulated gateway: that of the vendor, which validates strictly, and for the
upload of a form that of the style it refers to.

Usage: vendor-client.py URL MANAGEMENT_KEY KEY KEY_FOR_AUDIO WORKSPACE AUDIO. Prints a line for each operation; exit code 1 if one was refused.
"""

import sys
from datetime import datetime, timedelta, timezone

from openai import OpenAI
from openrouter import OpenRouter

url, management_key, key, ears, workspace, audio = sys.argv[1:]
management = OpenRouter(api_key=management_key, server_url=url)
ordinary = OpenRouter(api_key=key, server_url=url)
reference = OpenAI(api_key=ears, base_url=url, max_retries=0)
until = datetime.now(timezone.utc)


def transcribe(response_format):
    with open(audio, "rb") as file:
        return reference.audio.transcriptions.create(
            file=file, model="acme/ears", prompt="is ignored", response_format=response_format
        )



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
    "workspaces": lambda: management.workspaces.list(),
    "workspace budgets": lambda: management.workspaces.list_budgets(workspace_ref=workspace),
    "transcription": lambda: transcribe("json"),
    "verbose transcription": lambda: transcribe("verbose_json"),
}
failures = 0
for name, call in calls.items():
    try:
        print(f"{name}: {type(call()).__name__}")
    except Exception as error:
        failures += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:2000]}")
sys.exit(1 if failures else 0)
