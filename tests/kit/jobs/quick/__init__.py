"""fus for servers that are killed, started with `PARTITA_SYSTEMS=tests.kit.jobs.quick`."""
