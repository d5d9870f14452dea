-- +goose Up
-- Times are unix milliseconds, given by the program; NULL where there is none.
-- Every table carries the binding, so that one job's rows can be told apart from another's.

CREATE TABLE setting (
    binding TEXT NOT NULL DEFAULT '',
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (binding, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE binding (
    binding      TEXT NOT NULL PRIMARY KEY,
    left_system  TEXT NOT NULL,
    right_system TEXT NOT NULL,
    left_kind    TEXT NOT NULL,
    right_kind   TEXT NOT NULL,
    left_since   TEXT NOT NULL DEFAULT '',   -- where the next incremental scan starts
    right_since  TEXT NOT NULL DEFAULT '',
    epoch        INTEGER NOT NULL DEFAULT 0  -- of the lease: who holds an older one can't commit
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    started INTEGER NOT NULL,
    ended   INTEGER,
    dry     INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    error   TEXT NOT NULL DEFAULT '',
    counts  TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX run_binding ON run (binding, id);

CREATE TABLE alert (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    run     INTEGER NOT NULL,
    entry   INTEGER NOT NULL DEFAULT 0,
    kind    TEXT NOT NULL,
    text    TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX alert_at ON alert (at);

CREATE TABLE link (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL,                   -- what both records stand for, in every binding
    state   TEXT NOT NULL DEFAULT '',
    made    INTEGER NOT NULL
) STRICT;
CREATE INDEX link_entity ON link (binding, entity);

CREATE TABLE entry (
    num          INTEGER PRIMARY KEY,        -- dense: presence is a bitmap over it, and no entry is ever deleted
    binding      TEXT NOT NULL REFERENCES binding (binding),
    side         INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    id           TEXT NOT NULL,
    link         INTEGER REFERENCES link (id),
    base         TEXT,
    base_version TEXT NOT NULL DEFAULT '',
    seen         TEXT,                       -- NULL: the last observation said what base says
    listed       BLOB,                       -- NULL never matches
    mapping      TEXT NOT NULL DEFAULT '',
    pre          TEXT,
    acked        INTEGER,
    settle_until INTEGER,
    provisional  TEXT,                       -- the paths whose base is what was sent, not what was shown
    state        TEXT NOT NULL DEFAULT '',
    why          TEXT NOT NULL DEFAULT '',
    recheck      INTEGER,
    since        INTEGER NOT NULL,
    keys         TEXT,
    dirty        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX entry_ref ON entry (binding, side, id);
CREATE UNIQUE INDEX entry_link ON entry (link, side) WHERE link IS NOT NULL;
CREATE INDEX entry_dirty ON entry (binding, link) WHERE link IS NOT NULL AND (seen IS NOT NULL OR dirty = 1);
CREATE INDEX entry_unlinked ON entry (binding, side, num) WHERE link IS NULL;
CREATE INDEX entry_state ON entry (binding, side, state) WHERE state <> '';
CREATE INDEX entry_recheck ON entry (binding, side, recheck) WHERE recheck IS NOT NULL;

CREATE TABLE entry_key (
    binding TEXT NOT NULL,
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    text    TEXT NOT NULL,
    entry   INTEGER NOT NULL REFERENCES entry (num),
    PRIMARY KEY (binding, side, name, text, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_key_entry ON entry_key (entry);

CREATE TABLE quarantine (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,                   -- id:… or, for an item without one, digest:…
    entry   INTEGER REFERENCES entry (num),
    problem TEXT NOT NULL,
    since   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (binding, side, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX quarantine_entry ON quarantine (entry) WHERE entry IS NOT NULL;

CREATE TABLE scan (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    binding   TEXT NOT NULL REFERENCES binding (binding),
    side      INTEGER NOT NULL,
    full      INTEGER NOT NULL,
    since     TEXT NOT NULL,
    scope     TEXT NOT NULL,
    mapping   TEXT NOT NULL,
    started   INTEGER NOT NULL,
    ended     INTEGER,
    abandoned INTEGER NOT NULL DEFAULT 0,
    complete  INTEGER NOT NULL DEFAULT 0,
    cursor    TEXT NOT NULL DEFAULT '',
    pages     INTEGER NOT NULL DEFAULT 0,
    row_count INTEGER NOT NULL DEFAULT 0,
    total     INTEGER NOT NULL DEFAULT -1,
    doubles   INTEGER NOT NULL DEFAULT 0,
    flaws     TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE UNIQUE INDEX scan_open ON scan (binding, side) WHERE ended IS NULL;
CREATE INDEX scan_place ON scan (binding, side, id);

CREATE TABLE presence (
    binding TEXT NOT NULL REFERENCES binding (binding),
    scan    INTEGER NOT NULL REFERENCES scan (id),
    chunk   INTEGER NOT NULL,                -- entries chunk*4096 to chunk*4096+4095
    bits    BLOB NOT NULL,
    PRIMARY KEY (scan, chunk)
) STRICT, WITHOUT ROWID;

CREATE TABLE wait (
    binding    TEXT NOT NULL REFERENCES binding (binding),
    entry      INTEGER NOT NULL REFERENCES entry (num),
    on_binding TEXT NOT NULL,
    on_side    INTEGER NOT NULL,
    on_kind    TEXT NOT NULL,
    on_id      TEXT NOT NULL,
    since      INTEGER NOT NULL,
    PRIMARY KEY (entry, on_binding, on_side, on_kind, on_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX wait_on ON wait (on_binding, on_side, on_kind, on_id);

CREATE TABLE conflict (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    binding     TEXT NOT NULL REFERENCES binding (binding),
    link        INTEGER NOT NULL DEFAULT 0,
    entry       INTEGER NOT NULL DEFAULT 0,
    field       TEXT NOT NULL,
    left_value  TEXT NOT NULL,               -- '' is not shown
    right_value TEXT NOT NULL,
    base_value  TEXT NOT NULL,
    policy      TEXT NOT NULL,
    why         TEXT NOT NULL,
    opened      INTEGER NOT NULL,
    run         INTEGER NOT NULL,
    choice      TEXT NOT NULL DEFAULT '',
    value       TEXT NOT NULL DEFAULT '',
    chosen      INTEGER,
    closed      INTEGER
) STRICT;
CREATE UNIQUE INDEX conflict_open ON conflict (link, entry, field) WHERE closed IS NULL;
CREATE INDEX conflict_entry ON conflict (entry) WHERE entry <> 0;
CREATE INDEX conflict_binding ON conflict (binding, id);

CREATE TABLE intent (
    id       TEXT NOT NULL PRIMARY KEY,
    binding  TEXT NOT NULL REFERENCES binding (binding),
    run      INTEGER NOT NULL,
    side     INTEGER NOT NULL,
    link     INTEGER REFERENCES link (id),
    source   INTEGER REFERENCES entry (num), -- for a create: the entry it was made from
    entity   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    ref      TEXT NOT NULL,                  -- the record written; for a create known from the receipt on
    change   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    fields   TEXT NOT NULL,
    bases    TEXT NOT NULL,
    state    TEXT NOT NULL,
    tries    INTEGER NOT NULL DEFAULT 0,
    made     INTEGER NOT NULL,
    sent_at  INTEGER,
    ended_at INTEGER,
    error    TEXT NOT NULL DEFAULT '',
    class    TEXT NOT NULL DEFAULT '',
    receipt  TEXT
) STRICT;
-- One change at a time a link and side, and one create a record, those whose fate is unknown counted.
CREATE UNIQUE INDEX intent_open ON intent (link, side)
    WHERE link IS NOT NULL AND state IN ('prepared', 'sent', 'held');
CREATE UNIQUE INDEX intent_create ON intent (source)
    WHERE link IS NULL AND source IS NOT NULL AND state IN ('prepared', 'sent', 'held');
CREATE INDEX intent_unsettled ON intent (binding, made) WHERE state IN ('prepared', 'sent', 'held');
CREATE INDEX intent_link ON intent (link) WHERE link IS NOT NULL;
CREATE INDEX intent_run ON intent (run);
CREATE INDEX intent_ref ON intent (kind, ref);
CREATE INDEX intent_ended ON intent (ended_at) WHERE ended_at IS NOT NULL;

-- +goose Down
SELECT 1;
