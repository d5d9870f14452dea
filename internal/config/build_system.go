package config

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// reserved are the names that mean something else where a system's stands.
func reserved() []string {
	fields, _ := tags(typeField)
	fields = append(fields, whenWebhook, whenFull, whenMissed)
	return append(fields, texts([]Policy{
		PolicyNewest, PolicyUnion, PolicyMax, PolicyMin, PolicyFillEmpty, PolicyRules, PolicyConsent, PolicyHold,
		PolicyLeft, PolicyRight,
	})...)
}

func (b *builder) systems(raw map[string]rawSystem) {
	path := []string{"systems"}
	if len(raw) == 0 && len(b.all.keys("systems")) == 0 {
		b.missing(path, "missing: at least two systems")
	}
	words := reserved()
	for _, name := range b.all.keys("systems") {
		r, ok := raw[name]
		if !ok && b.wasThere(under(path, name)) {
			continue
		}
		at := under(path, name)
		b.name(at)
		if slices.Contains(words, name) {
			b.bad(at, "this name is a word of the configuration: choose another")
		}
		s := System{
			Name: name, Line: b.all.line(at...), PageSize: b.count(r.PageSize, under(at, "page_size")),
			Settle: orDuration(r.Settle, b.cfg.Settle), Quiet: b.quiet(r.Quiet, under(at, "quiet")),
		}
		switch {
		case r.Type != "":
			s.Type = choice(b, r.Type, "", under(at, "type"), TypePostgres, TypeSQLite, TypeREST, TypeFile, TypeFolder, TypeRequests)
		case r.Preset != "" || r.BaseURL != "":
			s.Type = TypeREST
		case r.Files != nil:
			b.missing(under(at, "type"), "missing: file")
		case r.Folder != "":
			b.missing(under(at, "type"), "missing: file for tables in files, folder for documents")
		case r.Tables != nil || r.Documents != nil || r.Address != "":
			b.missing(under(at, "type"), "missing: postgres or sqlite")
		default:
			b.missing(at, "needs a preset, for a system with an API, or a type: postgres or sqlite for a database, file for files in a folder, folder for documents")
		}
		switch s.Type {
		case TypeREST:
			b.only(at, "a preset", slices.Concat(keysSQL, keysFile, keysFolder)...)
			s.REST = b.rest(r, at)
		case TypePostgres, TypeSQLite:
			b.only(at, "type: "+string(s.Type), slices.Concat(keysREST, keysFile, keysFolder)...)
			s.SQL = b.sql(s.Type, r, at)
		case TypeRequests:
			b.only(at, "type: requests", slices.Concat(keysREST, keysFile, []string{"user", "password", "tls", "tables"})...)
			s.SQL = b.requests(r, at)
		case TypeFile:
			b.only(at, "type: file", slices.Concat(keysREST, keysSQL, keysFolder, []string{"webhooks"})...)
			s.Files = b.files(r, at)
		case TypeFolder:
			b.only(at, "type: folder", slices.Concat(keysREST, keysSQL, []string{"files", "webhooks"})...)
			s.Folder = b.folder(r, at)
		}
		s.Webhooks = b.webhooks(r.Webhooks, name)
		b.cfg.Systems = append(b.cfg.Systems, s)
	}
}

// The keys that only one type of system has.
var (
	keysREST = []string{
		"preset", "base_url", "prefix", "key", "proxy", "timeout", "max_per_minute", "limits", "concurrency", "booking_reserve", "override",
	}
	keysSQL    = []string{"address", "user", "password", "tls", "tables", "documents"}
	keysFile   = []string{"folder", "files"}
	keysFolder = []string{"include", "exclude", "language", "tags", "by_path", "unchanged_for"}
)

// only refuses keys that belong to another kind of system.
func (b *builder) only(at []string, what string, not ...string) {
	for _, key := range b.all.keys(at...) {
		if slices.Contains(not, key) {
			b.bad(under(at, key), "means nothing with %s: delete it", what)
		}
	}
}

var presetName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// mostConcurrent bounds the requests that may be sent to a system at the same time.
const mostConcurrent = 16

