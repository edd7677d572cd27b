"""Conversation: sessions, turns, the agent that answers, and its tools."""
