-- A hotel's own system as far as nightporter.yaml, beside this file, names it: guests and
-- reservations, a shop with its orders, the prices of the bar, calls that are wanted, and
-- calls that were made. PostgreSQL; run it once, as the owner of the database.

CREATE SCHEMA pms;
CREATE SCHEMA shop;
CREATE SCHEMA voice;

-- Each change counts the row's version up, and says when it was.
CREATE FUNCTION pms.touch() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.version := OLD.version + 1; NEW.updated_at := now(); RETURN NEW; END $$;

CREATE TABLE pms.guests (
    id           bigserial PRIMARY KEY,
    external_ref text UNIQUE,                   -- ours: which contact we made it of
    title        text NOT NULL DEFAULT '',
    first_name   text NOT NULL DEFAULT '',
    last_name    text NOT NULL DEFAULT '',
    phone        text,
    email        text,
    country      text,
    language     text,
    notes        text NOT NULL DEFAULT '',
    version      integer NOT NULL DEFAULT 1,
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON pms.guests FOR EACH ROW EXECUTE FUNCTION pms.touch();

CREATE TABLE pms.rooms (number integer PRIMARY KEY, active boolean NOT NULL DEFAULT true);

CREATE TABLE pms.reservations (
    id           bigserial PRIMARY KEY,
    external_ref text UNIQUE,
    guest_id     bigint NOT NULL REFERENCES pms.guests (id),
    arrival      date NOT NULL,
    departure    date NOT NULL CHECK (departure > arrival),
    status       text NOT NULL DEFAULT 'confirmed'
                 CHECK (status IN ('option', 'confirmed', 'checked_in', 'checked_out', 'cancelled', 'no_show')),
    channel      text NOT NULL DEFAULT 'direct',
    notes        text NOT NULL DEFAULT '',
    total        numeric(12,2),
    currency     text NOT NULL DEFAULT 'EUR',
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON pms.reservations FOR EACH ROW EXECUTE FUNCTION pms.touch();

CREATE TABLE pms.prices (
    category text NOT NULL,
    item     text NOT NULL PRIMARY KEY,
    price    numeric(8,2) NOT NULL
);

-- A row here is a call that is wanted; what came of it is written back into the row.
CREATE TABLE pms.call_requests (
    id        bigserial PRIMARY KEY,            -- never given to another row
    number    text NOT NULL,
    text      text NOT NULL DEFAULT '',         -- what the assistant is to say
    call_id   text,
    outcome   text,
    called_at timestamptz,
    seconds   integer,
    summary   text
);

CREATE TABLE shop.orders (
    id                bigserial PRIMARY KEY,
    number            text NOT NULL UNIQUE,     -- the shop's own; the platform keeps it too
    customer          text,
    phone             text,
    lines             jsonb NOT NULL DEFAULT '[]', -- [{"sku": "A", "name": "Wine", "qty": 2, "price": "12.50"}]
    total             numeric(12,2) NOT NULL,
    currency          text NOT NULL DEFAULT 'EUR',
    status            text NOT NULL DEFAULT 'confirmed',
    reason            text,                     -- why it was refused, or cancelled
    payment           text NOT NULL DEFAULT 'unpaid',
    paid_at           timestamptz,
    payment_reference text,
    version           integer NOT NULL DEFAULT 1,
    updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON shop.orders FOR EACH ROW EXECUTE FUNCTION pms.touch();

-- The platform's calls come home to this table, one row a call: docs/calls.md
CREATE TABLE voice.calls (
    call_id        text PRIMARY KEY,
    phone          text,
    call_type      text,
    call_status    text,
    outcome        text,
    is_outbound    boolean,
    contact_id     text,
    reservation_id text,
    started_at     timestamptz,
    ended_at       timestamptz,
    seconds        integer,
    summary        text,
    transcript     text,
    entered_at     timestamptz NOT NULL DEFAULT now()
);

-- What nightporter may do, and no more than that. CREATE ROLE nightporter LOGIN first.
GRANT USAGE ON SCHEMA pms, shop, voice TO nightporter;
GRANT SELECT, INSERT, UPDATE ON pms.guests, pms.reservations TO nightporter;
GRANT SELECT ON pms.rooms, pms.prices TO nightporter;
GRANT SELECT ON pms.call_requests, shop.orders TO nightporter;
GRANT UPDATE (call_id, outcome, called_at, seconds, summary) ON pms.call_requests TO nightporter;
GRANT UPDATE (status, reason, payment, paid_at, payment_reference) ON shop.orders TO nightporter;
GRANT SELECT, INSERT, UPDATE ON voice.calls TO nightporter;
GRANT USAGE ON SEQUENCE pms.guests_id_seq, pms.reservations_id_seq TO nightporter;
