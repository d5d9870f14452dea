-- +goose Up
-- What is told to others: webhooks that we send.

-- Where events go, as the configuration that runs has it. What happens before the row is there is not told.
CREATE TABLE destination (
    name    TEXT NOT NULL PRIMARY KEY,
    address TEXT NOT NULL,                   -- a digest: the address itself may be a secret
    fails   INTEGER NOT NULL DEFAULT 0,      -- tries in a row
    failing INTEGER,
    next    INTEGER,                         -- not tried before
    error   TEXT NOT NULL DEFAULT '',
    gone    INTEGER                          -- when it answered that it is no more
) STRICT, WITHOUT ROWID;

-- What happened and nobody was told of yet. A row is written in the transaction in which it happens, by a
-- trigger, so that nothing is told that did not happen, and nothing happens untold; seq is the order of the
-- transactions, which no clock gives. It goes in the transaction that makes events of it.
CREATE TABLE happening (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    what    TEXT NOT NULL,                   -- change, conflict, halt or run
    ref     TEXT NOT NULL,                   -- the id of its row
    at      INTEGER NOT NULL
) STRICT;

-- Events on their way to one destination each.
CREATE TABLE event (
    num         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL,               -- made of what happened: receivers tell doubles by it
    destination TEXT NOT NULL,
    binding     TEXT NOT NULL,
    type        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    data        TEXT NOT NULL,
    state       TEXT NOT NULL,               -- waiting, sent or dead
    since       INTEGER NOT NULL,            -- it waits
    tries       INTEGER NOT NULL DEFAULT 0,
    error       TEXT NOT NULL DEFAULT '',
    ended       INTEGER
) STRICT;
CREATE UNIQUE INDEX event_id ON event (id, destination);
CREATE INDEX event_waiting ON event (destination, num) WHERE state = 'waiting';
CREATE INDEX event_dead ON event (destination, num) WHERE state = 'dead';
CREATE INDEX event_ended ON event (ended) WHERE ended IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER happened_change AFTER UPDATE OF state ON intent
WHEN NEW.state = 'settled' AND OLD.state <> 'settled' AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'change', NEW.id, NEW.ended_at);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER happened_conflict AFTER INSERT ON conflict WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'conflict', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- Its values are others: what was chosen does not count any more, and a person is asked anew.
-- +goose StatementBegin
CREATE TRIGGER happened_conflict_anew AFTER UPDATE OF opened ON conflict WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'conflict', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER happened_halt AFTER INSERT ON halt WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'halt', NEW.id, NEW.at);
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
