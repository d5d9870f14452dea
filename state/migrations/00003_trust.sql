-- +goose Up
-- What it takes to stop before harm is done, to be answered, and to take back what was done.

-- Every text that a service, or a command, was run with. A run names the one it was decided by.
CREATE TABLE config (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    who    TEXT NOT NULL,                    -- the user and the command
    file   TEXT NOT NULL,
    digest TEXT NOT NULL,
    text   TEXT NOT NULL                     -- secrets stand in it as the names of their files
) STRICT;

ALTER TABLE run ADD COLUMN config INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN undoes INTEGER NOT NULL DEFAULT 0; -- the run whose changes this one takes back

-- What a guard counts a change as: create, update, clear, cancel or delete; '' is not counted.
ALTER TABLE intent ADD COLUMN risk TEXT NOT NULL DEFAULT '';
CREATE INDEX intent_risk ON intent (binding, side, risk, sent_at) WHERE risk <> '' AND sent_at IS NOT NULL;

-- A set of changes that tripped a guard: it waits, whole, for a person.
CREATE TABLE stage (
    digest   TEXT NOT NULL PRIMARY KEY,      -- of the digests of its changes
    binding  TEXT NOT NULL REFERENCES binding (binding),
    side     INTEGER NOT NULL,               -- that would be written
    risk     TEXT NOT NULL,
    guard    TEXT NOT NULL,                  -- the name of what tripped
    why      TEXT NOT NULL,
    run      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    expires  INTEGER NOT NULL,
    decision TEXT NOT NULL DEFAULT '',       -- approved or rejected; '' waits
    who      TEXT NOT NULL DEFAULT '',
    decided  INTEGER,
    ended    INTEGER                         -- applied, expired, or replaced by another set
) STRICT;
CREATE INDEX stage_open ON stage (binding, side, risk) WHERE ended IS NULL;
CREATE INDEX stage_ended ON stage (ended) WHERE ended IS NOT NULL;

CREATE TABLE staged (
    stage  TEXT NOT NULL REFERENCES stage (digest) ON DELETE CASCADE,
    action TEXT NOT NULL,                    -- the digest of the change
    link   INTEGER NOT NULL DEFAULT 0,
    entry  INTEGER NOT NULL DEFAULT 0,
    kind   TEXT NOT NULL,
    id     TEXT NOT NULL,                    -- of the record that would be written; for a create its source
    text   TEXT NOT NULL,                    -- the reason, in a sentence
    after  TEXT NOT NULL DEFAULT '{}',
    state  TEXT NOT NULL DEFAULT '',         -- done, or dropped because it does not hold any more
    PRIMARY KEY (stage, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX staged_action ON staged (action);
CREATE INDEX staged_link ON staged (link) WHERE link <> 0;

-- From when on refusals count: a person, or another mapping, had what was refused asked again. A row of link
-- 0 and entry 0 is about all of a side. dismissed says that a person knows, and wants to hear no more of it.
CREATE TABLE forgiven (
    binding   TEXT NOT NULL REFERENCES binding (binding),
    link      INTEGER NOT NULL DEFAULT 0,
    entry     INTEGER NOT NULL DEFAULT 0,    -- that a create is made from
    side      INTEGER NOT NULL,              -- that refused
    at        INTEGER NOT NULL,
    dismissed INTEGER,
    who       TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (binding, link, entry, side)
) STRICT, WITHOUT ROWID;

-- What a person decided once and for all about a field.
CREATE TABLE always (
    binding TEXT NOT NULL REFERENCES binding (binding),
    field   TEXT NOT NULL,
    take    TEXT NOT NULL,                   -- left or right
    who     TEXT NOT NULL,
    since   INTEGER NOT NULL,
    PRIMARY KEY (binding, field)
) STRICT, WITHOUT ROWID;

-- Records that are gone, and what proved it. A row outlives its link, so that one that comes back is known.
CREATE TABLE tombstone (
    entry    INTEGER PRIMARY KEY REFERENCES entry (num),
    binding  TEXT NOT NULL REFERENCES binding (binding),
    side     INTEGER NOT NULL,
    link     INTEGER NOT NULL DEFAULT 0,
    entity   TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL,                  -- read: not found by its id; merged; told: the system's own word; ours: we deleted it
    why      TEXT NOT NULL,
    moved    TEXT NOT NULL DEFAULT '',       -- the id that it was merged into
    done     TEXT NOT NULL DEFAULT '',       -- what came of the other side: deleted, archived, unlinked, ignored, held
    run      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    expires  INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstone_link ON tombstone (link) WHERE link <> 0;
CREATE INDEX tombstone_expires ON tombstone (expires);

-- What a record can't lose while it is the same: when it was made, or its first key. '' is not known.
ALTER TABLE entry ADD COLUMN witness TEXT NOT NULL DEFAULT '';

-- How long a system took to list what we created.
CREATE TABLE lag (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    intent  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    ms      INTEGER NOT NULL,                -- until a list showed it
    PRIMARY KEY (binding, side, intent)
) STRICT, WITHOUT ROWID;
CREATE INDEX lag_at ON lag (at);

-- A system that is not asked for a while because it only fails.
CREATE TABLE breaker (
    system TEXT NOT NULL PRIMARY KEY,
    fails  INTEGER NOT NULL,
    cause  TEXT NOT NULL,
    opened INTEGER,                          -- NULL: closed
    next   INTEGER                           -- when one request may try
) STRICT, WITHOUT ROWID;

ALTER TABLE failing ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE failing ADD COLUMN since INTEGER;
ALTER TABLE failing ADD COLUMN quarantined INTEGER;

-- Why a job, or one direction of it, stands still until a person answers.
CREATE TABLE halt (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    text    TEXT NOT NULL,
    resume  TEXT NOT NULL,                   -- the command that lets it go on
    detail  TEXT NOT NULL DEFAULT '',        -- what an answer is about: the account seen, the highest version
    run     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    answer  TEXT NOT NULL DEFAULT '',
    who     TEXT NOT NULL DEFAULT '',
    ended   INTEGER
) STRICT;
CREATE UNIQUE INDEX halt_open ON halt (binding, side, name) WHERE ended IS NULL;
CREATE INDEX halt_ended ON halt (ended) WHERE ended IS NOT NULL;

-- What a side was last seen to be: its account, how far it had got.
CREATE TABLE witnessed (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,                   -- account, changed, version, rows, …
    value   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (binding, side, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_entry ON alert (entry, kind);

-- +goose Down
SELECT 1;
