"""The HTTP service: score, guard and explain over JSON, with limits, metrics and batching.

`nli-faith serve` runs it; :func:`create_app` gives the ASGI application to a server of yours.
Needs the extra ``serve``.
"""

from nli_faith.service.app import Service, create_app
from nli_faith.service.keys import KeyRing, load_keys
from nli_faith.service.server import run_server
from nli_faith.service.settings import ServiceSettings

__all__ = ["KeyRing", "Service", "ServiceSettings", "create_app", "load_keys", "run_server"]
