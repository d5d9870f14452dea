-- The orders of a shop, as its own system keeps them: one row an order.
--
-- Nightporter needs SELECT on all of it, and UPDATE on what comes back from the platform.

CREATE SCHEMA shop;

CREATE TABLE shop.orders (
    id                bigserial PRIMARY KEY,
    number            text NOT NULL UNIQUE,         -- the shop's own; the platform keeps it too
    customer          text,
    phone             text,
    lines             jsonb NOT NULL DEFAULT '[]',  -- [{"sku": "A", "name": "Wine", "qty": 2, "price": "12.50"}]
    total             numeric(12,2) NOT NULL,
    currency          text NOT NULL DEFAULT 'EUR',
    status            text NOT NULL DEFAULT 'confirmed',
    reason            text,                         -- why it was refused, or cancelled
    payment           text NOT NULL DEFAULT 'unpaid',
    paid_at           timestamptz,
    payment_reference text,
    entered_on        date NOT NULL DEFAULT current_date,
    updated_at        timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION shop.touch() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.updated_at := clock_timestamp(); RETURN NEW; END $$;

CREATE TRIGGER touch BEFORE UPDATE ON shop.orders FOR EACH ROW EXECUTE FUNCTION shop.touch();
