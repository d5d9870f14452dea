-- +goose Up
-- Times are unix milliseconds, given by the program; NULL where there is none.
-- What belongs to a job carries its binding, so that one job's rows can be told apart from another's.

-- ── The installation ────────────────────────────────────────────────────────────────────────────

CREATE TABLE setting (
    binding TEXT NOT NULL DEFAULT '',
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (binding, name)
) STRICT, WITHOUT ROWID;

-- The process that runs jobs on this file. Each holder has a higher term than the one before: a process with an
-- older term can't begin a run, and can't commit in the name of a run.
CREATE TABLE holder (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    term    INTEGER NOT NULL,
    pid     INTEGER NOT NULL,
    host    TEXT NOT NULL,
    command TEXT NOT NULL,
    since   INTEGER NOT NULL,
    beat    INTEGER NOT NULL                 -- the last sign of life
) STRICT;

-- Every configuration that a service, or a command, was run with. A run names the one that it was decided by.
CREATE TABLE config (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    who    TEXT NOT NULL,                    -- the user and the command
    file   TEXT NOT NULL,
    digest TEXT NOT NULL,
    text   TEXT NOT NULL                     -- secrets stand in it as the names of their files
) STRICT;

CREATE TABLE pause (
    scope TEXT NOT NULL,                     -- all, job or system
    name  TEXT NOT NULL,                     -- '' for all
    until INTEGER,                           -- NULL: until somebody resumes
    why   TEXT NOT NULL,
    who   TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

-- A state that was put back to an older copy knows less than the systems. So nothing is created until both
-- sides were compared whole. The row of binding '' has the moment for all jobs; a job's own row says that
-- this job is past it.
CREATE TABLE adopt_only (
    binding TEXT NOT NULL PRIMARY KEY,
    since   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A system that only fails, and is not asked for a while because of that.
CREATE TABLE breaker (
    system TEXT NOT NULL PRIMARY KEY,
    fails  INTEGER NOT NULL,
    cause  TEXT NOT NULL,
    opened INTEGER,                          -- NULL: closed
    next   INTEGER                           -- when one request may try
) STRICT, WITHOUT ROWID;

-- ── Jobs and their runs ─────────────────────────────────────────────────────────────────────────

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
    counts  TEXT NOT NULL DEFAULT '{}',
    config  INTEGER NOT NULL DEFAULT 0,
    undoes  INTEGER NOT NULL DEFAULT 0       -- the run whose changes this one takes back
) STRICT;
CREATE INDEX run_binding ON run (binding, id);
CREATE INDEX run_ended ON run (ended) WHERE ended IS NOT NULL;

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
CREATE INDEX alert_entry ON alert (entry, kind);

-- When each job was run, and when it was not: this alone decides what is due. A line is one cadence of a job.
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
    binding     TEXT NOT NULL PRIMARY KEY,
    fails       INTEGER NOT NULL,            -- in a row
    at          INTEGER NOT NULL,            -- of the last
    cause       TEXT NOT NULL DEFAULT '',
    since       INTEGER,
    quarantined INTEGER
) STRICT, WITHOUT ROWID;

