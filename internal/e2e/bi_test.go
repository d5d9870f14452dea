package e2e

import (
	"database/sql"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/internal/pgtest"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// biData is eleven calls and eight bookings, all of March 2026 in Rome but for two calls.
//
// Bookings: 1 by reference (of the platform's r1, made two days after the call, with another
// phone; a later call has the booking's, a quarter of an hour before it); 2 during the call; 3 29 minutes after its end; 4 31 minutes after: of no call; 5
// after two calls of the same phone: the later one; 6 the same caller's second, cancelled;
// 7 before any call; 8 in another currency, made by who has no phone.
const biData = `
INSERT INTO pms.guests (id, last_name, phone, country) VALUES
	(1, 'One', '055 0000001', 'IT'), (2, 'Two', '+39 055 0000002', 'IT'), (3, 'Three', '0039 055 0000003', 'IT'),
	(4, 'Four', '0550000004', 'IT'), (5, 'Five', '055-000 0005', 'IT'), (9, 'None', NULL, 'IT');
INSERT INTO voice.calls (call_id, phone, call_status, outcome, is_outbound, reservation_id, started_at, ended_at, seconds) VALUES
	('k1', '+390559999999', 'Completed', 'Answered',   false, 'r1', '2026-03-02 09:00+01', '2026-03-02 09:02+01', 120),
	('k2', '+390550000002', 'completed', 'answered',   false, NULL, '2026-03-02 09:30+01', '2026-03-02 09:34+01', 240),
	('k3', '+390550000003', 'completed', 'answered',   false, NULL, '2026-03-02 18:00+01', '2026-03-02 18:01+01', 60),
	('k4', '+390550000004', 'completed', 'voicemail',  false, NULL, '2026-03-03 10:00+01', '2026-03-03 10:00:20+01', 20),
	('k5', '+390550000005', 'completed', 'abandoned',  false, NULL, '2026-03-03 11:00+01', '2026-03-03 11:00:10+01', 10),
	('k6', '+390550000005', 'completed', 'answered',   false, NULL, '2026-03-03 11:05+01', '2026-03-03 11:16+01', 660),
	('k7', '+390550000001', 'Failed',    NULL,         true,  NULL, '2026-03-03 12:00+01', NULL, NULL),
	('k8', NULL,            'completed', 'unanswered', false, NULL, '2026-03-03 23:30+00', '2026-03-03 23:30:30+00', 30),
	('k9', '+390550000001', NULL,        NULL,         NULL,  NULL, '2026-03-04 14:45+01', NULL, NULL),
	('kx', '+390550000002', 'completed', 'answered',   false, NULL, '2026-02-28 23:50+01', '2026-02-28 23:51+01', 60),
	('k0', '+390550000002', 'completed', 'answered',   false, NULL, '2026-05-01 08:00+02', '2026-05-01 08:01+02', 60);
INSERT INTO pms.reservations (id, number, guest_id, arrival, departure, status, total, currency, created_at) VALUES
	(1, 'r1', 1, '2026-04-01', '2026-04-03', 'checked_out', 200,   'EUR', '2026-03-04 15:00+01'),
	(2, NULL, 2, '2026-04-01', '2026-04-02', 'confirmed',   100.5, 'EUR', '2026-03-02 09:33+01'),
	(3, NULL, 3, '2026-04-05', '2026-04-08', 'no_show',     300,   'EUR', '2026-03-02 18:30+01'),
	(4, NULL, 4, '2026-04-05', '2026-04-06', 'confirmed',   90,    'EUR', '2026-03-03 10:31:21+01'),
	(5, NULL, 5, '2026-04-10', '2026-04-12', 'checked_in',  180,   'EUR', '2026-03-03 11:20+01'),
	(6, NULL, 5, '2026-05-10', '2026-05-11', 'cancelled',   80,    'CHF', '2026-03-03 11:21+01'),
	(7, NULL, 2, '2026-04-20', '2026-04-21', 'confirmed',   70,    'EUR', '2026-03-01 09:00+01'),
	(8, NULL, 9, '2026-04-20', '2026-04-21', 'confirmed',   70,    'CHF', '2026-03-02 09:00+01');
`

// warehouse is a PMS with the views of the examples, filled.
func warehouse(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", pgtest.Start(t).NewPMS(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	bookings := example(t, "bi/bookings.sql")
	// This house keeps the platform's id of a reservation, as the file says that one may.
	fitted := strings.Replace(bookings, "NULL::text                      AS platform_id", "r.number AS platform_id", 1)
	if fitted == bookings {
		t.Fatal("bookings.sql has no platform_id that could be fitted")
	}
	for _, script := range []string{example(t, "bi/table.sql"), fitted, example(t, "bi/views.sql"), biData} {
		if _, err := db.ExecContext(t.Context(), script); err != nil {
			t.Fatalf("%v in\n%s", err, script)
		}
	}
	return db
}

// table is what a query gives, a line a row.
func table(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		line := make([]string, len(names))
		for i, c := range cells {
			line[i] = c.String
		}
		out = append(out, strings.Join(line, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReports(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	for _, tt := range []struct {
		name, query string
		want        []string
	}{
		{"which call became which booking", `SELECT booking_id, call_id, rule, fate, nights, value, currency FROM voice.call_bookings ORDER BY 1`, []string{
			"1 | k1 | reference | stayed | 2 | 200.00 | EUR",
			"2 | k2 | phone | open | 1 | 100.50 | EUR",
			"3 | k3 | phone | no_show | 3 | 300.00 | EUR",
			"5 | k6 | phone | stayed | 2 | 180.00 | EUR",
			"6 | k6 | phone | cancelled | 1 | 80.00 | CHF",
		}},
		{"calls by day", `SELECT day::text, calls, answered, outbound, minutes, average_seconds, calls_that_booked FROM voice.calls_by_day ORDER BY 1`, []string{
			"2026-02-28 | 1 | 1 | 0 | 1.0 | 60 | 0",
			"2026-03-02 | 3 | 3 | 0 | 7.0 | 140 | 3",
			"2026-03-03 | 4 | 1 | 1 | 11.5 | 230 | 1",
			"2026-03-04 | 2 | 0 | 0 | 0.5 | 30 | 0",
			"2026-05-01 | 1 | 1 | 0 | 1.0 | 60 | 0",
		}},
		{"bookings by day", `SELECT day::text, currency, bookings, by_phone, by_reference, value, value_by_phone, stayed_by_phone, lost_by_phone FROM voice.bookings_by_day ORDER BY 1, 2`, []string{
			"2026-03-01 | EUR | 1 | 0 | 0 | 70.00 | 0 | 0 | 0",
			"2026-03-02 | CHF | 1 | 0 | 0 | 70.00 | 0 | 0 | 0",
			"2026-03-02 | EUR | 2 | 2 | 0 | 400.50 | 400.50 | 0 | 1",
			"2026-03-03 | CHF | 1 | 1 | 0 | 80.00 | 80.00 | 0 | 1",
			"2026-03-03 | EUR | 2 | 1 | 0 | 270.00 | 180.00 | 180.00 | 0",
			"2026-03-04 | EUR | 1 | 1 | 1 | 200.00 | 200.00 | 200.00 | 0",
		}},
		{"phones", `SELECT voice.e164(p, '39', true), voice.e164(p, '43', false) FROM unnest(ARRAY['+39 055-1', '0039 0551', '055 1', '340 1', '', NULL]) WITH ORDINALITY AS x (p, n) ORDER BY n`, []string{
			"+390551 | +390551", "+390551 | +390551", "+390551 | +43551", "+393401 | +433401", " | ", " | ",
		}},
	} {
		if diff := cmp.Diff(tt.want, table(t, db, tt.query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A call that names a reservation which was there before it takes the booking from no other
// one, however late it comes and whatever is known of it.
func TestReportsOfLaterReferences(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO pms.reservations (id, number, guest_id, arrival, departure, status, total, currency, created_at) VALUES
	(11, 'r11', 9, '2026-04-01', '2026-04-03', 'confirmed', 200, 'EUR', '2026-03-04 15:00+01'),
	(12, 'r12', 9, '2026-04-01', '2026-04-03', 'confirmed', 200, 'EUR', '2026-03-04 15:00+01'),
	(13, 'r13', 9, '2026-04-01', '2026-04-03', 'confirmed', 200, 'EUR', '2026-03-04 15:00+01'),
	(14, 'r14', 2, '2026-04-01', '2026-04-03', 'confirmed', 200, 'EUR', '2026-03-02 09:33+01');
INSERT INTO voice.calls (call_id, reservation_id, started_at) VALUES
	('a1', 'r1',  '2026-03-31 09:00+02'), ('a2', 'r1', NULL),
	('b1', 'r11', '2026-03-02 09:00+01'), ('b2', 'r11', '2026-03-04 15:00+01'), ('b3', 'r11', '2026-03-04 15:00:01+01'),
	('c1', 'r12', NULL), ('c2', 'r12', '2026-03-31 09:00+02'), ('c3', 'r12', '2026-03-30 09:00+02'),
	('d1', 'r13', NULL), ('e1', 'r14', '2026-03-31 09:00+02'), ('e2', 'r14', NULL);
`); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 | k1 | reference | 2026-03-02", // and not a call weeks later, or at an unknown time
		"11 | b2 | reference | 2026-03-04",
		"12 | c3 | reference | 2026-03-30", // none before it was booked
		"13 | d1 | reference | ",
		"14 | k2 | phone | 2026-03-02", // it was made during that call
		"2 | k2 | phone | 2026-03-02", "3 | k3 | phone | 2026-03-02", "5 | k6 | phone | 2026-03-03", "6 | k6 | phone | 2026-03-03",
	}
	got := table(t, db, `SELECT booking_id, call_id, rule, day::text FROM voice.call_bookings ORDER BY booking_id COLLATE "C"`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A call that was transferred was answered first, and every call has its bar of duration,
// whatever is known of its length.
func TestReportsOfAnswersAndLengths(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO voice.calls (call_id, call_status, outcome, started_at, seconds) VALUES
	('t1', 'completed', 'Transferred', '2026-06-01 09:00+02', 0), ('t2', 'answered', NULL, '2026-06-01 09:00+02', NULL),
	('t3', 'completed', 'voicemail', '2026-06-01 10:00+02', -1), ('t4', NULL, NULL, '2026-06-01 10:00+02', 600);
`); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		`SELECT calls, answered FROM voice.calls_by_day WHERE day = '2026-06-01'`:                                          {"4 | 2"},
		`SELECT hour, calls, answered FROM voice.calls_by_hour WHERE day = '2026-06-01' ORDER BY hour`:                     {"9 | 2 | 2", "10 | 2 | 0"},
		`SELECT bucket, calls FROM voice.calls_by_duration WHERE day = '2026-06-01' ORDER BY from_seconds`:                 {"under 30 s | 1", "over 10 min | 1", "not known | 2"},
		`SELECT sum(calls) = (SELECT count(*) FROM voice.calls WHERE started_at IS NOT NULL) FROM voice.calls_by_duration`: {"true"},
	} {
		if diff := cmp.Diff(want, table(t, db, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// The view writes a phone of the PMS as the mapping writes that of a call, or the two never
// meet.
func TestReportsWritePhonesAsTheMapping(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	phone := [2]mapping.SideSpec{{Path: "phone"}, {Path: "phone"}}
	for _, tt := range []struct {
		region, country string
		zero            bool
		phones          []string
	}{
		{"IT", "39", true, []string{
			"+39 055 2345678", "0039 055 2345678", "055 2345678", "(055) 234-5678", "055/2345678", "333 1234567",
			"055 2345678 int. 12", "055 2345678 INT 12", "055 2345678 interno 12", "055 2345678, ext. 12", "055 2345678 extn 12",
			"055 2345678 extension: 12", "055 2345678#12", "(055 2345678) x12 ", "+39 055 2345678 x3", "0039 055 2345678 x 3",
			"+44 (0)20 7946 0018", "0044 (0)20 7946 0018", "+44(0)2079460018", "+44 ( 0 ) 20 7946 0018", "+44 (0)20 7946 0018 ext. 7",
			"+44 (20) 7946 0018", "+49 (0)30 123456", "+43 (0)1 5880", "+41 (0)44 668 18 00", "+33 (0)1 42 68 53 00",
			"+39 (0)55 2345678", "+ 39 (0)55 2345678", "0039 (0)55 2345678", "+378 (0)549 886377", "+225 (0)1 23456789",
			"+229 (0)1 20211234", "+241 (0)1 441234", "+242 (0)6 1234567",
		}},
		{"GB", "44", false, []string{"020 7946 0018", "(0)20 7946 0018", "(020) 7946 0018 x3", "20 7946 0018", "+39 055 2345678"}},
	} {
		m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"platform", "pms"}, Fields: []mapping.FieldSpec{
			{Name: "phone", As: mapping.Phone, Region: []string{tt.region}, Sides: phone},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range tt.phones {
			fields, problems := m.Read(record.Left, record.Fields{"phone": record.OfText(p)})
			want := fields["phone"].Text()
			if want == "" {
				t.Errorf("%q of %s: the mapping reads no number: %v", p, tt.region, problems)
				continue
			}
			var got string
			if err := db.QueryRowContext(t.Context(), "SELECT voice.e164($1, $2, $3)", p, tt.country, tt.zero).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%q of %s: got %s, the mapping writes %s", p, tt.region, got, want)
			}
		}
	}
}

// dashboard is what the test needs of a dashboard of Grafana.
type dashboard struct {
	Panels []struct {
		ID      int
		Title   string
		Targets []struct{ RawSQL string }
	}
	Templating struct{ List []struct{ Name, Type string } }
}

var macro = regexp.MustCompile(`\$__timeFilter\((\w+)\)`)

// Every query of the dashboard runs, and says what is so. Its macros are filled in as
// Grafana does for March 2026.
func TestDashboard(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	var d dashboard
	if err := json.Unmarshal([]byte(example(t, "bi/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Templating.List) != 1 || d.Templating.List[0].Name != "source" {
		t.Errorf("got variables %+v, want the database alone", d.Templating.List)
	}
	want := map[string][]string{
		"Calls":                       {"9"},
		"Answered":                    {"0.444"},
		"Calls that became a booking": {"0.444"},
		"Bookings by phone":           {"5"},
		"Their value":                 {"CHF | 80.00 | 0", "EUR | 780.50 | 380.00"},
		"Calls by day": {
			"2026-03-01T23:00:00Z | 3 | 3 | 3", "2026-03-02T23:00:00Z | 4 | 1 | 1", "2026-03-03T23:00:00Z | 2 | 0 | 0",
		},
		"Bookings by day": {
			"2026-02-28T23:00:00Z | 1 | 0", "2026-03-01T23:00:00Z | 3 | 2", "2026-03-02T23:00:00Z | 3 | 2", "2026-03-03T23:00:00Z | 1 | 1",
		},
		"Calls by hour": {
			"00 | 1 | 0", "09 | 2 | 2", "10 | 1 | 0", "11 | 2 | 1", "12 | 1 | 0", "14 | 1 | 0", "18 | 1 | 1",
		},
		"Calls by outcome":  {"answered | 4", "abandoned | 1", "failed | 1", "unanswered | 1", "unknown | 1", "voicemail | 1"},
		"Calls by duration": {"under 30 s | 2", "30 s to 1 min | 1", "1 to 3 min | 2", "3 to 10 min | 1", "over 10 min | 1", "not known | 2"},
		"What became of the bookings by phone": {
			"cancelled | phone | CHF | 1 | 1 | 80.00", "no_show | phone | EUR | 1 | 3 | 300.00", "open | phone | EUR | 1 | 1 | 100.50",
			"stayed | phone | EUR | 1 | 2 | 180.00", "stayed | reference | EUR | 1 | 2 | 200.00",
		},
		"Which call became which booking": {
			"2026-03-03T10:05:00Z | k6 | answered | phone | 5 | 2026-03-03T10:20:00Z | 2026-04-10T00:00:00Z | 2 | stayed | 180.00 | EUR",
			"2026-03-03T10:05:00Z | k6 | answered | phone | 6 | 2026-03-03T10:21:00Z | 2026-05-10T00:00:00Z | 1 | cancelled | 80.00 | CHF",
			"2026-03-02T17:00:00Z | k3 | answered | phone | 3 | 2026-03-02T17:30:00Z | 2026-04-05T00:00:00Z | 3 | no_show | 300.00 | EUR",
			"2026-03-02T08:30:00Z | k2 | answered | phone | 2 | 2026-03-02T08:33:00Z | 2026-04-01T00:00:00Z | 1 | open | 100.50 | EUR",
			"2026-03-02T08:00:00Z | k1 | answered | reference | 1 | 2026-03-04T14:00:00Z | 2026-04-01T00:00:00Z | 2 | stayed | 200.00 | EUR",
		},
	}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		if len(p.Targets) != 1 {
			t.Errorf("%s: %d queries, want one", p.Title, len(p.Targets))
			continue
		}
		query := macro.ReplaceAllString(p.Targets[0].RawSQL, "$1 BETWEEN '2026-02-28T23:00:00Z' AND '2026-03-31T21:59:59Z'")
		if strings.Contains(query, "$") {
			t.Errorf("%s: a macro that is not known here: %s", p.Title, query)
		}
		expected, known := want[p.Title]
		if !known {
			t.Errorf("%s: nobody says what it should show: %v", p.Title, table(t, db, query))
			continue
		}
		if diff := cmp.Diff(expected, utc(table(t, db, query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Title, diff)
		}
		delete(want, p.Title)
	}
	for title := range want {
		t.Errorf("there is no panel %q", title)
	}
}

var instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)`)

// utc is lines with their instants in one zone, whatever the server's is.
func utc(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = instant.ReplaceAllStringFunc(line, inUTC)
	}
	return out
}

func inUTC(s string) string {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return err.Error()
	}
	return at.UTC().Format(time.RFC3339)
}

// A booking is ascribed to no call that nobody answered, whoever rang: the one before it
// counts, if there is one. What the platform itself says of a call stands.
func TestOutside37BookingsOfAnsweredCalls(t *testing.T) {
	t.Parallel()
	db := warehouse(t)
	for _, tt := range []struct {
		outcome, status any
		want            string
	}{
		{"answered", "completed", "kz"},
		{"Transferred", "completed", "kz"},
		{nil, "Completed", "kz"},
		{nil, "In Progress", "kz"},
		{nil, nil, "kz"},
		{"unanswered", "completed", "k6"},
		{"abandoned", "completed", "k6"},
		{"voicemail", "completed", "k6"},
		{nil, "Failed", "k6"},
	} {
		if _, err := db.ExecContext(t.Context(), `DELETE FROM voice.calls WHERE call_id = 'kz'`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), `INSERT INTO voice.calls (call_id, phone, call_status, outcome, started_at, ended_at)
			VALUES ('kz', '+390550000005', $1, $2, '2026-03-03 11:17+01', '2026-03-03 11:18+01')`, tt.status, tt.outcome); err != nil {
			t.Fatal(err)
		}
		got := table(t, db, `SELECT call_id FROM voice.call_bookings WHERE booking_id = '5'`)
		if !cmp.Equal(got, []string{tt.want}) {
			t.Errorf("outcome %v, status %v: the booking is of %v, want %s", tt.outcome, tt.status, got, tt.want)
		}
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE voice.calls SET outcome = 'abandoned' WHERE call_id = 'k1'`); err != nil {
		t.Fatal(err)
	}
	if got := table(t, db, `SELECT call_id || ' ' || rule FROM voice.call_bookings WHERE booking_id = '1'`); !cmp.Equal(got, []string{"k1 reference"}) {
		t.Errorf("by reference: %v", got)
	}
}
