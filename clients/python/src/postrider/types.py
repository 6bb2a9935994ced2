"""The types of requests and responses, such as ``Event``, ``Webhook`` and ``CreateWebhookRequest``."""

from ._generated.types import *  # noqa: F403
from ._generated.types import __all__ as __all__
