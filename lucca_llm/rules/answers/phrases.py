"""Answers that say that nothing was understood or known. Other rules compare answers with them, to say more."""

from lucca_llm.rules.prompts.prompt_reader import say

NO_REQUEST = 'I am not sure that you asked for something. What shall I do with which object?'
NOTED = 'I will keep that in mind'
UNKNOWN = say('I do not know. Nobody told me, and my fact files do not say.')
"""The answer to a question about which nothing is remembered."""
