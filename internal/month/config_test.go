package month

// configText is the house's configuration, with the cadences of a real one. What is in
// braces is put in by the world.
const configText = `
time_zone: Asia/Hebron
state: {state}
settle: 15m
first_run: go
systems:
  platform:
    preset: platform
    base_url: https://api.example.com
    key: file:{key}
  pms:
    type: sqlite
    address: {pms}
    quiet: "02:00-03:15"
    tables:
      guests:
        table: guests
        key: id
        version: version
        version_bump: false
        our_mark: external_ref
        only: "title not in ('Company', 'Agency')"
        private: [notes]
      reservations:
        table: reservations
        key: id
        version: version
        version_bump: false
        our_mark: external_ref
backup: { to: {backups}, at: "04:30", keep: 14 }
jobs:
  guests:
    kind: contact
    between: { platform: contacts, pms: guests }
    match: [phone, email]
    create: { platform: always, pms: when_referenced }
    fields:
      given_name:  { platform: first_name,   pms: first_name, conflict: pms }
      family_name: { platform: last_name,    pms: last_name,  conflict: pms }
      phone:       { platform: phone_number, pms: phone,      conflict: hold, required: true, region: [IT] }
      email:       { platform: email,        pms: email,      conflict: platform }
      language:    { platform: language,     pms: {language}, to: platform }
    when:
      platform: webhook, or every {platform_guests}
      pms: every {pms_guests}
      full: "30 23 * * *"
  reservations:
    kind: stay
    between: { platform: reservations, pms: reservations }
    window: { from: -1d, to: +400d }
    match: [[guest, arrival, departure]]
    create: { platform: always, pms: always }
    on_create: { pms: { channel: voice } }
    fields:
      guest:
        job: guests
        pms: guest_id
        platform: { phone: client_phone_number, name: client_full_name }
        if_left_out: Occupied
      arrival:   { platform: starting_date, pms: arrival,   as: date, together: stay, conflict: pms }
      departure: { platform: ending_date,   pms: departure, as: date, together: stay, conflict: pms }
      status:    { platform: status,        pms: status,    conflict: rules }
      notes:     { platform: details,       pms: notes,     to: pms, conflict: fill_empty }
    status:
      pending:    { platform: PENDING,                       pms: option }
      confirmed:  { platform: [CONFIRMED, APPROVED],         pms: confirmed }
      cancelled:  { platform: [CANCELLED, PENDING_DELETION], pms: cancelled }
      rejected:   { platform: REJECTED,                      pms: cancelled }
      checked_in: { platform: CONFIRMED,                     pms: checked_in }
      completed:  { platform: COMPLETED,                     pms: checked_out }
      no_show:    { platform: CANCELLED,                     pms: no_show }
    platform_may: [pending, confirmed, cancelled]
    accept_if: |
      with recursive night(day) as (
        select date(:arrival) union all select date(day, '+1 day') from night where day < date(:departure, '-1 day'))
      select 'free' where not exists (
        select 1 from night
        where (select count(*) from reservations r
               where r.status in ('option', 'confirmed', 'checked_in') and r.arrival <= day and r.departure > day
                 and r.external_ref is not :our_mark)
           >= (select count(*) from rooms where active))
    answer_within: 5m
    when:
      platform: webhook, or every {platform}
      pms: every {pms}
      full: "45 0 * * *"
`

const pmsSchema = `
PRAGMA journal_mode = WAL;
CREATE TABLE guests (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, title TEXT NOT NULL DEFAULT '',
	first_name TEXT NOT NULL DEFAULT '', last_name TEXT NOT NULL DEFAULT '', email TEXT, phone TEXT,
	language TEXT NOT NULL DEFAULT 'en', notes TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER guests_touch AFTER UPDATE ON guests WHEN new.version = old.version
	BEGIN UPDATE guests SET version = old.version + 1 WHERE id = new.id; END;
CREATE TABLE rooms (id INTEGER PRIMARY KEY, active INTEGER NOT NULL DEFAULT 1);
CREATE TABLE reservations (
	id INTEGER PRIMARY KEY AUTOINCREMENT, external_ref TEXT UNIQUE, guest_id INTEGER NOT NULL REFERENCES guests(id),
	arrival TEXT NOT NULL, departure TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'confirmed'
		CHECK (status IN ('option','confirmed','checked_in','checked_out','cancelled','no_show')),
	channel TEXT NOT NULL DEFAULT 'direct', notes TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER reservations_touch AFTER UPDATE ON reservations WHEN new.version = old.version
	BEGIN UPDATE reservations SET version = old.version + 1 WHERE id = new.id; END;
`
