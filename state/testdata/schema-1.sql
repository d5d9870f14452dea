PRAGMA application_id = 1313894258;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO schema_version VALUES(1,0,1,'2026-11-30 08:00:00');
INSERT INTO schema_version VALUES(2,1,1,'2026-11-30 08:00:00');
CREATE TABLE setting (
    binding TEXT NOT NULL DEFAULT '',
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (binding, name)
) STRICT, WITHOUT ROWID;
INSERT INTO setting VALUES('','checked','1796026139135');
INSERT INTO setting VALUES('','install','abcdefgh');
INSERT INTO setting VALUES('guests','failing','{"run":1,"since":"2026-11-20T12:00:00Z","last":"2026-11-20T12:01:00Z","runs":2,"read":[true,false]}');
CREATE TABLE holder (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    term    INTEGER NOT NULL,
    pid     INTEGER NOT NULL,
    host    TEXT NOT NULL,
    command TEXT NOT NULL,
    since   INTEGER NOT NULL,
    beat    INTEGER NOT NULL                 -- the last sign of life
) STRICT;
INSERT INTO holder VALUES(1,3,4711,'pms-server','nightporter serve',1795176000000,1795176060000);
CREATE TABLE config (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    who    TEXT NOT NULL,                    -- the user and the command
    file   TEXT NOT NULL,
    digest TEXT NOT NULL,
    text   TEXT NOT NULL                     -- secrets stand in it as the names of their files
) STRICT;
INSERT INTO config VALUES(1,1795176000000,'ada: nightporter serve','/etc/nightporter/nightporter.yaml','c0ffee','time_zone: Europe/Rome');
CREATE TABLE pause (
    scope TEXT NOT NULL,                     -- all, job or system
    name  TEXT NOT NULL,                     -- '' for all
    until INTEGER,                           -- NULL: until somebody resumes
    why   TEXT NOT NULL,
    who   TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
INSERT INTO pause VALUES('system','pms',1795176600000,'night audit','ada',1795176000000);
CREATE TABLE adopt_only (
    binding TEXT NOT NULL PRIMARY KEY,
    since   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO adopt_only VALUES('',1795176000000);
INSERT INTO adopt_only VALUES('stays',1795176000000);
CREATE TABLE breaker (
    system TEXT NOT NULL PRIMARY KEY,
    fails  INTEGER NOT NULL,
    cause  TEXT NOT NULL,
    opened INTEGER,                          -- NULL: closed
    next   INTEGER                           -- when one request may try
) STRICT, WITHOUT ROWID;
INSERT INTO breaker VALUES('http://127.0.0.1:8080',4,'it answers 503',1795176000000,1795176060000);
CREATE TABLE binding (
    binding      TEXT NOT NULL PRIMARY KEY,
    left_system  TEXT NOT NULL,
    right_system TEXT NOT NULL,
    left_kind    TEXT NOT NULL,
    right_kind   TEXT NOT NULL,
    left_since   TEXT NOT NULL DEFAULT '',   -- where the next incremental scan starts
    right_since  TEXT NOT NULL DEFAULT '',
    epoch        INTEGER NOT NULL DEFAULT 0  -- of the lease: who holds an older one can't commit
) STRICT, WITHOUT ROWID;
INSERT INTO binding VALUES('guests','pms','platform','guests','contacts','since-1','',1);
CREATE TABLE run (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    started INTEGER NOT NULL,
    ended   INTEGER,
    dry     INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    error   TEXT NOT NULL DEFAULT '',
    counts  TEXT NOT NULL DEFAULT '{}',
    config  INTEGER NOT NULL DEFAULT 0,
    undoes  INTEGER NOT NULL DEFAULT 0       -- the run whose changes this one takes back
) STRICT;
INSERT INTO run VALUES(1,'guests',1795176000000,NULL,0,'running','','{}',1,0);
CREATE TABLE alert (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    run     INTEGER NOT NULL,
    entry   INTEGER NOT NULL DEFAULT 0,
    kind    TEXT NOT NULL,
    text    TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
INSERT INTO alert VALUES(1,'guests',1,0,'booking_refused','stay 7',1795176000000);
CREATE TABLE line (
    binding TEXT NOT NULL,
    what    INTEGER NOT NULL,
    since   INTEGER NOT NULL,                -- slots count after it
    PRIMARY KEY (binding, what)
) STRICT, WITHOUT ROWID;
INSERT INTO line VALUES('guests',1,1795170000000);
CREATE TABLE slot (
    num     INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they were settled
    binding TEXT NOT NULL,
    what    INTEGER NOT NULL,
    civil   TEXT NOT NULL,                   -- the wall clock of the job's zone
    fold    INTEGER NOT NULL,                -- 1 in the second pass of a repeated hour
    at      INTEGER NOT NULL
) STRICT;
INSERT INTO slot VALUES(1,'guests',1,'2026-10-25T02:30',1,1795176000000);
CREATE TABLE failing (
    binding     TEXT NOT NULL PRIMARY KEY,
    fails       INTEGER NOT NULL,            -- in a row
    at          INTEGER NOT NULL,            -- of the last
    cause       TEXT NOT NULL DEFAULT '',
    since       INTEGER,
    quarantined INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO failing VALUES('guests',2,1795176000000,'it answers 503',1795175000000,NULL);
CREATE TABLE call (
    binding  TEXT NOT NULL,
    what     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    answered INTEGER NOT NULL DEFAULT 0,
    at       INTEGER NOT NULL,
    PRIMARY KEY (binding, what)
) STRICT, WITHOUT ROWID;
INSERT INTO call VALUES('guests',4,3,2,1795176000000);
CREATE TABLE request (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,                   -- '' is every job
    options TEXT NOT NULL,
    asked   INTEGER NOT NULL,
    asker   TEXT NOT NULL,
    term    INTEGER,                         -- of the holder that took it up
    taken   INTEGER,
    run     INTEGER NOT NULL DEFAULT 0,      -- the last run begun for it
    ended   INTEGER,
    outcome TEXT NOT NULL DEFAULT '',
    error   TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO request VALUES(1,'guests','{"full":true}',1795176000000,'ada',3,1795176001000,1,1795176002000,'done','');
INSERT INTO request VALUES(2,'','{}',1795176003000,'bo',NULL,NULL,0,NULL,'','');
CREATE TABLE hint (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    side    INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL,                   -- '' is the whole kind
    event   TEXT NOT NULL,                   -- the delivery's own name; '' has none
    sent    INTEGER,
    at      INTEGER NOT NULL,
    done    INTEGER
) STRICT;
INSERT INTO hint VALUES(1,'guests',0,'guests','1','e1',1795176000000,1795176001000,1795176002000);
INSERT INTO hint VALUES(2,'guests',1,'contacts','11','e2',NULL,1795176003000,NULL);
CREATE TABLE link (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL,                   -- what both records stand for, in every binding
    state   TEXT NOT NULL DEFAULT '',
    made    INTEGER NOT NULL,
    doubted INTEGER NOT NULL DEFAULT 0       -- the state was put back, and its records were not compared since
) STRICT;
INSERT INTO link VALUES(1,'guests','entity-1','',1795176000000,1);
INSERT INTO link VALUES(2,'guests','entity-3','conflict',1795176000000,1);
CREATE TABLE entry (
    num          INTEGER PRIMARY KEY,        -- dense: presence is a bitmap over it, and no entry is ever deleted
    binding      TEXT NOT NULL REFERENCES binding (binding),
    side         INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    id           TEXT NOT NULL,
    link         INTEGER REFERENCES link (id),
    base         TEXT,
    base_version TEXT NOT NULL DEFAULT '',
    seen         TEXT,                       -- NULL: the last observation said what base says
    listed       BLOB,                       -- NULL never matches
    mapping      TEXT NOT NULL DEFAULT '',
    pre          TEXT,
    acked        INTEGER,
    settle_until INTEGER,
    provisional  TEXT,                       -- the paths whose base is what was sent, not what was shown
    state        TEXT NOT NULL DEFAULT '',
    why          TEXT NOT NULL DEFAULT '',   -- a sentence, for people
    cause        TEXT NOT NULL DEFAULT '',   -- the same as a name: rules ask for it
    recheck      INTEGER,
    since        INTEGER NOT NULL,
    keys         TEXT,
    dirty        INTEGER NOT NULL DEFAULT 0,
    witness      TEXT NOT NULL DEFAULT '',   -- what a record can't lose while it is the same; '' is not known
    unfinished   TEXT,                       -- what it lacks that is still to come, since when and for how long it is waited for
    vouching     TEXT                        -- what the last version does not vouch for: paths that a list does not show
) STRICT;
INSERT INTO entry VALUES(1,'guests',0,'guests','1',1,'{"name":{"v":"Ada"},"note":{"v":null}}','3',NULL,NULL,'m1',NULL,NULL,NULL,NULL,'','','',NULL,1795176000000,'[{"name":"phone","text":"+3900001"}]',0,'',NULL,'{"u":["mail"],"k":{"v":"3"}}');
INSERT INTO entry VALUES(2,'guests',0,'guests','2',NULL,NULL,'','{"f":{"name":"Bo","note":null},"v":"3","a":1795176000000,"w":"list"}',NULL,'m1',NULL,NULL,NULL,NULL,'','','',NULL,1795176000000,'[{"name":"phone","text":"+3900002"}]',0,'',NULL,NULL);
INSERT INTO entry VALUES(3,'guests',0,'guests','3',2,NULL,'','{"f":{"name":"Cy","note":null},"v":"3","a":1795176000000,"w":"list"}',NULL,'m1',NULL,NULL,NULL,NULL,'','','',NULL,1795176000000,'[{"name":"phone","text":"+3900003"}]',1,'',NULL,'{"u":["*"]}');
INSERT INTO entry VALUES(4,'guests',0,'guests','4',NULL,NULL,'','{"f":{"name":"Di","note":null},"v":"3","a":1795176000000,"w":"list"}',NULL,'m1',NULL,NULL,NULL,NULL,'waiting','waits for its guest','',NULL,1795176000000,'[{"name":"phone","text":"+3900004"}]',0,'',NULL,NULL);
INSERT INTO entry VALUES(5,'guests',1,'contacts','11',1,'{"name":{"v":"Ada B"},"note":{"v":null}}','4',NULL,NULL,'m1','{"name":"Ada"}',1795176001000,1795176060000,'["name"]','','','',NULL,1795176000000,'[{"name":"phone","text":"+39000011"}]',0,'2026-01-02T03:04:05Z',NULL,'{"u":["*"]}');
INSERT INTO entry VALUES(6,'guests',1,'contacts','13',2,NULL,'','{"f":{"name":"Cyrus","note":null},"v":"3","a":1795176000000,"w":"list"}',NULL,'m1',NULL,NULL,NULL,NULL,'','','',NULL,1795176000000,'[{"name":"phone","text":"+39000013"}]',1,'',NULL,'{"u":["*"]}');
INSERT INTO entry VALUES(7,'guests',1,'contacts','14',NULL,'{"name":{"v":"Ed"}}','2',NULL,NULL,'m1',NULL,NULL,NULL,NULL,'gone','it was not found by its id','',NULL,1795176000000,'[]',0,'2026-01-01T00:00:00Z',NULL,NULL);
CREATE TABLE entry_key (
    binding TEXT NOT NULL,
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    text    TEXT NOT NULL,
    entry   INTEGER NOT NULL REFERENCES entry (num),
    PRIMARY KEY (binding, side, name, text, entry)
) STRICT, WITHOUT ROWID;
INSERT INTO entry_key VALUES('guests',0,'phone','+3900001',1);
INSERT INTO entry_key VALUES('guests',0,'phone','+3900002',2);
INSERT INTO entry_key VALUES('guests',0,'phone','+3900003',3);
INSERT INTO entry_key VALUES('guests',0,'phone','+3900004',4);
INSERT INTO entry_key VALUES('guests',1,'phone','+39000011',5);
INSERT INTO entry_key VALUES('guests',1,'phone','+39000013',6);
CREATE TABLE changed_by (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    name    TEXT NOT NULL,
    at      INTEGER NOT NULL                 -- when it was seen
) STRICT;
INSERT INTO changed_by VALUES(1,'guests','Maria Bianchi',1795176000000);
CREATE TABLE quarantine (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,                   -- id:… or, for an item without one, digest:…
    entry   INTEGER REFERENCES entry (num),
    problem TEXT NOT NULL,
    since   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (binding, side, name)
) STRICT, WITHOUT ROWID;
INSERT INTO quarantine VALUES('guests',0,'digest:21701caface176800e52c25294692a94',NULL,'no id',1795176000000,1795176000000);
CREATE TABLE tombstone (
    entry    INTEGER PRIMARY KEY REFERENCES entry (num),
    binding  TEXT NOT NULL REFERENCES binding (binding),
    side     INTEGER NOT NULL,
    link     INTEGER NOT NULL DEFAULT 0,
    entity   TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL,                  -- read: not found by its id; merged; told: the system's own word; ours: we deleted it
    why      TEXT NOT NULL,
    moved    TEXT NOT NULL DEFAULT '',       -- the id that it was merged into
    done     TEXT NOT NULL DEFAULT '',       -- what came of the other side: deleted, archived, unlinked, ignored, held
    run      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    expires  INTEGER NOT NULL
) STRICT;
INSERT INTO tombstone VALUES(7,'guests',1,0,'entity-4','read','it was not found by its id','','unlinked',1,1795176000000,1829736000000);
CREATE TABLE stood (
    entry   INTEGER PRIMARY KEY REFERENCES entry (num),
    binding TEXT NOT NULL REFERENCES binding (binding),
    entity  TEXT NOT NULL
) STRICT;
INSERT INTO stood VALUES(2,'guests','entity-2');
CREATE TABLE room_check (
    link    INTEGER PRIMARY KEY REFERENCES link (id),
    entry   INTEGER NOT NULL REFERENCES entry (num), -- the record that was entered: the link may have another one by now
    asked   INTEGER NOT NULL,                -- when its room was first asked for
    shown   TEXT NOT NULL,                   -- a digest of the status, the days and the guest that a read showed first
    fate    TEXT NOT NULL                    -- what becomes of the booking: record.RoomFate; '' is open
) STRICT;
CREATE TABLE wait (
    binding    TEXT NOT NULL REFERENCES binding (binding),
    entry      INTEGER NOT NULL REFERENCES entry (num),
    on_binding TEXT NOT NULL,
    on_side    INTEGER NOT NULL,
    on_kind    TEXT NOT NULL,
    on_id      TEXT NOT NULL,
    since      INTEGER NOT NULL,
    PRIMARY KEY (entry, on_binding, on_side, on_kind, on_id)
) STRICT, WITHOUT ROWID;
INSERT INTO wait VALUES('guests',4,'guests',0,'guests','2',1795176000000);
CREATE TABLE meant (
    entry INTEGER NOT NULL REFERENCES entry (num),
    field TEXT NOT NULL,
    shown TEXT NOT NULL,                     -- a digest of what it showed
    who   INTEGER NOT NULL REFERENCES entry (num),
    born  INTEGER NOT NULL,                  -- when its system made that one, 0 where it does not say
    name  TEXT NOT NULL,                     -- a digest of its name
    gone  INTEGER NOT NULL DEFAULT 0,        -- whoever that was is gone: under the id there may be another one
    PRIMARY KEY (entry, field)
) STRICT, WITHOUT ROWID;
CREATE TABLE scan (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    binding   TEXT NOT NULL REFERENCES binding (binding),
    side      INTEGER NOT NULL,
    full      INTEGER NOT NULL,
    since     TEXT NOT NULL,
    scope     TEXT NOT NULL,
    mapping   TEXT NOT NULL,
    started   INTEGER NOT NULL,
    ended     INTEGER,
    abandoned INTEGER NOT NULL DEFAULT 0,
    complete  INTEGER NOT NULL DEFAULT 0,
    cursor    TEXT NOT NULL DEFAULT '',
    pages     INTEGER NOT NULL DEFAULT 0,
    row_count INTEGER NOT NULL DEFAULT 0,
    total     INTEGER NOT NULL DEFAULT -1,
    doubles   INTEGER NOT NULL DEFAULT 0,
    flaws     TEXT NOT NULL DEFAULT '[]'
) STRICT;
INSERT INTO scan VALUES(1,'guests',0,1,'','','m1',1795176000000,1795176000000,0,1,'2',1,5,5,0,'[]');
INSERT INTO scan VALUES(2,'guests',1,1,'','','m1',1795176000000,NULL,0,0,'2',1,5,5,0,'[]');
CREATE TABLE presence (
    binding TEXT NOT NULL REFERENCES binding (binding),
    scan    INTEGER NOT NULL REFERENCES scan (id),
    chunk   INTEGER NOT NULL,                -- entries chunk*4096 to chunk*4096+4095
    bits    BLOB NOT NULL,
    PRIMARY KEY (scan, chunk)
) STRICT, WITHOUT ROWID;
INSERT INTO presence VALUES('guests',2,0,X'6000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE witnessed (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    name    TEXT NOT NULL,                   -- account, changed, version, rows, …
    value   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (binding, side, name)
) STRICT, WITHOUT ROWID;
INSERT INTO witnessed VALUES('guests',1,'account','hotel-1',1795176000000);
CREATE TABLE copied (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    entry   INTEGER NOT NULL REFERENCES entry (num),
    shown   TEXT NOT NULL,
    PRIMARY KEY (binding, side, entry)
) STRICT, WITHOUT ROWID;
CREATE TABLE lag (
    binding TEXT NOT NULL REFERENCES binding (binding),
    side    INTEGER NOT NULL,
    intent  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    ms      INTEGER NOT NULL,                -- until a list showed it
    PRIMARY KEY (binding, side, intent)
) STRICT, WITHOUT ROWID;
INSERT INTO lag VALUES('guests',1,'01TEST00000000000000000001',1795176000000,1500);
CREATE TABLE intent (
    id       TEXT NOT NULL PRIMARY KEY,
    binding  TEXT NOT NULL REFERENCES binding (binding),
    run      INTEGER NOT NULL,
    side     INTEGER NOT NULL,
    link     INTEGER REFERENCES link (id),
    source   INTEGER REFERENCES entry (num), -- for a create: the entry it was made from
    entity   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    ref      TEXT NOT NULL,                  -- the record written; for a create known from the receipt on
    change   TEXT NOT NULL,
    risk     TEXT NOT NULL DEFAULT '',       -- what a guard counts it as: create, update, clear, cancel or delete; '' is not counted
    reason   TEXT NOT NULL,
    fields   TEXT NOT NULL,
    bases    TEXT NOT NULL,
    state    TEXT NOT NULL,
    tries    INTEGER NOT NULL DEFAULT 0,
    made     INTEGER NOT NULL,
    sent_at  INTEGER,
    ended_at INTEGER,
    error    TEXT NOT NULL DEFAULT '',
    class    TEXT NOT NULL DEFAULT '',
    refused  TEXT NOT NULL DEFAULT '',       -- why what a person said became of it can't be so
    receipt  TEXT
) STRICT;
INSERT INTO intent VALUES('01TEST00000000000000000001','guests',1,1,1,NULL,'','contacts','11','{"op":"update","ref":{"kind":"contacts","id":"11"},"fields":{"name":"Ada B"},"before":{"name":"Ada"}}','update','changed on the left','null','[null,null]','settled',1,1795176000000,1795176000000,1795176001000,'','','','{"ref":{"kind":"contacts","id":"11"},"version":"4","fields":{"name":"Ada B"},"provisional":true,"at":1795176001000,"settle_until":1795176060000}');
INSERT INTO intent VALUES('01TEST00000000000000000002','guests',1,1,NULL,2,'entity-2','contacts','','{"op":"create","ref":{"kind":"contacts","id":""},"fields":{"name":"Bo"},"stamp":"np:abcdefgh:entity-2"}','create','new on the left','null','[{"name":"Bo"},null]','sent',1,1795176000000,1795176000000,NULL,'','','',NULL);
CREATE TABLE trial (
    binding   TEXT NOT NULL REFERENCES binding (binding),
    side      INTEGER NOT NULL,
    op        TEXT NOT NULL,                 -- create, update or action
    described TEXT NOT NULL,                 -- a digest of the description
    kind      TEXT NOT NULL,
    ref       TEXT NOT NULL,
    sent      TEXT NOT NULL,                 -- native paths
    original  TEXT,                          -- sealed where values are kept as digests
    state     TEXT NOT NULL,                 -- open, harmed, back, passed, stopped or aside; one that is not aside for each operation
    found     TEXT NOT NULL,                 -- native paths that were changed unasked
    left_so   TEXT NOT NULL,                 -- of them, what was not put back
    at        INTEGER NOT NULL,
    ended     INTEGER,
    proved    TEXT NOT NULL DEFAULT '[]',    -- objects that were seen to be kept, the record itself as ""
    listed    TEXT NOT NULL DEFAULT '[]',    -- native paths that lists alone showed: what became of them no read by id can tell
    looks     INTEGER NOT NULL DEFAULT 0,    -- runs that could not see it
    PRIMARY KEY (binding, side, op, kind, ref)
) STRICT, WITHOUT ROWID;
INSERT INTO trial VALUES('guests',1,'update','d1','contacts','8','["note"]','{"name":"Ada"}','aside','[]','[]',1795176000000,NULL,'["custom"]','["vip"]',3);
INSERT INTO trial VALUES('guests',1,'update','d1','contacts','9','["note"]','{"name":"Ada"}','harmed','["name"]','[]',1795176000000,NULL,'["custom"]','["vip"]',0);
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
INSERT INTO kept_back VALUES('guests',1,2,0,'update','["note"]','send_hours','nothing is sent at this hour: it goes at 2026-11-21 09:00',1795176000000,1795251600000);
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
INSERT INTO finding VALUES('guests',1,'refused',1,0,'update','name','HTTP 422: too long','guests','g1',1795176000000,1795176000000);
CREATE TABLE question (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    binding     TEXT NOT NULL REFERENCES binding (binding),
    side        INTEGER NOT NULL DEFAULT 0,  -- where it is about a side, or a set that would be written there
    link        INTEGER NOT NULL DEFAULT 0,
    entry       INTEGER NOT NULL DEFAULT 0,
    field       TEXT NOT NULL,               -- of a side its cause: one question of each is open; of a set the risk of its changes
    held        TEXT NOT NULL DEFAULT '',    -- of a set: the digest of what is in it
    change      TEXT NOT NULL DEFAULT '',    -- the intent of which nobody knows what became
    cause       TEXT NOT NULL,
    choices     TEXT NOT NULL DEFAULT '',
    left_value  TEXT NOT NULL DEFAULT '',    -- '' is not shown
    right_value TEXT NOT NULL DEFAULT '',
    base_value  TEXT NOT NULL DEFAULT '',
    why         TEXT NOT NULL,
    next        TEXT NOT NULL DEFAULT '',
    rests       TEXT NOT NULL DEFAULT '',    -- what it rests on: an answer counts for that, and for nothing else
    opened      INTEGER NOT NULL,
    run         INTEGER NOT NULL,
    expires     INTEGER,                     -- of a set: then it is asked anew
    choice      TEXT NOT NULL DEFAULT '',
    value       TEXT NOT NULL DEFAULT '',
    who         TEXT NOT NULL DEFAULT '',
    chosen      INTEGER,
    closed      INTEGER
) STRICT;
INSERT INTO question VALUES(1,'guests',0,2,0,'name','','','hold','','"Cy"','"Cyrus"','','both changed','','{"on":["a1b2"]}',1795176000000,1,NULL,'left','','',1795176000000,NULL);
INSERT INTO question VALUES(2,'guests',1,0,0,'shrink','','','shrink','','','','','40 of 100 records are gone from a list of platform','nightporter resume guests','{"on":["60"]}',1795176000000,1,NULL,'accept','','ada',NULL,NULL);
INSERT INTO question VALUES(3,'guests',1,0,0,'update','3f9c01d2a4b7','','updates','','','','','12 records would be changed in platform: guards.updates lets 10 go in a run','','',1795176000000,1,1795780800000,'approved','','ada',1795176001000,NULL);
CREATE TABLE member (
    question INTEGER NOT NULL REFERENCES question (id) ON DELETE CASCADE,
    action   TEXT NOT NULL,                  -- the digest of the change
    link     INTEGER NOT NULL DEFAULT 0,
    entry    INTEGER NOT NULL DEFAULT 0,
    kind     TEXT NOT NULL,
    id       TEXT NOT NULL,                  -- of the record that would be written; for a create its source
    text     TEXT NOT NULL,                  -- the reason, in a sentence
    after    TEXT NOT NULL DEFAULT '{}',
    parts    TEXT NOT NULL DEFAULT '[]',     -- the digests of what of it can be sent by itself: they tell no values
    state    TEXT NOT NULL DEFAULT '',       -- done, put back, or dropped because it does not hold any more
    PRIMARY KEY (question, action)
) STRICT, WITHOUT ROWID;
INSERT INTO member VALUES(3,'a1',1,0,'contacts','11','changed on the left','{"name":"Ada B"}','[]','done');
INSERT INTO member VALUES(3,'a2',2,0,'contacts','13','changed on the left','{"name":"Cy"}','["p1","p2"]','');
CREATE TABLE forgiven (
    binding   TEXT NOT NULL REFERENCES binding (binding),
    link      INTEGER NOT NULL DEFAULT 0,
    entry     INTEGER NOT NULL DEFAULT 0,    -- that a create is made from
    side      INTEGER NOT NULL,              -- that refused
    at        INTEGER NOT NULL,
    dismissed INTEGER,
    who       TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (binding, link, entry, side)
) STRICT, WITHOUT ROWID;
INSERT INTO forgiven VALUES('guests',2,0,1,1795176000000,NULL,'ada');
CREATE TABLE always (
    binding TEXT NOT NULL REFERENCES binding (binding),
    field   TEXT NOT NULL,
    take    TEXT NOT NULL,                   -- left or right
    who     TEXT NOT NULL,
    since   INTEGER NOT NULL,
    PRIMARY KEY (binding, field)
) STRICT, WITHOUT ROWID;
INSERT INTO always VALUES('guests','phone','left','ada',1795176000000);
CREATE TABLE destination (
    name    TEXT NOT NULL PRIMARY KEY,
    address TEXT NOT NULL,                   -- a digest: the address itself may be a secret
    fails   INTEGER NOT NULL DEFAULT 0,      -- tries in a row
    failing INTEGER,
    next    INTEGER,                         -- not tried before
    error   TEXT NOT NULL DEFAULT '',
    gone    INTEGER                          -- when it answered that it is no more
) STRICT, WITHOUT ROWID;
INSERT INTO destination VALUES('n8n','0123456789abcdef',2,1795176000000,1795176300000,'it answered HTTP 503',NULL);
CREATE TABLE happening (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    binding TEXT NOT NULL,
    what    TEXT NOT NULL,                   -- change, question, held or run
    ref     TEXT NOT NULL,                   -- the id of its row; of a set its digest
    at      INTEGER NOT NULL
) STRICT;
INSERT INTO happening VALUES(1,'guests','question','2',1795176000000);
INSERT INTO happening VALUES(2,'guests','held','3f9c01d2a4b7',1795176000000);
CREATE TABLE event (
    num         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL,               -- made of what happened: receivers tell doubles by it
    destination TEXT NOT NULL,
    binding     TEXT NOT NULL,
    type        TEXT NOT NULL,
    subject     TEXT NOT NULL DEFAULT '',    -- what it is about: events of one subject keep their order
    at          INTEGER NOT NULL,
    data        TEXT NOT NULL,
    state       TEXT NOT NULL,               -- waiting, sent or dead
    since       INTEGER NOT NULL,            -- it waits
    tries       INTEGER NOT NULL DEFAULT 0,
    next        INTEGER,                     -- it was refused, and is not sent again before
    error       TEXT NOT NULL DEFAULT '',
    ended       INTEGER
) STRICT;
INSERT INTO event VALUES(1,'evt_00','n8n','guests','pushed','',1795176000000,'{"text":"t"}','sent',1795176000000,1,NULL,'',1795176001000);
INSERT INTO event VALUES(2,'evt_01','n8n','guests','halt','job guests',1795176000000,'{"text":"t"}','dead',1795176000000,10,NULL,'it answered HTTP 503',1795176001000);
INSERT INTO event VALUES(3,'evt_02','n8n','guests','failed','job guests',1795176000000,'{"text":"t"}','waiting',1795176000000,2,1795176300000,'it answered HTTP 503',NULL);
DELETE FROM sqlite_sequence WHERE name = 'alert';
INSERT INTO sqlite_sequence VALUES('alert',1);
DELETE FROM sqlite_sequence WHERE name = 'config';
INSERT INTO sqlite_sequence VALUES('config',1);
DELETE FROM sqlite_sequence WHERE name = 'event';
INSERT INTO sqlite_sequence VALUES('event',3);
DELETE FROM sqlite_sequence WHERE name = 'happening';
INSERT INTO sqlite_sequence VALUES('happening',2);
DELETE FROM sqlite_sequence WHERE name = 'hint';
INSERT INTO sqlite_sequence VALUES('hint',2);
DELETE FROM sqlite_sequence WHERE name = 'link';
INSERT INTO sqlite_sequence VALUES('link',2);
DELETE FROM sqlite_sequence WHERE name = 'question';
INSERT INTO sqlite_sequence VALUES('question',3);
DELETE FROM sqlite_sequence WHERE name = 'request';
INSERT INTO sqlite_sequence VALUES('request',2);
DELETE FROM sqlite_sequence WHERE name = 'run';
INSERT INTO sqlite_sequence VALUES('run',1);
DELETE FROM sqlite_sequence WHERE name = 'scan';
INSERT INTO sqlite_sequence VALUES('scan',2);
DELETE FROM sqlite_sequence WHERE name = 'slot';
INSERT INTO sqlite_sequence VALUES('slot',1);
CREATE INDEX alert_at ON alert (at);
CREATE INDEX alert_entry ON alert (entry, kind);
CREATE INDEX call_open ON call (at) WHERE answered < seq;
CREATE INDEX entry_dirty ON entry (binding, link) WHERE link IS NOT NULL AND (seen IS NOT NULL OR dirty = 1);
CREATE INDEX entry_key_entry ON entry_key (entry);
CREATE UNIQUE INDEX entry_link ON entry (link, side) WHERE link IS NOT NULL;
CREATE INDEX entry_recheck ON entry (binding, side, recheck) WHERE recheck IS NOT NULL;
CREATE UNIQUE INDEX entry_ref ON entry (binding, side, id);
CREATE INDEX entry_state ON entry (binding, side, state) WHERE state <> '';
CREATE INDEX entry_unlinked ON entry (binding, side, num) WHERE link IS NULL;
CREATE INDEX event_dead ON event (destination, num) WHERE state = 'dead';
CREATE INDEX event_ended ON event (ended) WHERE ended IS NOT NULL;
CREATE UNIQUE INDEX event_id ON event (id, destination);
CREATE INDEX event_refused ON event (destination, next) WHERE state = 'waiting' AND next IS NOT NULL;
CREATE INDEX event_subject ON event (destination, subject, num) WHERE state = 'waiting';
CREATE INDEX event_waiting ON event (destination, num) WHERE state = 'waiting';
CREATE INDEX hint_done ON hint (done) WHERE done IS NOT NULL;
CREATE UNIQUE INDEX hint_event ON hint (binding, side, event, kind, id) WHERE event <> '';
CREATE INDEX hint_open ON hint (binding, seq) WHERE done IS NULL;
CREATE UNIQUE INDEX intent_create ON intent (source)
    WHERE link IS NULL AND source IS NOT NULL AND state IN ('sent', 'held');
CREATE INDEX intent_ended ON intent (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX intent_link ON intent (link) WHERE link IS NOT NULL;
CREATE UNIQUE INDEX intent_open ON intent (link, side)
    WHERE link IS NOT NULL AND state IN ('sent', 'held');
CREATE INDEX intent_ref ON intent (kind, ref);
CREATE INDEX intent_rejected ON intent (binding, link, side) WHERE state = 'rejected';
CREATE INDEX intent_risk ON intent (binding, side, risk, sent_at) WHERE risk <> '' AND sent_at IS NOT NULL;
CREATE INDEX intent_run ON intent (run);
CREATE INDEX intent_unsettled ON intent (binding, made) WHERE state IN ('sent', 'held');
CREATE INDEX lag_at ON lag (at);
CREATE INDEX link_entity ON link (binding, entity);
CREATE INDEX meant_who ON meant (who);
CREATE INDEX member_action ON member (action);
CREATE INDEX member_link ON member (link) WHERE link <> 0;
CREATE INDEX quarantine_entry ON quarantine (entry) WHERE entry IS NOT NULL;
CREATE INDEX question_binding ON question (binding, id);
CREATE INDEX question_change ON question (change) WHERE change <> '' AND closed IS NULL;
CREATE INDEX question_closed ON question (closed) WHERE closed IS NOT NULL;
CREATE INDEX question_entry ON question (entry) WHERE entry <> 0;
CREATE INDEX question_held ON question (held) WHERE held <> '';
CREATE UNIQUE INDEX question_open ON question (link, entry, field, side, binding, held, change) WHERE closed IS NULL;
CREATE INDEX request_ended ON request (ended) WHERE ended IS NOT NULL;
CREATE INDEX request_open ON request (id) WHERE ended IS NULL;
CREATE INDEX run_binding ON run (binding, id);
CREATE INDEX run_ended ON run (ended) WHERE ended IS NOT NULL;
CREATE INDEX scan_ended ON scan (ended) WHERE ended IS NOT NULL;
CREATE UNIQUE INDEX scan_open ON scan (binding, side) WHERE ended IS NULL;
CREATE INDEX scan_place ON scan (binding, side, id);
CREATE UNIQUE INDEX slot_name ON slot (binding, what, civil, fold);
CREATE INDEX slot_order ON slot (binding, what, num);
CREATE INDEX stood_entity ON stood (binding, entity);
CREATE INDEX tombstone_expires ON tombstone (expires);
CREATE INDEX tombstone_link ON tombstone (link) WHERE link <> 0;
CREATE INDEX wait_on ON wait (on_binding, on_side, on_kind, on_id);
CREATE TRIGGER happened_change AFTER UPDATE OF state ON intent
WHEN NEW.state = 'settled' AND OLD.state <> 'settled' AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'change', NEW.id, NEW.ended_at);
END;
CREATE TRIGGER happened_held AFTER INSERT ON question
WHEN NEW.held <> '' AND EXISTS (SELECT 1 FROM destination) AND NOT EXISTS (SELECT 1 FROM question s WHERE s.held <> '' AND s.binding = NEW.binding
    AND s.side = NEW.side AND s.field = NEW.field AND s.held <> NEW.held AND s.closed = NEW.opened AND s.choice = '')
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'held', NEW.held, NEW.opened);
END;
CREATE TRIGGER happened_question AFTER INSERT ON question WHEN NEW.held = '' AND NEW.change = '' AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
CREATE TRIGGER happened_question_anew AFTER UPDATE OF opened ON question WHEN EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'question', NEW.id, NEW.opened);
END;
CREATE TRIGGER happened_run AFTER UPDATE OF ended ON run
WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL AND NEW.dry = 0
    AND NEW.outcome IN ('failed', 'done', 'done, something waits for a person')
    AND EXISTS (SELECT 1 FROM destination)
BEGIN
    INSERT INTO happening (binding, what, ref, at) VALUES (NEW.binding, 'run', NEW.id, NEW.ended);
END;
COMMIT;
