"""From the text of a model to one permitted action call: the strict parser and the gate."""
