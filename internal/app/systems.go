package app

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/connectors/pace"
	"nightporter/connectors/rest"
	"nightporter/connectors/sql"
	"nightporter/internal/config"
	"nightporter/internal/secret"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func (a *App) openSystems(ctx context.Context, o Options) error {
	unopened := map[string]error{}
	for _, sys := range a.Config.Systems {
		if err := a.openAndLook(ctx, sys, o); err != nil {
			unopened[sys.Name] = err
		}
	}
	if len(unopened) > 0 {
		return a.keepUnopened(ctx, unopened, o)
	}
	if o.Paces == nil {
		a.group.Keep(a.uses)
	}
	return nil
}

// openAndLook opens a system and asks what it can do.
func (a *App) openAndLook(ctx context.Context, sys config.System, o Options) error {
	conn, err := a.openSystem(ctx, sys, o)
	if err != nil {
		return fmt.Errorf("open system %s: %w", sys.Name, err)
	}
	a.conns[sys.Name] = conn
	d, err := conn.Describe(ctx)
	if err != nil {
		return fmt.Errorf("look at system %s: %w", sys.Name, err)
	}
	a.descs[sys.Name] = d
	return nil
}

// KeepPaces has the limiters of Options.Paces go by this configuration from now on. They
// outlive an App: one that is opened in another's place, and is refused then, has changed
// nothing of how systems are treated.
func (a *App) KeepPaces() {
	if a.held != nil {
		a.held.Keep(a.uses)
	}
}

func (a *App) openSystem(ctx context.Context, sys config.System, o Options) (connectors.Connector, error) {
	if sys.Type == config.TypeREST {
		var rt http.RoundTripper
		if o.Transport != nil {
			rt = o.Transport(sys.Name)
		}
		return a.openREST(sys, rt, o.Paces)
	}
	if sys.Type == config.TypeFile {
		return a.openFiles(sys)
	}
	if sys.Type == config.TypeFolder {
		return openFolder(sys)
	}
	if sys.Type == config.TypeRequests {
		if err := makeRequests(ctx, sys); err != nil {
			return nil, err
		}
		sys.Type = config.TypeSQLite
	}
	return a.openSQL(ctx, sys)
}

func (a *App) openFiles(sys config.System) (connectors.Connector, error) {
	cfg := file.Config{Folder: sys.Files.Folder, PageSize: sys.PageSize, Files: map[record.Kind]file.File{}}
	fields := a.mapped(sys.Name)
	for _, f := range sys.Files.List {
		cfg.Files[record.Kind(f.Kind)] = fileOf(f, fields[record.Kind(f.Kind)])
	}
	return file.Open(cfg)
}

// fileOf is a file of the configuration as its connector has it.
func fileOf(f config.File, fields []string) file.File {
	return file.File{
		Name: f.Name, Several: file.Several(f.Several), Format: file.Format(f.Format), Encoding: file.Encoding(f.Encoding),
		Separator: f.Separator, Key: f.Key, Digest: f.Digest, OurMark: f.OurMark, Write: file.Write(f.Write),
		Fields: fields, AsTyped: f.AsTyped, MayBeEmpty: f.MayBeEmpty, OpenEnd: f.OpenEnd, Done: f.Done,
		Unfinished: f.Unfinished, Unchanged: f.Unchanged, StaleAfter: f.StaleAfter, MaxBytes: int64(f.MaxMB) << 20, MaxRows: f.MaxRows,
	}
}

func (a *App) openREST(sys config.System, rt http.RoundTripper, paces *pace.Group) (connectors.Connector, error) {
	r := sys.REST
	preset, err := presetOf(r)
	if err != nil {
		return nil, err
	}
	key, err := resolver(r.Key)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyOf(sys)
	if err != nil {
		return nil, err
	}
	if a.paces == nil {
		a.paces = map[string]*pace.Limiter{}
	}
	if paces == nil {
		paces = &a.group
	}
	use := pace.Use{Credential: credential(r), System: sys.Name, Config: preset.Rate.Manners(r.Concurrency, r.BookingReserve)}
	limiter := paces.Limiter(use)
	a.paces[sys.Name], a.uses = limiter, append(a.uses, use)
	return rest.Open(rest.Config{
		System: record.System(sys.Name), Preset: preset, BaseURL: r.BaseURL, Secret: key, Pace: limiter, Concurrency: r.Concurrency,
		Transport: rt, Proxy: proxy, PageSize: sys.PageSize, Fields: a.mapped(sys.Name), Log: a.log,
	})
}