func (b *builder) rest(r rawSystem, at []string) *REST {
	rest := &REST{
		Prefix: r.Prefix, Key: b.place(r.Key, under(at, "key")), Proxy: b.proxy(r.Proxy, under(at, "proxy")), Timeout: orDuration(r.Timeout, 0),
		Limits: b.limits(r, at), Concurrency: max(1, b.count(r.Concurrency, under(at, "concurrency"))),
		BookingReserve: defaultReserve, Override: r.Override,
	}
	if r.Reserve != nil {
		rest.BookingReserve = float64(*r.Reserve)
	}
	if rest.Concurrency > mostConcurrent {
		b.bad(under(at, "concurrency"), "must be %d or less", mostConcurrent)
	}
	file, isFile := strings.CutPrefix(r.Preset, "file:")
	switch {
	case r.Preset == "":
		b.missing(under(at, "preset"), "missing: the name of a built-in preset, such as platform, or file:your-own.yaml")
	case isFile && file != "":
		rest.PresetFile = b.abs(file)
	case presetName.MatchString(r.Preset):
		rest.Preset = r.Preset
	default:
		b.bad(under(at, "preset"), "must be the name of a built-in preset, such as platform, or file:your-own.yaml")
	}
	if r.BaseURL == "" {
		b.missing(under(at, "base_url"), "missing: the address of the API, such as https://api.example.com")
		return rest
	}
	rest.BaseURL = b.baseURL(r.BaseURL, under(at, "base_url"))
	return rest
}

// limits reads how many requests a system takes; max_per_minute is the short form
// of one of them.
func (b *builder) limits(r rawSystem, at []string) Limits {
	l := Limits{PerMinute: b.count(r.MaxPerMinute, under(at, "max_per_minute"))}
	if r.Limits == nil {
		return l
	}
	in := under(at, "limits")
	if r.Limits.PerMinute != nil {
		if r.MaxPerMinute != nil {
			b.bad(under(at, "max_per_minute"), "limits.per_minute says the same: delete one")
		}
		l.PerMinute = b.count(r.Limits.PerMinute, under(in, "per_minute"))
	}
	l.PerSecond = b.count(r.Limits.PerSecond, under(in, "per_second"))
	l.PerHour = b.count(r.Limits.PerHour, under(in, "per_hour"))
	l.PerDay = b.count(r.Limits.PerDay, under(in, "per_day"))
	l.Window = choice(b, r.Limits.Window, "", under(in, "window"), WindowSliding, WindowFixed)
	b.idle(l, in)
	return l
}

// idle warns of a limit that a longer one makes meaningless.
func (b *builder) idle(l Limits, in []string) {
	longer, name := 0, ""
	for _, q := range []struct {
		key string
		n   int
	}{{"per_day", l.PerDay}, {"per_hour", l.PerHour}, {"per_minute", l.PerMinute}, {"per_second", l.PerSecond}} {
		if longer > 0 && q.n > longer {
			b.warn(under(in, q.key), "larger than %s, which is reached first: are the numbers swapped?", name)
		}
		if q.n > 0 {
			longer, name = q.n, q.key
		}
	}
}

