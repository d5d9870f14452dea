-- +goose Up
-- A trial of which nobody can see what it did is put aside: it is kept until its record can be read, and
-- another record takes its place. looks is how many runs could not see it.
CREATE TABLE trial_by_record (
    binding   TEXT NOT NULL REFERENCES binding (binding),
    side      INTEGER NOT NULL,
    op        TEXT NOT NULL,                 -- create, update or action
    described TEXT NOT NULL,                 -- a digest of the description
    kind      TEXT NOT NULL,
    ref       TEXT NOT NULL,
    sent      TEXT NOT NULL,                 -- native paths
    original  TEXT,                          -- sealed where values are kept as digests
    state     TEXT NOT NULL,                 -- open, harmed, back, passed, stopped or aside; one that is not aside for each operation
    found     TEXT NOT NULL,                 -- native paths that were changed unasked
    left_so   TEXT NOT NULL,                 -- of them, what was not put back
    at        INTEGER NOT NULL,
    ended     INTEGER,
    proved    TEXT NOT NULL DEFAULT '[]',    -- objects that were seen to be kept
    listed    TEXT NOT NULL DEFAULT '[]',    -- native paths that lists alone showed
    looks     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (binding, side, op, kind, ref)
) STRICT, WITHOUT ROWID;
INSERT INTO trial_by_record (binding, side, op, described, kind, ref, sent, original, state, found, left_so, at, ended, proved, listed)
    SELECT binding, side, op, described, kind, ref, sent, original, state, found, left_so, at, ended, proved, listed FROM trial;
DROP TABLE trial;
ALTER TABLE trial_by_record RENAME TO trial;

-- +goose Down
SELECT 1;