// proxyOf is what a system is reached through, nil for nothing. It was read once when it
// is given, so that one that can't be had is told at once.
func proxyOf(sys config.System) (rest.Proxy, error) {
	text := sys.REST.Proxy
	if text == "" {
		return nil, nil //nolint:nilnil // a system without a proxy has none
	}
	ref, plain := secret.Parse(text)
	proxy := func() (*url.URL, error) {
		address := text
		if plain == nil {
			var err error
			if address, err = ref.Resolve(); err != nil {
				return nil, fmt.Errorf("proxy: %w", err)
			}
		}
		u, err := config.ParseProxy(address)
		if err != nil {
			return nil, fmt.Errorf("what proxy: %s holds %w", text, err)
		}
		return u, nil
	}
	if _, err := proxy(); err != nil {
		return nil, fmt.Errorf("open %s: %w", sys.Name, err)
	}
	return proxy, nil
}

// transportTo is what a system is asked by without a connection to it: a transport that
// replaces the network in tests, or one through its proxy.
func transportTo(sys config.System, replaced func(system string) http.RoundTripper) (http.RoundTripper, error) {
	if replaced != nil {
		return replaced(sys.Name), nil
	}
	proxy, err := proxyOf(sys)
	if err != nil {
		return nil, err
	}
	return rest.Transport(proxy), nil
}

// credential tells one account of one API from another: by the host, and where the
// key is kept.
func credential(r *config.REST) string {
	host := r.BaseURL
	if u, err := url.Parse(r.BaseURL); err == nil {
		host = strings.ToLower(u.Host)
	}
	return host + " " + r.Key
}

// Paces is what the limiters of the systems are doing, by the systems' names.
func (a *App) Paces() map[string]pace.Snapshot {
	out := map[string]pace.Snapshot{}
	for name, l := range a.paces {
		out[name] = l.Snapshot()
	}
	return out
}

// Lasts is how long n requests to a system take under its limits; 0 where there are
// none.
func (a *App) Lasts(system string, n int) time.Duration {
	l := a.paces[system]
	if l == nil {
		return 0
	}
	return l.Plan(n)
}

// presetOf is the preset of a system with everything that is laid over it.
func presetOf(r *config.REST) (rest.Preset, error) {
	var file []byte
	name := r.Preset
	if r.PresetFile != "" {
		name = r.PresetFile
		var err error
		if file, err = os.ReadFile(r.PresetFile); err != nil {
			return rest.Preset{}, fmt.Errorf("read preset: %w", err)
		}
	}
	return rest.Load(name, file, overrides(r))
}

// overrides is the keys of the preset that the system's own keys stand for, laid
// over by those that the user wrote out.
func overrides(r *config.REST) map[string]any {
	over := maps.Clone(r.Override)
	if over == nil {
		over = map[string]any{}
	}
	if r.Prefix != nil {
		over["prefix"] = *r.Prefix
	}
	if r.Timeout > 0 {
		over["timeout"] = r.Timeout.String()
	}
	rate, _ := over["rate"].(map[string]any)
	rate = maps.Clone(rate)
	if rate == nil {
		rate = map[string]any{}
	}
	for key, n := range map[string]int{
		"max_per_second": r.Limits.PerSecond, "max_per_minute": r.Limits.PerMinute,
		"max_per_hour": r.Limits.PerHour, "max_per_day": r.Limits.PerDay,
	} {
		if n > 0 {
			rate[key] = n
		}
	}
	if r.Limits.Window != "" {
		rate["window"] = string(r.Limits.Window)
	}
	if len(rate) > 0 {
		over["rate"] = rate
	}
	return over
}

// resolver reads a secret each time it is asked for, so that a new key needs no
// restart.
func resolver(text string) (func() (string, error), error) {
	if text == "" {
		return nil, nil //nolint:nilnil // a system without a key has no resolver
	}
	ref, err := secret.Parse(text)
	if err != nil {
		return nil, err
	}
	return ref.Resolve, nil
}

// resolvable is resolver for a secret that is had now: one that can't be is said at once.
func resolvable(text string) (func() (string, error), error) {
	resolve, err := resolver(text)
	if err != nil || resolve == nil {
		return nil, err
	}
	_, err = resolve()
	return resolve, err
}

func (a *App) openSQL(ctx context.Context, sys config.System) (connectors.Connector, error) {
	cfg, err := a.sqlConfig(sys)
	if err != nil {
		return nil, err
	}
	return sql.Open(ctx, cfg)
}

