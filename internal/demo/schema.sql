-- A small hotel PMS. Names and numbers in it are invented.
CREATE TABLE rooms (number TEXT PRIMARY KEY, active INTEGER NOT NULL DEFAULT 1);

CREATE TABLE guests (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	external_ref TEXT UNIQUE,                -- our_mark in nightporter.yaml
	title TEXT NOT NULL DEFAULT '',
	first_name TEXT NOT NULL DEFAULT '',
	last_name TEXT NOT NULL DEFAULT '',
	email TEXT,
	phone TEXT,
	country TEXT,
	language TEXT NOT NULL DEFAULT 'it',
	notes TEXT NOT NULL DEFAULT '',
	version INTEGER NOT NULL DEFAULT 1);

CREATE TABLE reservations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	external_ref TEXT UNIQUE,
	guest_id INTEGER NOT NULL REFERENCES guests(id),
	arrival TEXT NOT NULL,
	departure TEXT NOT NULL,
	status TEXT NOT NULL DEFAULT 'confirmed'
		CHECK (status IN ('option', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'no_show')),
	channel TEXT NOT NULL DEFAULT 'direct',
	notes TEXT NOT NULL DEFAULT '',
	version INTEGER NOT NULL DEFAULT 1,
	CHECK (departure > arrival));

-- The version goes up by itself, also when somebody edits a row by hand.
CREATE TRIGGER guests_touch AFTER UPDATE ON guests WHEN new.version = old.version
	BEGIN UPDATE guests SET version = old.version + 1 WHERE id = new.id; END;
CREATE TRIGGER reservations_touch AFTER UPDATE ON reservations WHEN new.version = old.version
	BEGIN UPDATE reservations SET version = old.version + 1 WHERE id = new.id; END;
