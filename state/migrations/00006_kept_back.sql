-- +goose Up
-- Changes that may reach a person and are not sent now. A row goes in the transaction that sends its
-- change, and when a run finds that nothing is to be sent any more.
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

-- +goose Down
SELECT 1;