// sqlConfig is a database with its tables, as its connector has them.
func (a *App) sqlConfig(sys config.System) (sql.Config, error) {
	s := sys.SQL
	password, err := resolvable(s.Password)
	if err != nil {
		return sql.Config{}, err
	}
	cfg := sql.Config{
		Driver: string(sys.Type), Address: s.Address, User: s.User, Secret: password,
		TLS: sslMode(s.TLS), PageSize: sys.PageSize, TimeZone: a.Config.TimeZone,
		Tables: map[record.Kind]sql.Table{},
	}
	fields := a.mapped(sys.Name)
	for _, t := range s.Tables {
		kind := record.Kind(t.Kind)
		table := sql.Table{
			Table: t.Table, Query: t.Query, Key: t.Key, Changed: t.Changed, Created: t.Created,
			Version: t.Version, Deleted: t.Deleted, ChangedBy: t.ChangedBy, OurMark: t.OurMark, VersionBump: t.VersionBump, MayDelete: t.MayDelete,
			Only: t.Only, Private: t.Private, Fields: fields[kind], AcceptIf: a.acceptIf(sys.Name, t.Kind),
		}
		if t.Window != nil {
			table.Window = [2]string{t.Window.From, t.Window.To}
		} else {
			table.Window = a.windowOf(sys.Name, t.Kind)
		}
		cfg.Tables[kind] = table
	}
	cfg.Documents, err = documents(s.Documents)
	return cfg, err
}

func sslMode(t config.TLS) string {
	switch t {
	case config.TLSOff:
		return "disable"
	case config.TLSOn:
		return "require"
	case config.TLSVerify:
		return "verify-full"
	}
	return ""
}

// jobSides calls f for every side of a job that is this kind of this system.
func (a *App) jobSides(system, kind string, f func(j *config.Job, side record.Side, js config.JobSide)) {
	for i := range a.Config.Jobs {
		j := &a.Config.Jobs[i]
		for s, js := range [2]config.JobSide{j.Left, j.Right} {
			if js.System == system && js.Kind == kind {
				f(j, record.Side(s), js)
			}
		}
	}
}

func (a *App) acceptIf(system, kind string) string {
	query := ""
	a.jobSides(system, kind, func(_ *config.Job, _ record.Side, js config.JobSide) {
		if js.AcceptIf != "" {
			query = js.AcceptIf
		}
	})
	return query
}

// windowOf is the columns of the first and last day of a dated kind, as the job's
// own fields have them.
func (a *App) windowOf(system, kind string) [2]string {
	var cols [2]string
	a.jobSides(system, kind, func(j *config.Job, side record.Side, _ config.JobSide) {
		if j.Window == nil {
			return
		}
		first, last := days(j.Kind)
		for i, name := range [2]string{first, last} {
			if f, ok := j.Field(name); ok {
				cols[i] = fieldSide(f, side).Path
			}
		}
	})
	return cols
}

// days is the canonical fields of a dated kind's first and last day.
func days(k config.Kind) (first, last string) {
	switch k {
	case config.KindStay:
		return "arrival", "departure"
	case config.KindAppointment:
		return "start", "end"
	case config.KindContact, config.KindOrder, config.KindRecord:
	}
	return "", ""
}

// SpanOf is the fields of a job's first and last day, where it has both.
func SpanOf(j *config.Job) plan.Span {
	first, last := days(j.Kind)
	for _, name := range []string{first, last} {
		if _, ok := j.Field(name); !ok {
			return plan.Span{}
		}
	}
	return plan.Span{first, last}
}

func fieldSide(f config.Field, side record.Side) config.FieldSide {
	if side == record.Left {
		return f.Left
	}
	return f.Right
}

// mapped is the native fields of a system that any job names, by kind: nothing else
// is read or written.
func (a *App) mapped(system string) map[record.Kind][]string {
	out := map[record.Kind][]string{}
	for i := range a.Config.Jobs {
		j := &a.Config.Jobs[i]
		m, err := a.mapping(j)
		if err != nil {
			continue // compile says what is wrong with it
		}
		for s, js := range [2]config.JobSide{j.Left, j.Right} {
			if js.System != system {
				continue
			}
			kind := record.Kind(js.Kind)
			out[kind] = append(out[kind], m.Paths(record.Side(s))...)
			for _, c := range slices.Concat(js.OnCreate, js.Gone.Archive) {
				out[kind] = append(out[kind], c.Path)
			}
		}
	}
	for k, paths := range out {
		slices.Sort(paths)
		out[k] = slices.Compact(paths)
	}
	return out
}
