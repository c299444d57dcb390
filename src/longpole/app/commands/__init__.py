"""One file per command: each has a click command named ``command``, loaded only when it is called."""