// baseURL checks an address without ever repeating it: people put keys into them.
func (b *builder) baseURL(text string, path []string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		b.bad(path, "must be an address such as https://api.example.com")
	case u.User != nil:
		b.bad(path, "has a user or password in it: a secret belongs under key")
	case u.RawQuery != "" || u.Fragment != "":
		b.bad(path, "must end before ? and #")
	default:
		if u.Scheme == "http" && !loopback(u.Hostname()) {
			b.warn(path, "http without s: the key and the guests' data travel readable by anybody on the way")
		}
		return strings.TrimRight(text, "/")
	}
	return ""
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func (b *builder) sql(typ SystemType, r rawSystem, at []string) *SQL {
	s := &SQL{User: r.User, Password: b.place(r.Password, under(at, "password")), Address: r.Address}
	address := under(at, "address")
	if typ == TypeSQLite {
		b.only(at, "type: sqlite", "user", "password", "tls")
		s.Address, s.TLS = b.abs(r.Address), TLSOff
		if r.Address == "" {
			b.missing(address, "missing: the path of the database")
		}
	} else {
		s.TLS = b.tls(r, at)
		switch host, ok := splitAddress(r.Address); {
		case r.Address == "":
			b.missing(address, "missing: host:port/database, such as 192.0.2.10:5432/pms")
		case strings.Contains(r.Address, "@") || strings.Contains(r.Address, "://"):
			b.bad(address, "must be host:port/database alone: the user and the password have keys of their own")
		case !ok:
			b.bad(address, "must be host:port/database, such as 192.0.2.10:5432/pms")
		case s.TLS == TLSOff && !loopback(host):
			b.warn(under(at, "tls"), "off: the password and the guests' data travel readable by anybody on the way")
		}
		if r.User == "" {
			b.missing(under(at, "user"), "missing: the user of the database that this program is to be")
		}
	}
	s.Documents = b.documents(r, at)
	if len(b.all.keys(under(at, "tables")...)) == 0 && len(s.Documents) == 0 && !b.bare {
		b.missing(under(at, "tables"), "missing: which tables hold the records")
	}
	for _, kind := range b.all.keys(under(at, "tables")...) {
		if t, ok := r.Tables[kind]; ok {
			s.Tables = append(s.Tables, b.table(kind, t, under(at, "tables", kind)))
		}
	}
	return s
}

func (b *builder) tls(r rawSystem, at []string) TLS {
	other := TLSVerify
	if host, ok := splitAddress(r.Address); ok && loopback(host) {
		other = TLSOff
	}
	return choice(b, r.TLS, other, under(at, "tls"), TLSOff, TLSOn, TLSVerify)
}

// splitAddress takes host:port/database apart.
func splitAddress(text string) (host string, ok bool) {
	hostPort, database, ok := strings.Cut(text, "/")
	if !ok || database == "" || strings.ContainsAny(database, "/? ") {
		return "", false
	}
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil || host == "" || !portText.MatchString(port) {
		return "", false
	}
	return host, true
}

var portText = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)

func (b *builder) table(kind string, r rawTable, at []string) Table {
	b.name(at)
	t := Table{
		Kind: kind, Line: b.all.line(at...), Table: r.Table, Query: r.Query, Key: r.Key, Changed: r.Changed,
		Created: r.Created, Version: r.Version, VersionBump: r.Version != "" && r.Version != "xmin", OurMark: r.OurMark, Only: r.Only,
		Private: r.Private, Deleted: r.Deleted, ChangedBy: r.ChangedBy,
	}
	t.MayDelete = r.MayDelete != nil && *r.MayDelete
	if t.MayDelete && r.Table == "" {
		b.bad(under(at, "may_delete"), "means nothing without table")
	}
	if r.Table == "" && r.Query == "" && !b.wasThere(under(at, "query")) {
		b.missing(under(at, "table"), "missing: the name of the table, such as pms.guests")
	}
	if len(r.Key) == 0 {
		b.missing(under(at, "key"), "missing: the column, or columns, that identify a row")
	}
	if r.VersionBump != nil {
		t.VersionBump = *r.VersionBump
		if r.Version == "" {
			b.bad(under(at, "version_bump"), "means nothing without version")
		}
	}
	if r.Window != nil {
		t.Window = &WindowColumns{From: r.Window.From, To: r.Window.To}
		for key, column := range map[string]string{"from": r.Window.From, "to": r.Window.To} {
			if column == "" {
				b.missing(under(at, "window", key), "missing: the column with the day")
			}
		}
	}
	for key, column := range map[string]string{
		"changed": t.Changed, "created": t.Created, "version": t.Version, "deleted": t.Deleted, "changed_by": t.ChangedBy, "our_mark": t.OurMark,
	} {
		if column != "" && slices.Contains(t.Private, column) {
			b.bad(under(at, key), "%s is private, and private columns are never read", shown(column))
		}
	}
	for _, column := range t.Key {
		if slices.Contains(t.Private, column) {
			b.bad(under(at, "key"), "%s is private, and private columns are never read", shown(column))
		}
	}
	return t
}
