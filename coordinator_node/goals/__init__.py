"""Goals: their queue, their threads, the offers that wait for a yes, and the dispatcher."""
