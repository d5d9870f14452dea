-- +goose Up
-- Each run that decides asks what a system said no to; of all that was written that is little, or nothing.
CREATE INDEX intent_rejected ON intent (binding, link, side) WHERE state = 'rejected';

-- +goose Down
SELECT 1;
