package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, path string) *Config {
	t.Helper()
	c, err := Load(path, nil)
	if err != nil {
		t.Fatalf("Load:\n%v", err)
	}
	return c
}

func parse(t *testing.T, text string, env ...string) *Config {
	t.Helper()
	c, err := Parse(filepath.Join("conf", "config.yaml"), []byte(text), env)
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	return c
}

func TestExample(t *testing.T) {
	c := load(t, "../../config.example.yaml")
	if len(c.Warnings) > 0 {
		t.Errorf("warnings of the example: %v", c.Warnings)
	}
	if got, want := c.State, filepath.Join("..", "..", "nightporter.db"); got != want {
		t.Errorf("State: got %s, want %s", got, want)
	}
	j, _ := c.Job("reservations")
	arrival, _ := j.Field("arrival")
	want := Field{
		Name: "arrival", Line: arrival.Line, As: AsDate, ToLeft: true, ToRight: true, Conflict: PolicyRight, Initial: PolicyRight,
		Together: "stay", Clear: ClearHold,
		Left:  FieldSide{Line: arrival.Line, Path: "starting_date", Empty: EmptyNull},
		Right: FieldSide{Line: arrival.Line, Path: "arrival", Empty: EmptyNull},
	}
	if diff := cmp.Diff(want, arrival); diff != "" {
		t.Errorf("arrival (-want +got):\n%s", diff)
	}
	guest, _ := j.Field("guest")
	if diff := cmp.Diff(&Reference{Job: "guests", IfLeftOut: "Occupied", Wait: 24 * time.Hour, Then: ThenHold}, guest.Reference); diff != "" {
		t.Errorf("reference (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&KeyPaths{Phone: "client_phone_number", Name: "client_full_name"}, guest.Left.ByKey); diff != "" {
		t.Errorf("guest on the platform (-want +got):\n%s", diff)
	}
	if got := j.Right.AcceptIf; !strings.HasPrefix(got, "select 'free'") || j.Left.AcceptIf != "" {
		t.Errorf("accept_if belongs to the database; got %q there and %q on the platform", got, j.Left.AcceptIf)
	}
	if diff := cmp.Diff([]string{"pending", "confirmed", "cancelled"}, j.Left.May); diff != "" || j.Right.May != nil {
		t.Errorf("may (-want +got):\n%s and of the PMS %v", diff, j.Right.May)
	}
	if diff := cmp.Diff([]Constant{{Path: "channel", Line: j.Right.OnCreate[0].Line, Value: Scalar{ScalarText, "voice"}}}, j.Right.OnCreate); diff != "" {
		t.Errorf("on_create (-want +got):\n%s", diff)
	}
	g, _ := c.Job("guests")
	if g.Left.Create != CreateAlways || g.Right.Create != CreateWhenReferenced {
		t.Errorf("create: got %s and %s", g.Left.Create, g.Right.Create)
	}
	phone, _ := g.Field("phone")
	if diff := cmp.Diff([]Region{{Path: "country"}, {Code: "IT"}}, phone.Region); diff != "" {
		t.Errorf("region (-want +got):\n%s", diff)
	}
}

// The lines are what check and the engine's messages point at.
func TestLines(t *testing.T) {
	path := "../../config.example.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	c := load(t, path)
	for _, j := range c.Jobs {
		at := map[string]int{j.Name: j.Line}
		for _, f := range j.Fields {
			at[f.Name] = f.Line
		}
		for _, table := range j.Tables {
			for _, row := range table.Rows {
				at[row.Word] = row.Line
			}
		}
		for name, line := range at {
			if got := strings.TrimSpace(lines[line-1]); !strings.HasPrefix(got, name+":") {
				t.Errorf("%s: line %d is %q", name, line, got)
			}
		}
	}
}

func TestSQLiteHouse(t *testing.T) {
	c := load(t, "testdata/sqlite.yaml")
	if c.FirstRun != FirstRunGo || c.Keep != 90*24*time.Hour || c.Settle != 30*time.Second || c.Privacy.BlankCards {
		t.Errorf("got %s, %s, %s, %v", c.FirstRun, c.Keep, c.Settle, c.Privacy)
	}
	want := defaultGuards()
	want.Creates, want.Changed = limited(Amount{Count: 1000}), 0.2
	if diff := cmp.Diff(want, c.Guards); diff != "" {
		t.Errorf("guards (-want +got):\n%s", diff)
	}
	platform, _ := c.System("platform")
	prefix := ""
	wantREST := &REST{
		PresetFile: filepath.Join("testdata", "presets", "mine.yaml"), BaseURL: "http://127.0.0.1:8080", Prefix: &prefix,
		Key: "env:PLATFORM_KEY", Timeout: 20 * time.Second,
		Limits: Limits{PerSecond: 2, PerMinute: 40, PerHour: 900, PerDay: 10000, Window: WindowFixed}, Concurrency: 3,
		Override: map[string]any{
			"auth":   map[string]any{"header": "X-Key"},
			"paging": map[string]any{"limit": 50, "names": []any{"limit", "offset"}},
		},
	}
	if diff := cmp.Diff(System{Name: "platform", Line: 10, Type: TypeREST, REST: wantREST, PageSize: 50, Settle: 90 * time.Second}, platform); diff != "" {
		t.Errorf("platform (-want +got):\n%s", diff)
	}
	haus, _ := c.System("haus")
	wantSQL := &SQL{Address: filepath.Join("testdata", "haus.db"), TLS: TLSOff, Tables: []Table{
		{
			Kind: "gaeste", Line: 29, Table: "gaeste", Query: "select * from gaeste where aktiv",
			Key: []string{"haus", "nummer"}, Private: []string{"notiz"},
		},
		{
			Kind: "aufenthalte", Line: 34, Table: "aufenthalte", Key: []string{"id"}, Created: "angelegt", Version: "stand",
			Window: &WindowColumns{From: "von", To: "bis"},
		},
	}}
	if diff := cmp.Diff(System{Name: "haus", Line: 24, Type: TypeSQLite, SQL: wantSQL, PageSize: 200, Settle: 30 * time.Second}, haus); diff != "" {
		t.Errorf("haus (-want +got):\n%s", diff)
	}
	if c.Jobs[0].Name != "guests" || c.Jobs[1].Name != "stays" {
		t.Errorf("a job must come after the one it refers to; got %s, %s", c.Jobs[0].Name, c.Jobs[1].Name)
	}
	if c.Jobs[1].Left.System != "haus" {
		t.Errorf("left must be the first of between; got %s", c.Jobs[1].Left.System)
	}
	if diff := cmp.Diff(&Window{Line: 46, From: -2, To: 14}, c.Jobs[1].Window); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
	source, _ := c.Jobs[1].Field("source")
	if source.Left.Const.Text != "010-a" || source.Right.Default.Text != "1.50" || source.Right.Default.Type != ScalarNumber {
		t.Errorf("digits must stay as written; got %v, %v", source.Left.Const, source.Right.Default)
	}
	for name, want := range map[string]As{"language": AsLanguage, "tags": AsSet, "full_name": AsName} {
		if f, _ := c.Jobs[0].Field(name); f.As != want {
			t.Errorf("as of %s: got %s, want %s", name, f.As, want)
		}
	}
	price, _ := c.Jobs[1].Field("price")
	if price.ToLeft || !price.ToRight || !price.Enforce || price.As != AsMoney {
		t.Errorf("price: got %+v", price)
	}
	status, _ := c.Jobs[1].Table("status")
	wantRows := []WordRow{
		{Word: "confirmed", Line: status.Line + 1, Left: []string{"1"}, Right: []string{"CONFIRMED", "APPROVED"}},
		{Word: "held", Line: status.Line + 2, Left: []string{"2"}},
	}
	if diff := cmp.Diff(wantRows, status.Rows); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestTwoAPIsAndThreeSystems(t *testing.T) {
	crm := load(t, "testdata/crm.yaml").Jobs[0]
	email, _ := crm.Field("email")
	if email.Conflict != PolicyHold || email.Initial != PolicyLeft {
		t.Errorf("email: got %s, at first contact %s", email.Conflict, email.Initial)
	}
	var values []Scalar
	for _, c := range crm.Left.OnCreate {
		values = append(values, c.Value)
	}
	if diff := cmp.Diff([]Scalar{{ScalarText, "voice"}, {ScalarNumber, "5"}, {ScalarBool, "true"}}, values); diff != "" {
		t.Errorf("on_create (-want +got):\n%s", diff)
	}
	three := load(t, "testdata/three.yaml")
	pms, _ := three.System("pms")
	if pms.SQL.TLS != TLSOff {
		t.Errorf("tls on this machine: got %s, want off", pms.SQL.TLS)
	}
	var warnings []string
	for _, w := range three.Warnings {
		warnings = append(warnings, w.String())
	}
	want := []string{
		"testdata/three.yaml:20: jobs.desk.fields.given_name.conflict: newest cannot be known: pms.guests shows no time of change (changed), so a person is asked",
		"testdata/three.yaml:26: jobs.sales.create.crm: no job refers to sales, so nothing will ever be made there",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// Who is named by texts is looked for by the phone alone.
func TestNamedByAPhoneThatIsNoKey(t *testing.T) {
	for match, warns := range map[string]bool{
		"[phone]": false, "[[given_name, phone], phone]": false, "[[given_name, phone]]": true, "[given_name]": true,
	} {
		c := parse(t, changed(t, "match: [phone]", "match: "+match))
		want := "conf/config.yaml:28: jobs.stays.fields.guest: platform names a record of guests by its phone, and phone alone is no key of jobs.guests.match: nobody is found by it, and every new record of platform waits for a person"
		if got := len(c.Warnings) == 1 && c.Warnings[0].String() == want; got != warns || len(c.Warnings) > 1 {
			t.Errorf("match %s: warned of %q, want %t", match, c.Warnings, warns)
		}
	}
	c := parse(t, changed(t, "match: [phone]", "match: [given_name]", "guest: { job: guests, pms: guest_id, platform: { phone: client_phone } }", "guest: { job: guests, pms: guest_id, platform: { phone: client_phone }, to: platform }"))
	if len(c.Warnings) > 0 {
		t.Errorf("of a guest that is only written there it warns: %q", c.Warnings)
	}
}

func TestLimits(t *testing.T) {
	c := parse(t, strings.Replace(base, `key: "env:KEY"`, `key: "env:KEY", max_per_minute: 50`, 1))
	platform, _ := c.System("platform")
	if got, want := platform.REST.Limits, (Limits{PerMinute: 50}); got != want || platform.REST.BookingReserve != 0.1 || platform.REST.Concurrency != 1 {
		t.Errorf("got %+v, want limits %+v, 10%% kept, one at once", platform.REST, want)
	}
	c = parse(t, strings.Replace(base, `key: "env:KEY"`, `key: "env:KEY", limits: { per_minute: 1000, per_hour: 50 }, booking_reserve: 0%`, 1))
	platform, _ = c.System("platform")
	want := "conf/config.yaml:3: systems.platform.limits.per_minute: larger than per_hour, which is reached first: are the numbers swapped?"
	if len(c.Warnings) != 1 || c.Warnings[0].String() != want || platform.REST.BookingReserve != 0 {
		t.Errorf("warnings %v, want %s; %+v", c.Warnings, want, platform.REST)
	}
}

func TestEnvironment(t *testing.T) {
	c := parse(t, base,
		"NIGHTPORTER__SYSTEMS__PMS__ADDRESS=192.0.2.1:5432/pms", "NIGHTPORTER__systems__pms__user=007",
		"NIGHTPORTER__systems__pms__page_size=70", "NIGHTPORTER__KEEP=2d", "NIGHTPORTER__PRIVACY__BLANK=[]",
		"NIGHTPORTER__jobs__guests__match=[[phone, given_name]]", "NIGHTPORTER__jobs__guests__fields__phone__required=true",
		"NIGHTPORTER__guards__changed=10%", "NIGHTPORTER__jobs__guests__fields__given_name__pms=vorname", "HOME=/")
	pms, _ := c.System("pms")
	if pms.SQL.Address != "192.0.2.1:5432/pms" || pms.SQL.User != "007" || pms.PageSize != 70 {
		t.Errorf("pms: got %+v, %d", pms.SQL, pms.PageSize)
	}
	if pms.SQL.TLS != TLSVerify {
		t.Errorf("tls to another machine: got %s, want verify", pms.SQL.TLS)
	}
	if c.Keep != 48*time.Hour || c.Privacy.BlankCards || c.Guards.Changed != 0.1 {
		t.Errorf("got %s, %v, %v", c.Keep, c.Privacy, c.Guards)
	}
	j := c.Jobs[0]
	if diff := cmp.Diff([][]string{{"phone", "given_name"}}, j.Match); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	if f, _ := j.Field("phone"); !f.Required || f.Right.Path != "phone" {
		t.Errorf("phone: got %+v", f)
	}
	if f, _ := j.Field("given_name"); f.Right.Path != "vorname" {
		t.Errorf("given_name: got %+v", f)
	}
}

func TestUnreadable(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "# nothing\n", "config.yaml: the file is empty: begin with time_zone, systems and jobs"},
		{"list", "- a\n", "config.yaml:1: must be keys with values, such as time_zone: Europe/Rome"},
		{"UTF-16", "t\x00i\x00", "config.yaml:1: a zero byte: save the file as UTF-8 text (some editors write UTF-16)"},
		{"Latin-1", "# ok\n# Z\xfcrich\n", "config.yaml:2: a letter that is not UTF-8: save the file as UTF-8 in your editor"},
		{"control character", "a: \x01\n", "config.yaml: a control character: take it out"},
		{"large", strings.Repeat("#", maxSize+1), "config.yaml: larger than 1 MB: this is not a configuration of nightporter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("config.yaml", []byte(tt.text), nil)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if c := parse(t, "\xef\xbb\xbf"+strings.ReplaceAll(base, "\n", "\r\n")); c.TimeZone.String() != "Europe/Rome" {
		t.Errorf("a file from Windows: got %s", c.TimeZone)
	}
	_, err := Load("testdata/none.yaml", nil)
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "testdata/none.yaml: read config: no such file or directory" {
		t.Errorf("no file: got %v", err)
	}
	if _, ok := errors.AsType[*Errors](err); !ok {
		t.Errorf("no file: got %T, want *Errors", err)
	}
}

func TestRings(t *testing.T) {
	text, err := os.ReadFile("testdata/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("config.yaml", append(text, `
  ring:
    kind: contact
    between: { crm: people, pms: guests }
    match: [phone]
    create: { crm: always, pms: always }
    fields:
      phone: { crm: phone, pms: phone }
`...), nil)
	want := "config.yaml:32: jobs.ring.between: closes a ring, in which an edit would run in circles: " +
		"crm.people — platform.contacts (sales) — pms.guests (desk) — crm.people (ring); delete one of these jobs"
	if err == nil || err.Error() != want {
		t.Errorf("ring of systems:\ngot  %v\nwant %s", err, want)
	}

	_, err = Parse("config.yaml", []byte(changed(t,
		"phone: { platform: phone_number", "stay: { job: stays, platform: stay, pms: stay }\n      phone: { platform: phone_number")), nil)
	want = "config.yaml:18: jobs.guests.fields: jobs refer to each other in a ring, so that none can be first: guests → stays → guests"
	if err == nil || err.Error() != want {
		t.Errorf("ring of references:\ngot  %v\nwant %s", err, want)
	}
}

func TestReferenceAcrossSystems(t *testing.T) {
	text, err := os.ReadFile("testdata/three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("config.yaml", append(text, `
  orders:
    kind: record
    between: { crm: orders, platform: orders }
    match: [buyer]
    create: { crm: always, platform: always }
    fields:
      buyer: { job: desk, crm: buyer_id, platform: contact_id }
`...), nil)
	want := "config.yaml:36: jobs.orders.fields.buyer.job: the job desk is between pms and platform, and this one between " +
		"crm and platform: both must be the same two systems"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A field that shares its column with another is a piece of it, and no overwriting.
func TestPieces(t *testing.T) {
	c := parse(t, changed(t, "pms: first_name,", `pms: { path: name, split: " " },`,
		"      phone: {", `      family_name: { platform: last_name, pms: { path: name, split: " " } }`+"\n      phone: {"))
	if f, _ := c.Jobs[0].Field("family_name"); f.Right.Split != " " || f.Right.Path != "name" {
		t.Errorf("got %+v", f.Right)
	}
}

func TestCheckSecrets(t *testing.T) {
	c := parse(t, base)
	file := "file:" + filepath.Join("conf", "pms.password")
	cause := errors.New("no such file")
	warnings, err := c.CheckSecrets(func(ref string) (string, error) {
		switch ref {
		case file:
			return "", cause
		case "env:KEY":
			return "careless", nil
		}
		t.Errorf("asked for %s", ref)
		return "", nil
	})
	at := filepath.Join("conf", "config.yaml")
	if want := at + ":8: systems.pms.password: no such file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if len(warnings) != 1 || warnings[0].String() != at+":3: systems.platform.key: careless" {
		t.Errorf("warnings: got %v", warnings)
	}
	if _, err := c.CheckSecrets(func(string) (string, error) { return "", nil }); err != nil {
		t.Errorf("with all secrets there: %v", err)
	}
}

// Names of systems may have capitals, and so may the variables that reach them.
func TestEnvironmentOwnNames(t *testing.T) {
	text := strings.NewReplacer("pms:", "Pms:", "pms.country", "Pms.country", "conflict: pms", "conflict: Pms").Replace(base)
	c := parse(t, text, "NIGHTPORTER__SYSTEMS__PMS__USER=other")
	if s, _ := c.System("Pms"); s.SQL == nil || s.SQL.User != "other" {
		t.Errorf("got %+v", c.Systems)
	}
}

// A way is looked for past dead ends, of which a tree is full.
func TestRoute(t *testing.T) {
	a, b, c, d := end{"a", "x"}, end{"b", "x"}, end{"c", "x"}, end{"d", "x"}
	next := map[end][]hop{
		a: {{b, "ab"}}, b: {{a, "ab"}, {c, "bc"}, {d, "bd"}}, c: {{b, "bc"}}, d: {{b, "bd"}},
	}
	if diff := cmp.Diff([]hop{{b, "ab"}, {d, "bd"}}, route(next, a, d, map[end]bool{}), cmp.AllowUnexported(hop{}, end{})); diff != "" {
		t.Errorf("route (-want +got):\n%s", diff)
	}
	if got := route(next, a, end{"e", "x"}, map[end]bool{}); got != nil {
		t.Errorf("no way: got %v", got)
	}
}

func TestNearest(t *testing.T) {
	among := []string{"to", "job", "fields", "match"}
	for word, want := range map[string]string{
		"feilds": "fields", "Fields": "fields", "mtach": "match", "xyz": "", "jb": "job", "ab": "", "of": "",
		strings.Repeat("match", 40): "",
	} {
		if got := nearest(word, among); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	for pair, want := range map[[2]string]int{{"feilds", "fields"}: 1, {"", "abc"}: 3, {"è", "e"}: 1, {"kitten", "sitting"}: 3} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: got %d, want %d", pair, got, want)
		}
	}
}
