-- +goose Up
-- The first write of each operation to a side since the description of its kind changed: one record, read
-- whole before and after. The original stands here before anything is sent, and goes once nothing of it is
-- to be put back.
CREATE TABLE trial (
    binding   TEXT NOT NULL REFERENCES binding (binding),
    side      INTEGER NOT NULL,
    op        TEXT NOT NULL,                 -- create, update or action
    described TEXT NOT NULL,                 -- a digest of the description
    kind      TEXT NOT NULL,
    ref       TEXT NOT NULL,
    sent      TEXT NOT NULL,                 -- native paths
    original  TEXT,                          -- sealed where values are kept as digests
    state     TEXT NOT NULL,                 -- open, harmed, back, passed or stopped
    found     TEXT NOT NULL,                 -- native paths that were changed unasked
    left_so   TEXT NOT NULL,                 -- of them, what was not put back
    at        INTEGER NOT NULL,
    ended     INTEGER,
    PRIMARY KEY (binding, side, op)
) STRICT, WITHOUT ROWID;

-- +goose Down
SELECT 1;
