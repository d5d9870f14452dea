-- +goose Up
-- A set of changes that a guard held is a question like any other.
DROP TRIGGER happened_question;
ALTER TABLE question ADD COLUMN held TEXT NOT NULL DEFAULT '';  -- of a set: the digest of what is in it; its field is the risk of its changes
ALTER TABLE question ADD COLUMN expires INTEGER;                -- of a set: then it is asked anew
ALTER TABLE question ADD COLUMN change TEXT NOT NULL DEFAULT ''; -- the intent of which nobody knows what became
INSERT INTO question (binding, side, field, cause, why, opened, run, choice, who, chosen, closed, held, expires)
    SELECT binding, side, risk, guard, why, at, run, decision, who, decided, ended, digest, expires FROM stage ORDER BY at, digest;
UPDATE question SET rests = json_object('on', json_array(substr(cause, 9))), cause = 'mapping' WHERE held <> '' AND cause LIKE 'mapping:%';
UPDATE setting SET value = replace(value, '"guard":"mapping:', '"fields":"') WHERE name = 'asking';
-- So is a change of which nobody knows what became.
INSERT INTO question (binding, side, field, cause, why, opened, run, change) SELECT binding, side, 'lost', 'lost', error, coalesce(sent_at, made), run, id
    FROM intent WHERE state = 'held';
UPDATE question SET choice = iif(s.value ->> '$.arrived', 'arrived', 'not arrived'), value = iif(s.value ->> '$.arrived', json_quote(s.value ->> '$.ref.id'), '') FROM setting s WHERE s.name = 'claim:' || question.change;
DELETE FROM setting WHERE name >= 'claim:' AND name < 'claim;';
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
INSERT INTO member SELECT q.id, action, t.link, t.entry, kind, t.id, text, after, parts, state FROM staged t JOIN question q ON q.held = t.stage;
DROP TABLE staged;
DROP TABLE stage;
CREATE INDEX member_action ON member (action);
CREATE INDEX member_link ON member (link) WHERE link <> 0;
DROP INDEX question_open;
CREATE UNIQUE INDEX question_open ON question (link, entry, field, side, binding, held, change) WHERE closed IS NULL;
CREATE INDEX question_change ON question (change) WHERE change <> '' AND closed IS NULL;
CREATE INDEX question_held ON question (held) WHERE held <> '';

-- +goose StatementBegin
CREATE TRIGGER happened_question AFTER INSERT ON question WHEN NEW.held = '' AND NEW.change = '' AND EXISTS (SELECT 1 FROM destination)
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

-- +goose Down
SELECT 1;
