-- +goose Up
-- What a person is asked: of a field or all of a link, of a record without one, or of a side of a job.
CREATE TABLE question (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    binding     TEXT NOT NULL REFERENCES binding (binding),
    side        INTEGER NOT NULL DEFAULT 0,  -- where it is about a side
    link        INTEGER NOT NULL DEFAULT 0,
    entry       INTEGER NOT NULL DEFAULT 0,
    field       TEXT NOT NULL,               -- of a side its cause: one question of each is open
    cause       TEXT NOT NULL,
    choices     TEXT NOT NULL DEFAULT '',
    left_value  TEXT NOT NULL DEFAULT '',    -- '' is not shown
    right_value TEXT NOT NULL DEFAULT '',
    base_value  TEXT NOT NULL DEFAULT '',
    why         TEXT NOT NULL,
    next        TEXT NOT NULL DEFAULT '',
    rests       TEXT NOT NULL DEFAULT '',
    opened      INTEGER NOT NULL,
    run         INTEGER NOT NULL,
    choice      TEXT NOT NULL DEFAULT '',
    value       TEXT NOT NULL DEFAULT '',
    who         TEXT NOT NULL DEFAULT '',
    chosen      INTEGER,
    closed      INTEGER
) STRICT;
INSERT INTO question (id, binding, link, entry, field, cause, left_value, right_value, base_value, why, rests, opened, run, choice, value, chosen, closed)
    SELECT id, binding, link, entry, field, CASE WHEN link = 0 THEN '' ELSE policy END, left_value, right_value, base_value, why, rests, opened, run, choice, value, chosen, closed FROM conflict;
UPDATE question SET choices = (SELECT policy FROM conflict WHERE conflict.id = question.id) WHERE link = 0;
INSERT INTO question (binding, side, field, cause, why, next, rests, opened, run, choice, who, closed)
    SELECT binding, side, name, name, text, resume, rests, at, run, answer, who, ended FROM halt ORDER BY id;
UPDATE happening SET what = 'question' WHERE what = 'conflict';
UPDATE happening SET what = 'question', ref = coalesce((SELECT q.id FROM question q JOIN halt h ON q.binding = h.binding
    AND q.side = h.side AND q.cause = h.name AND q.opened = h.at WHERE h.id = happening.ref AND q.link = 0 AND q.entry = 0), '') WHERE what = 'halt';
DROP TABLE conflict;
DROP TABLE halt;
CREATE UNIQUE INDEX question_open ON question (link, entry, field, side, binding) WHERE closed IS NULL;
CREATE INDEX question_entry ON question (entry) WHERE entry <> 0;
CREATE INDEX question_binding ON question (binding, id);
CREATE INDEX question_closed ON question (closed) WHERE closed IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER happened_question AFTER INSERT ON question WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- It rests on something else: what was chosen does not count any more, and a person is asked anew.
-- +goose StatementBegin
CREATE TRIGGER happened_question_anew AFTER UPDATE OF opened ON question WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
