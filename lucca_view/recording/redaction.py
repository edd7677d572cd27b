"""Redaction of recordings: keys and tokens from the environment, and any text that looks like one, are hidden."""

import re
from collections.abc import Mapping
from typing import Any

from lucca_llm.servers.secret import HIDDEN, SHORTEST_PIECE, Secret

_NAMES = re.compile(r'(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(_|$)', re.IGNORECASE)
_LOOKS_LIKE_A_KEY = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}              # OpenAI, Anthropic, Stripe
    | \b(?:hf|gsk|glpat|xai)[_-][A-Za-z0-9_-]{16,}   # Hugging Face, Groq, GitLab, xAI
    | \bgh[pousr]_[A-Za-z0-9]{20,}
    | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \bxox[abpors]-[A-Za-z0-9-]{10,}
    | \bA(?:KIA|SIA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    | (?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}
    | (?i:\b(?:api[_-]?key|token|secret|password)["']?\s*[=:]\s*["']?)[A-Za-z0-9._~+/-]{12,}
    | -----BEGIN[ A-Z]*PRIVATE\ KEY-----[^-]*(?:-----END[ A-Z]*PRIVATE\ KEY-----)?
    """,
    re.VERBOSE,
)


class Redaction:
    """Hides secrets in a JSON value.

    Args:
        environment: variables; those whose name contains key, token, secret or password hold a secret.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        named = [text for name, text in environment.items() if _NAMES.search(name)]
        self._secrets = [Secret(text) for text in set(named) if len(text) >= SHORTEST_PIECE]

    def hide_in(self, value: Any) -> Any:
        """The value with every secret in its texts replaced by `[key]`, including the names of members."""
        if isinstance(value, str):
            for secret in self._secrets:
                value = secret.hide_in(value)
            return _LOOKS_LIKE_A_KEY.sub(HIDDEN, value)
        if isinstance(value, list):
            return [self.hide_in(item) for item in value]
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in(item) for name, item in value.items()}
        return value
