-- +goose Up
-- Why a record, or a whole kind, is not written as it should be. A row goes with the run that
-- finds that it is over, and once a person dismissed it.
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

-- +goose Down
SELECT 1;
