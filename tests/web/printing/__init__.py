"""The tests' small system as a package, for processes that are started with `PARTITA_SYSTEMS=tests.web.printing`."""
