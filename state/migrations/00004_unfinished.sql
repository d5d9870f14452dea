-- Records that are not yet all that they will be: what they lack, since when it is
-- waited for and for how long, and when that was long enough.

-- +goose Up
ALTER TABLE entry ADD COLUMN unfinished TEXT;

-- +goose Down
SELECT 1;
