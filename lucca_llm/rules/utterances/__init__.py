"""What an utterance is: a request, a change, a prohibition, a task to learn, or talk that asks for nothing."""
