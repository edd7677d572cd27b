"""The way from a model's text to one permitted action call: the strict parser and the gate."""
