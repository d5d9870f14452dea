-- Where the calls of the platform come home to: one row a call.
--
-- Nightporter needs SELECT and INSERT here, and nothing else: then a call is entered once,
-- when its transcript and summary are there. With UPDATE as well it is entered at once,
-- and they are added when they come.

CREATE SCHEMA IF NOT EXISTS voice;

CREATE TABLE voice.calls (
    call_id        text PRIMARY KEY,             -- the platform's
    phone          text,                         -- of the other side, like +390550000001
    call_type      text,
    call_status    text,                         -- completed, failed, …
    outcome        text,                         -- answered, voicemail, transferred, …
    is_outbound    boolean,
    contact_id     text,                         -- the platform's, of who called
    reservation_id text,                         -- the platform's, where it says what came of the call
    started_at     timestamptz,
    ended_at       timestamptz,
    seconds        integer,
    summary        text,
    transcript     text,
    entered_at     timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX calls_started_at ON voice.calls (started_at);
CREATE INDEX calls_phone ON voice.calls (phone, started_at);
