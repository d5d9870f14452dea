-- +goose Up
-- What a daemon needs that is operated while it runs.

-- Who runs jobs on this file. Each holder has a higher term than the one before: who has an older one
-- can't begin a run and can't commit in a run's name.
CREATE TABLE holder (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    term    INTEGER NOT NULL,
    pid     INTEGER NOT NULL,
    host    TEXT NOT NULL,
    command TEXT NOT NULL,
    since   INTEGER NOT NULL,
    beat    INTEGER NOT NULL                 -- the last sign of life
) STRICT;

-- Runs that somebody asked the holder for.
CREATE TABLE request (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,                   -- '' is every job
    options TEXT NOT NULL,
    asked   INTEGER NOT NULL,
    asker   TEXT NOT NULL,
    term    INTEGER,                         -- of the holder that took it up
    taken   INTEGER,
    run     INTEGER NOT NULL DEFAULT 0,      -- the last run begun for it
    ended   INTEGER,
    outcome TEXT NOT NULL DEFAULT '',
    error   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX request_open ON request (id) WHERE ended IS NULL;
CREATE INDEX request_ended ON request (ended) WHERE ended IS NOT NULL;

-- Records that a system, or a person, said to have changed. A row stays until a run has looked, and
-- after that for as long as the same delivery may come again.
CREATE TABLE hint (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    side    INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL,                   -- '' is the whole kind
    event   TEXT NOT NULL,                   -- the delivery's own name; '' has none
    sent    INTEGER,
    at      INTEGER NOT NULL,
    done    INTEGER
) STRICT;
CREATE INDEX hint_open ON hint (binding, seq) WHERE done IS NULL;
CREATE INDEX hint_done ON hint (done) WHERE done IS NOT NULL;
CREATE UNIQUE INDEX hint_event ON hint (binding, side, event, kind, id) WHERE event <> '';

CREATE TABLE pause (
    scope TEXT NOT NULL,                     -- all, job or system
    name  TEXT NOT NULL,                     -- '' for all
    until INTEGER,                           -- NULL: until somebody resumes
    why   TEXT NOT NULL,
    who   TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

-- A state that was put back to an older copy knows less than the systems: until both sides were compared
-- whole, nothing is created. binding '' is the moment for all; a job's own row says that it is past it.
CREATE TABLE adopt_only (
    binding TEXT NOT NULL PRIMARY KEY,
    since   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When each job was, and was not, run: the authority over what is due. A line is one cadence of a job.
CREATE TABLE line (
    binding TEXT NOT NULL,
    what    INTEGER NOT NULL,
    since   INTEGER NOT NULL,                -- slots count after it
    PRIMARY KEY (binding, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE slot (
    num     INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were settled
    binding TEXT NOT NULL,
    what    INTEGER NOT NULL,
    civil   TEXT NOT NULL,                   -- the wall clock of the job's zone
    fold    INTEGER NOT NULL,                -- 1 in the second pass of a repeated hour
    at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX slot_name ON slot (binding, what, civil, fold);
CREATE INDEX slot_order ON slot (binding, what, num);

CREATE TABLE failing (
    binding TEXT NOT NULL PRIMARY KEY,
    fails   INTEGER NOT NULL,                -- in a row
    at      INTEGER NOT NULL                 -- of the last
) STRICT, WITHOUT ROWID;

-- What was asked for outside of any cadence: several of one kind are one.
CREATE TABLE call (
    binding  TEXT NOT NULL,
    what     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    at       INTEGER NOT NULL,
    PRIMARY KEY (binding, what)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_open ON call (at) WHERE answered < seq;

-- What is pruned is found by when it ended.
CREATE INDEX run_ended ON run (ended) WHERE ended IS NOT NULL;
CREATE INDEX conflict_closed ON conflict (closed) WHERE closed IS NOT NULL;
CREATE INDEX scan_ended ON scan (ended) WHERE ended IS NOT NULL;

-- +goose Down
SELECT 1;
