"""A small system of the tests' own that keeps what people upload: `partita serve --systems tests.attic`."""
