"""Who is asking, from where and to whom: the facts of an operation, and the gate for what leaves."""
