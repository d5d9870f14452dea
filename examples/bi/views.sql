-- Calls and bookings, by day, hour, outcome and duration, and what became of the bookings
-- that were made by phone. Run table.sql and bookings.sql first.
--
-- Every figure here is a count of rows that you can look at: voice.call_bookings has a line
-- for each booking that is ascribed to a call, and says by which rule it is.

-- What may be set: change the values and run this statement again.
CREATE OR REPLACE VIEW voice.rules AS
SELECT interval '30 minutes' AS after_call,   -- a booking made so long after a call with the same phone came of it
       'Europe/Rome'::text   AS zone;         -- whose days and hours the reports are in

-- The calls with the day and the hour on your clock. What the platform calls them it may
-- write in small or in large letters. A call is answered if a person or the assistant took
-- it, and also if it was then transferred.
CREATE VIEW voice.calls_local AS
SELECT c.call_id, c.phone, c.started_at, c.ended_at, c.seconds, c.is_outbound, c.summary,
       lower(coalesce(c.call_status, 'unknown'))                AS call_status,
       lower(coalesce(c.outcome, c.call_status, 'unknown'))     AS outcome,
       lower(coalesce(c.outcome, c.call_status, 'unknown')) IN ('answered', 'transferred') AS answered,
       coalesce(lower(c.outcome) IN ('answered', 'transferred'), lower(c.call_status) IN ('completed', 'answered', 'transferred', 'in progress', 'in_progress'), true)
                                                                AS perhaps_answered, -- it does not say that nobody did
       (c.started_at AT TIME ZONE r.zone)::date                 AS day,
       date_trunc('day', c.started_at, r.zone)                  AS midnight, -- when that day began
       extract(hour FROM c.started_at AT TIME ZONE r.zone)::int AS hour
FROM voice.calls AS c
CROSS JOIN voice.rules AS r;

-- Which call became which booking. A booking is ascribed to one call at most:
--   reference  the platform itself says so (calls.reservation_id). Of several calls, the last
--              that began before the booking stood in your PMS: one that comes later, to remind
--              or to change, takes it from nobody. If there is none, and none by phone, the
--              first of those after it;
--   phone      no call of before says so, but the booking has the phone of the call and was made
--              during it or within rules.after_call of its end; of several calls, the last one.
--              One that nobody answered books nothing.
CREATE VIEW voice.call_bookings AS
SELECT DISTINCT ON (b.booking_id)
       b.booking_id, c.call_id, m.rule, c.day, c.midnight, c.hour, c.outcome, c.started_at, c.seconds,
       b.booked_at, b.arrival, b.departure, b.departure - b.arrival AS nights, b.fate, b.value, b.currency
FROM voice.bookings AS b
CROSS JOIN voice.rules AS r
JOIN voice.calls AS raw
  ON raw.reservation_id = b.platform_id
  OR raw.phone = b.phone
     AND b.booked_at >= raw.started_at
     AND b.booked_at <= coalesce(raw.ended_at, raw.started_at) + r.after_call
JOIN voice.calls_local AS c ON c.call_id = raw.call_id AND (raw.reservation_id = b.platform_id OR c.perhaps_answered)
CROSS JOIN LATERAL (
    SELECT CASE WHEN raw.reservation_id = b.platform_id THEN 'reference' ELSE 'phone' END AS rule
) AS m
ORDER BY b.booking_id,
         (m.rule = 'reference' AND c.started_at <= b.booked_at) DESC NULLS LAST,
         (m.rule = 'phone') DESC, -- a reference that came later says less
         CASE WHEN c.started_at <= b.booked_at THEN c.started_at END DESC NULLS LAST,
         c.started_at NULLS LAST, c.call_id;

CREATE VIEW voice.calls_by_day AS
SELECT c.day, c.midnight,
       count(*)                                               AS calls,
       count(*) FILTER (WHERE c.answered)                     AS answered,
       count(*) FILTER (WHERE c.is_outbound)                  AS outbound,
       round(coalesce(sum(c.seconds), 0) / 60.0, 1)           AS minutes,
       round(avg(c.seconds))::int                             AS average_seconds,
       count(*) FILTER (WHERE EXISTS (SELECT FROM voice.call_bookings AS b WHERE b.call_id = c.call_id)) AS calls_that_booked
FROM voice.calls_local AS c
GROUP BY c.day, c.midnight;

CREATE VIEW voice.calls_by_outcome AS
SELECT day, midnight, outcome, count(*) AS calls, round(avg(seconds))::int AS average_seconds
FROM voice.calls_local
GROUP BY day, midnight, outcome;

CREATE VIEW voice.calls_by_hour AS
SELECT day, midnight, hour, count(*) AS calls, count(*) FILTER (WHERE answered) AS answered
FROM voice.calls_local
GROUP BY day, midnight, hour;

-- Every call is in one of them: one that says no length is in the last.
CREATE VIEW voice.calls_by_duration AS
SELECT day, midnight, bucket, from_seconds, count(*) AS calls
FROM voice.calls_local
JOIN (VALUES (0, 30, 'under 30 s'), (30, 60, '30 s to 1 min'), (60, 180, '1 to 3 min'), (180, 600, '3 to 10 min'), (600, NULL, 'over 10 min'),
             (NULL, NULL, 'not known'))
     AS b (from_seconds, to_seconds, bucket)
  ON CASE WHEN seconds >= 0 THEN seconds >= from_seconds AND (to_seconds IS NULL OR seconds < to_seconds)
          ELSE from_seconds IS NULL END
GROUP BY day, midnight, bucket, from_seconds;

-- Bookings by the day on which they were made, those that a call became among them. What
-- they are worth stands beside its currency: amounts of two are never added up.
CREATE VIEW voice.bookings_by_day AS
SELECT (b.booked_at AT TIME ZONE r.zone)::date                   AS day,
       date_trunc('day', b.booked_at, r.zone)                    AS midnight,
       b.currency,
       count(*)                                                  AS bookings,
       count(cb.booking_id)                                      AS by_phone,
       count(*) FILTER (WHERE cb.rule = 'reference')             AS by_reference,
       coalesce(sum(b.value), 0)                                 AS value,
       coalesce(sum(cb.value), 0)                                AS value_by_phone,
       coalesce(sum(cb.value) FILTER (WHERE cb.fate = 'stayed'), 0) AS stayed_by_phone,
       count(*) FILTER (WHERE cb.fate IN ('cancelled', 'no_show')) AS lost_by_phone
FROM voice.bookings AS b
CROSS JOIN voice.rules AS r
LEFT JOIN voice.call_bookings AS cb ON cb.booking_id = b.booking_id
GROUP BY 1, 2, 3;

-- What became of the bookings that calls became.
CREATE VIEW voice.fates AS
SELECT day, midnight, rule, fate, currency, count(*) AS bookings, sum(nights) AS nights, sum(value) AS value
FROM voice.call_bookings
GROUP BY day, midnight, rule, fate, currency;
