"""The tree of errors and their reason codes."""

import inspect
import re

import pytest

from lucca_core import errors
from lucca_core.codes import ReasonCode
from lucca_core.errors import ConfigError, LuccaError, ModelRetryable, ModelTimeout, MotionError, RefusalError

KINDS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Exception)]


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.__name__)
def test_every_error_is_in_the_tree_and_in_the_picture_of_it(kind):
    assert issubclass(kind, LuccaError)
    assert f'{kind.__name__} ' in f'{errors.__doc__} '.replace('\n', ' ')


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'file': 'f.yaml', 'line': 3}, 'f.yaml:3: why'),
        ({'file': 'f.yaml'}, 'f.yaml: why'),
        ({}, 'why'),
    ],
)
def test_a_config_error_reads_file_line_reason(arguments, text):
    assert str(ConfigError('why', **arguments)) == text


@pytest.mark.parametrize('code', list(ReasonCode))
def test_a_code_belongs_to_a_refusal_or_to_a_motion_or_says_done(code):
    fitting = RefusalError if code.is_refusal else None if code is ReasonCode.DONE else MotionError
    for kind in (RefusalError, MotionError):
        if kind is fitting:
            assert kind(code, 'why').code is code
        else:
            with pytest.raises(ValueError, match=re.escape(repr(code))):
                kind(code, 'why')


def test_a_timeout_is_retryable_and_carries_the_servers_wish():
    assert issubclass(ModelTimeout, ModelRetryable)
    assert ModelRetryable('busy', retry_after_s=3.0).retry_after_s == 3.0
    assert ModelTimeout('late').retry_after_s is None
