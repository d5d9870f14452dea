-- What the reports know of bookings: the one file here that is to be fitted to your own
-- tables. It reads pms.reservations and pms.guests; put your names in their place, and keep
-- the names and types of what comes out.

-- A phone number as Nightporter writes it: +390550000001. country is yours, for numbers
-- that name none; zero says whether a leading zero belongs to the number (it does in Italy).
-- An extension is left out, and so is the (0) after a country code, except after the codes
-- below, where that zero belongs to the number.
CREATE FUNCTION voice.e164(phone text, country text, zero boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN digits = '' THEN NULL
        WHEN bare ~ '^\s*\+' THEN '+' || digits
        WHEN digits LIKE '00%' THEN '+' || substr(digits, 3)
        WHEN digits LIKE '0%' AND NOT zero THEN '+' || country || substr(digits, 2)
        ELSE '+' || country || digits
    END
    FROM (SELECT regexp_replace(coalesce(phone, ''),
              '(\d)[\s.,;:)-]*(ext|extn|extension|int|interno|x|#)[\s.:=]*\d{1,7}\s*$', '\1', 'i') AS whole) AS w,
    LATERAL (SELECT regexp_replace(whole,
              '^(\s*(\+|00)(?!\s*(39|378|225|229|241|242))\s*\d{1,3}[\s.-]*)\(\s*0\s*\)', '\1') AS bare) AS n,
    LATERAL (SELECT regexp_replace(bare, '\D', '', 'g') AS digits) AS d
$$;

CREATE VIEW voice.bookings AS
SELECT r.id::text                      AS booking_id,
       NULL::text                      AS platform_id,   -- a column that holds the platform's id of it, if you have one
       voice.e164(g.phone, '39', true) AS phone,
       r.created_at                    AS booked_at,     -- timestamptz
       r.arrival,
       r.departure,
       CASE r.status                                     -- open, stayed, cancelled or no_show
           WHEN 'checked_in' THEN 'stayed'
           WHEN 'checked_out' THEN 'stayed'
           WHEN 'cancelled' THEN 'cancelled'
           WHEN 'no_show' THEN 'no_show'
           ELSE 'open'
       END                             AS fate,
       r.total                         AS value,
       r.currency::text                AS currency
FROM pms.reservations AS r
JOIN pms.guests AS g ON g.id = r.guest_id;