-- Runs that were asked for outside of any cadence: several calls for the same line are one row.
CREATE TABLE call (
    binding  TEXT NOT NULL,
    what     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    at       INTEGER NOT NULL,
    PRIMARY KEY (binding, what)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_open ON call (at) WHERE answered < seq;

-- Runs that somebody asked the holder for, the process that runs jobs.
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

-- Records that have changed, as a system or a person said. A row stays until a run has looked at the record, and
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

-- ── Records and links ───────────────────────────────────────────────────────────────────────────

CREATE TABLE link (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL,                   -- what both records stand for, in every binding
    state   TEXT NOT NULL DEFAULT '',
    made    INTEGER NOT NULL,
    doubted INTEGER NOT NULL DEFAULT 0       -- the state was put back, and its records were not compared since
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
    why          TEXT NOT NULL DEFAULT '',   -- a sentence, for people
    cause        TEXT NOT NULL DEFAULT '',   -- the same as a name: rules ask for it
    recheck      INTEGER,
    since        INTEGER NOT NULL,
    keys         TEXT,
    dirty        INTEGER NOT NULL DEFAULT 0,
    witness      TEXT NOT NULL DEFAULT '',   -- what a record can't lose while it is the same; '' is not known
    unfinished   TEXT,                       -- what it lacks that is still to come, since when and for how long it is waited for
    vouching     TEXT                        -- what the last version does not vouch for: paths that a list does not show
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

-- Who changed a record last, as its system shows it. Only the command explain tells it, and nothing is decided by
-- it. Jobs that keep their values as digests have none.
CREATE TABLE changed_by (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    name    TEXT NOT NULL,
    at      INTEGER NOT NULL                 -- when it was seen
) STRICT;

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

-- Records that are gone, and what proved that. A row outlives its link, so that a record that comes back is known.
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

-- The entity that a record stood for when its link ended because the record across was gone. If one is made or
-- found there again, the two stand for the same entity again.
CREATE TABLE stood (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL
) STRICT;
CREATE INDEX stood_entity ON stood (binding, entity);

-- What asking again for the rooms of bookings that we entered has shown. A booking gives way once at most, and only as
-- long as nobody has changed it since it was entered.
CREATE TABLE room_check (
    link    INTEGER PRIMARY KEY REFERENCES link (id),
    entry   INTEGER NOT NULL REFERENCES entry (num), -- the record that was entered: the link may have another one by now
    asked   INTEGER NOT NULL,                -- when its room was first asked for
    shown   TEXT NOT NULL,                   -- a digest of the status, the days and the guest that a read showed first
    fate    TEXT NOT NULL                    -- what becomes of the booking: record.RoomFate; '' is open
) STRICT;

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

-- Whom a record means that names another one by a phone number, as long as that is not settled. It means the same
-- one as long as it shows the same number, whoever has that number by then.
CREATE TABLE meant (
    entry INTEGER NOT NULL REFERENCES entry (num),
    field TEXT NOT NULL,
    shown TEXT NOT NULL,                     -- a digest of what it showed
    who   INTEGER NOT NULL REFERENCES entry (num),
    born  INTEGER NOT NULL,                  -- when its system made that one, 0 where it does not say
    name  TEXT NOT NULL,                     -- a digest of its name
    gone  INTEGER NOT NULL DEFAULT 0,        -- whoever that was is gone: under the id there may be another one
    PRIMARY KEY (entry, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX meant_who ON meant (who);

-- ── How a side is read ──────────────────────────────────────────────────────────────────────────

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
CREATE INDEX scan_ended ON scan (ended) WHERE ended IS NOT NULL;

CREATE TABLE presence (
    binding TEXT NOT NULL REFERENCES binding (binding),
    scan    INTEGER NOT NULL REFERENCES scan (id),
    chunk   INTEGER NOT NULL,                -- entries chunk*4096 to chunk*4096+4095
    bits    BLOB NOT NULL,
    PRIMARY KEY (scan, chunk)
) STRICT, WITHOUT ROWID;

-- What a side was last seen to be: its account, how far it had got.
CREATE TABLE witnessed (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,                   -- account, changed, version, rows, …
    value   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (binding, side, name)
) STRICT, WITHOUT ROWID;

-- For a side that was put back to an older copy, once a person said that it is to get again what the other side
-- holds. For each linked record: what it showed that was not as it was settled, by path, as digests; '' for a
-- record that the side lacked. A row goes once its record is in step.
CREATE TABLE copied (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    entry   INTEGER NOT NULL REFERENCES entry (num),
    shown   TEXT NOT NULL,
    PRIMARY KEY (binding, side, entry)
) STRICT, WITHOUT ROWID;

-- How long a system took until it listed what we created.
CREATE TABLE lag (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    intent  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    ms      INTEGER NOT NULL,                -- until a list showed it
    PRIMARY KEY (binding, side, intent)
) STRICT, WITHOUT ROWID;
CREATE INDEX lag_at ON lag (at);

-- ── What is written ─────────────────────────────────────────────────────────────────────────────

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
    risk     TEXT NOT NULL DEFAULT '',       -- what a guard counts it as: create, update, clear, cancel or delete; '' is not counted
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
    refused  TEXT NOT NULL DEFAULT '',       -- why what a person said became of it can't be so
    receipt  TEXT
) STRICT;
-- At any time only one change for each link and side, and only one create for each source record. A change that
-- nobody knows the outcome of counts as one.
CREATE UNIQUE INDEX intent_open ON intent (link, side)
    WHERE link IS NOT NULL AND state IN ('sent', 'held');
CREATE UNIQUE INDEX intent_create ON intent (source)
    WHERE link IS NULL AND source IS NOT NULL AND state IN ('sent', 'held');
CREATE INDEX intent_unsettled ON intent (binding, made) WHERE state IN ('sent', 'held');
CREATE INDEX intent_link ON intent (link) WHERE link IS NOT NULL;
CREATE INDEX intent_run ON intent (run);
CREATE INDEX intent_ref ON intent (kind, ref);
CREATE INDEX intent_ended ON intent (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX intent_risk ON intent (binding, side, risk, sent_at) WHERE risk <> '' AND sent_at IS NOT NULL;
-- Each run that decides reads what a system said no to. Of all that was written that is little, or nothing.
CREATE INDEX intent_rejected ON intent (binding, link, side) WHERE state = 'rejected';

-- The first writes of each operation to a side since the description of its kind changed: trials. Each is of one
-- record, read whole before and after. The original stands here before anything is sent, and goes once nothing of
-- it is to be put back. If nobody can see what a trial did, the trial is put aside: it is kept until its record can
-- be read, and another record takes its place.
CREATE TABLE trial (
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
    proved    TEXT NOT NULL DEFAULT '[]',    -- objects that were seen to be kept, the record itself as ""
    listed    TEXT NOT NULL DEFAULT '[]',    -- native paths that lists alone showed: what became of them no read by id can tell
    looks     INTEGER NOT NULL DEFAULT 0,    -- runs that could not see it
    PRIMARY KEY (binding, side, op, kind, ref)
) STRICT, WITHOUT ROWID;

-- Changes that may reach a person, and that are not sent now. A row goes in the transaction that sends its change,
-- or when a run finds that nothing is to be sent any more.
CREATE TABLE kept_back (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,                -- that would be written
    link    INTEGER NOT NULL,                -- 0 for none
    entry   INTEGER NOT NULL,                -- without a link: of the record written, or that a create is made from
    change  TEXT NOT NULL,                   -- create, update or action
    fields  TEXT NOT NULL,                   -- their names; of a create none
    rule    TEXT NOT NULL,                   -- send_hours, most_an_hour or never_to
    why     TEXT NOT NULL,
    since   INTEGER NOT NULL,
    until   INTEGER,                         -- NULL: not a matter of time
    PRIMARY KEY (binding, side, link, entry)
) STRICT, WITHOUT ROWID;

-- Why a record, or a whole kind, is not written as it should be. A row goes when a run finds that it is over, or
-- once a person has dismissed it.
CREATE TABLE finding (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,                -- that would be written
    name    TEXT NOT NULL,                   -- record.FindingName
    link    INTEGER NOT NULL,                -- 0 for none
    entry   INTEGER NOT NULL,                -- without a link: of the record that a create is made from; 0: the whole kind
    change  TEXT NOT NULL,                   -- create, update, action or delete
    about   TEXT NOT NULL,                   -- the field or column, '' where none is known
    text    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL,
    asked   INTEGER,                         -- when the system was last asked for it; NULL: not yet
    since   INTEGER NOT NULL,
    PRIMARY KEY (binding, side, link, entry, name)
) STRICT, WITHOUT ROWID;

-- ── What persons are asked, and say ─────────────────────────────────────────────────────────────

-- What a person is asked. A question is about a field or all of a link, a record without a link, a side of a job, a
-- set of changes that a guard held, or a change that nobody knows the outcome of.
CREATE TABLE question (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    binding     TEXT NOT NULL REFERENCES binding (binding),
    side        INTEGER NOT NULL DEFAULT 0,  -- where it is about a side, or a set that would be written there
    link        INTEGER NOT NULL DEFAULT 0,
    entry       INTEGER NOT NULL DEFAULT 0,
    field       TEXT NOT NULL,               -- of a side its cause: one question of each is open; of a set the risk of its changes
    held        TEXT NOT NULL DEFAULT '',    -- of a set: the digest of what is in it
    change      TEXT NOT NULL DEFAULT '',    -- the intent of which nobody knows what became
    cause       TEXT NOT NULL,
    choices     TEXT NOT NULL DEFAULT '',
    left_value  TEXT NOT NULL DEFAULT '',    -- '' is not shown
    right_value TEXT NOT NULL DEFAULT '',
    base_value  TEXT NOT NULL DEFAULT '',
    why         TEXT NOT NULL,
    next        TEXT NOT NULL DEFAULT '',
    rests       TEXT NOT NULL DEFAULT '',    -- what it rests on: an answer counts for that, and for nothing else
    opened      INTEGER NOT NULL,
    run         INTEGER NOT NULL,
    expires     INTEGER,                     -- of a set: then it is asked anew
    choice      TEXT NOT NULL DEFAULT '',
    value       TEXT NOT NULL DEFAULT '',
    who         TEXT NOT NULL DEFAULT '',
    chosen      INTEGER,
    closed      INTEGER
) STRICT;
CREATE UNIQUE INDEX question_open ON question (link, entry, field, side, binding, held, change) WHERE closed IS NULL;
CREATE INDEX question_entry ON question (entry) WHERE entry <> 0;
CREATE INDEX question_binding ON question (binding, id);
CREATE INDEX question_closed ON question (closed) WHERE closed IS NOT NULL;
CREATE INDEX question_change ON question (change) WHERE change <> '' AND closed IS NULL;
CREATE INDEX question_held ON question (held) WHERE held <> '';

-- The changes of a set that a guard held.
CREATE TABLE member (
    question INTEGER NOT NULL REFERENCES question (id) ON DELETE CASCADE,
    action   TEXT NOT NULL,                  -- the digest of the change
    link     INTEGER NOT NULL DEFAULT 0,
    entry    INTEGER NOT NULL DEFAULT 0,
    kind     TEXT NOT NULL,
    id       TEXT NOT NULL,                  -- of the record that would be written; for a create its source
    text     TEXT NOT NULL,                  -- the reason, in a sentence
    after    TEXT NOT NULL DEFAULT '{}',
    parts    TEXT NOT NULL DEFAULT '[]',     -- the digests of what of it can be sent by itself: they tell no values
    state    TEXT NOT NULL DEFAULT '',       -- done, put back, or dropped because it does not hold any more
    PRIMARY KEY (question, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_action ON member (action);
CREATE INDEX member_link ON member (link) WHERE link <> 0;

-- Since when refusals count: what was refused before is asked for again, because a person said so or the mapping is
-- another one. A row with link 0 and entry 0 is about all of a side. dismissed says that a person knows of the
-- refusal, and wants to hear no more of it.
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

-- ── What others are told ────────────────────────────────────────────────────────────────────────

-- Where events go, as the configuration says that is running. What happens before the row is there is not told.
CREATE TABLE destination (
    name    TEXT NOT NULL PRIMARY KEY,
    address TEXT NOT NULL,                   -- a digest: the address itself may be a secret
    fails   INTEGER NOT NULL DEFAULT 0,      -- tries in a row
    failing INTEGER,
    next    INTEGER,                         -- not tried before
    error   TEXT NOT NULL DEFAULT '',
    gone    INTEGER                          -- when it answered that it is no more
) STRICT, WITHOUT ROWID;

-- What happened and nobody was told of yet. A trigger writes a row in the transaction in which something happens:
-- so nothing is told that did not happen, and nothing happens untold. seq is the order of the transactions, which
-- no clock gives. A row goes in the transaction that makes events of it.
CREATE TABLE happening (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    what    TEXT NOT NULL,                   -- change, question, held or run
    ref     TEXT NOT NULL,                   -- the id of its row; of a set its digest
    at      INTEGER NOT NULL
) STRICT;

-- Events on their way to one destination each.
CREATE TABLE event (
    num         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL,               -- made of what happened: receivers tell doubles by it
    destination TEXT NOT NULL,
    binding     TEXT NOT NULL,
    type        TEXT NOT NULL,
    subject     TEXT NOT NULL DEFAULT '',    -- what it is about: events of one subject keep their order
    at          INTEGER NOT NULL,
    data        TEXT NOT NULL,
    state       TEXT NOT NULL,               -- waiting, sent or dead
    since       INTEGER NOT NULL,            -- it waits
    tries       INTEGER NOT NULL DEFAULT 0,
    next        INTEGER,                     -- it was refused, and is not sent again before
    error       TEXT NOT NULL DEFAULT '',
    ended       INTEGER
) STRICT;
CREATE UNIQUE INDEX event_id ON event (id, destination);
CREATE INDEX event_waiting ON event (destination, num) WHERE state = 'waiting';
CREATE INDEX event_dead ON event (destination, num) WHERE state = 'dead';
CREATE INDEX event_ended ON event (ended) WHERE ended IS NOT NULL;
-- An event that its destination refuses holds back those of its own subject, and no others.
CREATE INDEX event_subject ON event (destination, subject, num) WHERE state = 'waiting';
CREATE INDEX event_refused ON event (destination, next) WHERE state = 'waiting' AND next IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER happened_change AFTER UPDATE OF state ON intent
WHEN NEW.state = 'settled' AND OLD.state <> 'settled' AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'change', NEW.id, NEW.ended_at);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER happened_question AFTER INSERT ON question WHEN NEW.held = '' AND NEW.change = '' AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- A question that rests on something else now: what was chosen does not count any more, and a person is asked anew.
-- +goose StatementBegin
CREATE TRIGGER happened_question_anew AFTER UPDATE OF opened ON question WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- A set that takes the place of one that was open until now is the same question, with more or fewer changes.
-- +goose StatementBegin
CREATE TRIGGER happened_held AFTER INSERT ON question
WHEN NEW.held <> '' AND EXISTS (SELECT 1 FROM destination) AND NOT EXISTS (SELECT 1 FROM question s WHERE s.held <> '' AND s.binding = NEW.binding
    AND s.side = NEW.side AND s.field = NEW.field AND s.held <> NEW.held AND s.closed = NEW.opened AND s.choice = '')
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'held', NEW.held, NEW.opened);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER happened_run AFTER UPDATE OF ended ON run
WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL AND NEW.dry = 0
    AND NEW.outcome IN ('failed', 'done', 'done, something waits for a person')
    AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'run', NEW.id, NEW.ended);
END;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
