-- +goose Up
-- An event that its destination refuses holds back those of its own record, and no others.
ALTER TABLE event ADD COLUMN subject TEXT NOT NULL DEFAULT ''; -- what it is about: events of one subject keep their order
ALTER TABLE event ADD COLUMN next INTEGER;                     -- it was refused, and is not sent again before
CREATE INDEX event_subject ON event (destination, subject, num) WHERE state = 'waiting';
CREATE INDEX event_refused ON event (destination, next) WHERE state = 'waiting' AND next IS NOT NULL;

-- +goose Down
SELECT 1;
