"""An OpenAIModel with a key, on the test's server."""

from collections.abc import Iterator

import pytest

from lucca_llm.servers.openai_model import OpenAIModel


@pytest.fixture
def key() -> str:
    return 'sk-test-0123456789abcdef'


@pytest.fixture
def model(server, key: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIModel]:
    monkeypatch.setenv('OPENAI_API_KEY', key)
    model = OpenAIModel('m', server.url)
    yield model
    model.close()
