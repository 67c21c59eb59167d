-- The events of a team. `head` numbers the rows of a bank without gaps: it is advanced in the same statement that inserts
-- them, under the lock of the bank's row. So a reader who has everything up to a head never misses a row that commits later.
CREATE SCHEMA odm_tui;

CREATE TABLE odm_tui.store (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    version integer NOT NULL
);

CREATE TABLE odm_tui.banks (
    bank text PRIMARY KEY CHECK (length(bank) BETWEEN 1 AND 200),
    head bigint NOT NULL DEFAULT 0
);

CREATE TABLE odm_tui.events (
    bank text NOT NULL REFERENCES odm_tui.banks,
    head bigint NOT NULL,
    interview text NOT NULL CHECK (interview ~ '^[0-9a-z][0-9a-z-]{3,63}$'),
    digest bytea NOT NULL,
    folder text NOT NULL CHECK (folder ~ '^[0-9a-f]{16}$'),
    received timestamptz NOT NULL DEFAULT now(),
    body bytea NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 1048576),
    PRIMARY KEY (bank, head),
    UNIQUE (bank, interview, digest)
);

CREATE TABLE odm_tui.forgotten (
    bank text NOT NULL REFERENCES odm_tui.banks,
    head bigint NOT NULL,
    interview text NOT NULL CHECK (interview ~ '^[0-9a-z][0-9a-z-]{3,63}$'),
    PRIMARY KEY (bank, interview),
    UNIQUE (bank, head)
);
