package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
	"nightporter/connectors/pace"
	"nightporter/sync/record"
)

// Config is what a connection needs.
type Config struct {
	System  record.System // the user's name for the system
	Preset  Preset
	BaseURL string
	Secret  func() (string, error) // the key; asked for each request

	Transport   http.RoundTripper // nil: its own
	Proxy       Proxy             // what its own goes through; nil: straight
	PageSize    int               // 0: the preset's
	Concurrency int               // requests at the same time; 0: one
	Pace        *pace.Limiter     // of the credential; nil: one of its own, by the preset's rate

	// Fields names by kind the native paths that are mapped: only they are shown.
	// A kind without a line is shown whole.
	Fields map[record.Kind][]string

	Log *slog.Logger
	Now func() time.Time
}

// Proxy gives the address of what requests go through; nil is none.
type Proxy = restkit.Proxy

// Transport is what a connection sends by where it is given none, for those who ask the
// same system without one.
func Transport(proxy Proxy) *http.Transport { return restkit.Transport(proxy, 1) }

// Conn is one API, opened. It implements every optional interface but Asker; what its preset does not declare is answered with Unsupported.
type Conn struct {
	system   record.System
	api      *api
	client   *restkit.Client
	pageSize int
	// concurrency is how many requests may be sent at the same time.
	concurrency int
	named       named
}

var (
	_ connectors.Connector = (*Conn)(nil)
	_ connectors.Writer    = (*Conn)(nil)
	_ connectors.Getter    = (*Conn)(nil)
	_ connectors.Finder    = (*Conn)(nil)

	_ connectors.Identifier = (*Conn)(nil)
	_ connectors.Notifier   = (*Conn)(nil)
)

// Open makes a connection ready. It sends nothing.
func Open(cfg Config) (*Conn, error) {
	p := cfg.Preset
	a, err := compile(p, cfg.Fields)
	if err != nil {
		return nil, fmt.Errorf("open %s: preset %s: %w", cfg.System, p.Name, err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Pace == nil {
		cfg.Pace = pace.New(p.Rate.Manners(cfg.Concurrency, pace.Reserve))
	}
	client, err := restkit.New(restkit.Config{
		Base: base(cfg.BaseURL, p.Prefix),
		Auth: restkit.Auth{
			Type: restkit.AuthType(p.Auth.Type), Header: p.Auth.Header, Prefix: p.Auth.Prefix, User: p.Auth.User, Param: p.Auth.Param,
		},
		Secret: cfg.Secret, Headers: p.Headers, Timeout: above(p.Timeout, 30*time.Second), MaxBody: above(p.MaxAnswerMB, 32) << 20,
		Pace: cfg.Pace, Concurrency: cfg.Concurrency, AnyType: p.AnyContentType, Rules: a.rules,
		Transport: cfg.Transport, Proxy: cfg.Proxy, Log: cfg.Log, Now: cfg.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.System, err)
	}
	return &Conn{
		system: cfg.System, api: a, client: client,
		pageSize: pageSize(p, cfg.PageSize), concurrency: above(cfg.Concurrency, 1),
	}, nil
}

// above is n, or fallback where n isn't above zero.
func above[N int | int64 | time.Duration](n, fallback N) N {
	if n > 0 {
		return n
	}
	return fallback
}

// base joins the address that the user gave with the preset's prefix, which it may
// end in already.
func base(baseURL, prefix string) string {
	b := strings.TrimRight(strings.TrimSpace(baseURL), "/")
	prefix = strings.Trim(prefix, "/")
	if prefix == "" || strings.HasSuffix(b, "/"+prefix) {
		return b
	}
	return b + "/" + prefix
}

// Close releases idle connections.
func (c *Conn) Close() error {
	c.client.Close()
	return nil
}

// Describe says what the preset declares. It asks the API only for the account,
// where the preset says how.
func (c *Conn) Describe(ctx context.Context) (connectors.Description, error) {
	d := connectors.Description{Kinds: map[record.Kind]connectors.Kind{}, Notifies: len(c.api.notified) > 0}
	for name, k := range c.api.kinds {
		d.Kinds[name] = k.describe(c.pageSize)
	}
	var err error
	d.Account, err = c.Account(ctx)
	return d, err
}

// Account asks the API for the account, where the preset says how.
func (c *Conn) Account(ctx context.Context) (string, error) {
	id := c.api.preset.Identity
	if id.Path == "" {
		return "", nil
	}
	r := restkit.Request{Op: "read account", Goal: restkit.ReadList, Method: http.MethodGet, URL: c.client.URL(id.Path, nil)}
	a, body, err := c.object(ctx, r)
	if err != nil {
		return "", err
	}
	p, err := jsonx.ParsePath(first(id.Item, "id"))
	if err != nil {
		return "", fmt.Errorf("identity.item: %w", err)
	}
	v, _ := jsonx.At(body, p)
	account := idOf(v)
	if account == "" {
		return "", c.client.Malformed(r, a, "look at identity.item in the preset", "the answer shows no account at %q", p)
	}
	return account, nil
}

// Kinds is what a preset says of its kinds, without a system to ask. fields are the native
// paths that are mapped, by kind.
func Kinds(p Preset, fields map[record.Kind][]string) (map[record.Kind]connectors.Kind, error) {
	a, err := compile(p, fields)
	if err != nil {
		return nil, err
	}
	out := make(map[record.Kind]connectors.Kind, len(a.kinds))
	for name, k := range a.kinds {
		out[name] = k.describe(pageSize(p, 0))
	}
	return out, nil
}

func (k *kind) describe(pageSize int) connectors.Kind {
	d := connectors.Kind{
		IDs: k.ids(), PageSize: k.limit(pageSize), ReadOnly: k.readOnly(),
		Create: k.Create != nil, Update: k.Update != nil, Delete: k.Delete.Path != "", Get: k.Get != nil,
		Since: k.List.Since.Param != "", SinceOverlap: k.List.Since.Overlap,
		Windowed: k.List.Window.From != "", SinceWindowed: k.List.Since.Window, Stable: k.List.Order == "immutable",
		Total:       k.List.Total+k.List.TotalHeader != "" && (k.List.Window.MaxDays == 0 || k.List.Window.From == ""),
		Conditional: k.Update != nil && k.Update.IfMatch,
		Changed:     k.changed != nil, Created: k.created != nil,
		Unique: k.Unique, Required: k.Required, Status: k.Status.Field,
		Stamp:      connectors.Stamp{Path: k.Stamp.Field, Find: k.Stamp.Find, Unique: k.Stamp.Unique},
		Idempotent: k.Idempotency.Header != "", Once: k.Once, Words: k.Words,
		Answers: k.Create != nil || k.Update != nil, Written: k.written(), Keeps: k.keeps(),
		Reads: k.reads(),
	}
	if k.Update != nil && k.Update.Mode == partial {
		d.WholeKey = "update.mode: rewrite"
	}
	if k.finished != nil {
		d.Late, d.Waits = k.Finished.Fields, k.Finished.text()
	}
	if k.Deleted != "" { // what was listed before that was known is looked at again
		d.Waits += "\n" + k.Deleted
	}
	if k.content != nil {
		d.Contents = map[string]connectors.Limits{k.Content.Field: k.content.limits}
	}
	if len(k.WindowFields) == 2 {
		d.WindowField = [2]string{k.WindowFields[0], k.WindowFields[1]}
	}
	if f := k.Import; f != nil {
		d.Import = &connectors.Import{MaxRows: f.MaxRows, MaxMB: f.MaxMB}
		for _, col := range f.Columns {
			d.Import.Columns = append(d.Import.Columns, connectors.ImportColumn{Header: col.Header, Path: first(col.Path, col.Header)})
		}
	}
	for _, n := range k.Needs {
		d.Needs = append(d.Needs, connectors.Need{Path: n.Field, Values: n.Is, With: n.With})
	}
	if k.Update != nil && len(k.Update.Only) > 0 {
		d.Updates = k.Update.Only
	}
	for _, f := range k.Find {
		d.FindBy = append(d.FindBy, f.By)
	}
	if k.fields != nil {
		d.Fields = map[string]connectors.Field{}
		for name, f := range k.fields {
			d.Fields[name] = connectors.Field{ReadOnly: f.ReadOnly || slices.Contains(k.ReadOnly, name), MaxRunes: f.Max}
		}
	}
	d.Carries, d.NotNew = k.carries(), k.notNew(d)
	return d
}

// ids says what an id is made of, and by which path a record is read by it.
func (k *kind) ids() connectors.IDs {
	ids := connectors.IDs{Of: first(k.ID, "id"), In: k.Path}
	if k.Get != nil {
		ids.In = first(k.Get.Path, k.Path)
	}
	return ids
}

// keeps is the paths of what the system keeps for itself of a record.
func (k *kind) keeps() (paths []string) {
	for _, p := range []string{k.ID, k.Version.Field, k.Changed.Path, k.Created.Path, k.By} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// readOnly is the paths that are never written, with the reason.
func (k *kind) readOnly() map[string]string {
	out := map[string]string{}
	for _, name := range k.ReadOnly {
		out[name] = "the preset calls it read only"
	}
	for _, p := range k.want {
		if p.walk.Numbered() {
			out[p.name] = jsonx.ErrElement.Error()
		}
	}
	return out
}

// limit is how many records are asked for on a page.
func (k *kind) limit(pageSize int) int {
	if k.List.MaxPageSize > 0 {
		return min(pageSize, k.List.MaxPageSize)
	}
	return pageSize
}

func (c *Conn) limit(k *kind) int { return k.limit(c.pageSize) }

// pageSize is the one that was configured, or that of the preset.
func pageSize(p Preset, configured int) int { return above(configured, above(p.PageSize, 100)) }

func (c *Conn) kind(name record.Kind, op string) (*kind, error) {
	k, ok := c.api.kinds[name]
	if !ok {
		have := make([]string, 0, len(c.api.kinds))
		for _, n := range slices.Sorted(maps.Keys(c.api.kinds)) {
			have = append(have, string(n))
		}
		return nil, connectors.Wrong(connectors.Unsupported, op, "%s has no kind %q; it has %s", c.system, name, strings.Join(have, ", "))
	}
	return k, nil
}

// object sends a request and decodes the answer; without a body it is nil.
func (c *Conn) object(ctx context.Context, r restkit.Request) (*restkit.Answer, any, error) {
	a, err := c.client.Do(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if a.Empty || len(a.Body) == 0 {
		return a, nil, nil
	}
	body, err := jsonx.Decode(a.Body)
	if err != nil {
		return nil, nil, c.client.Malformed(r, a, "is base_url the API?", "the answer is not whole JSON")
	}
	if v, shown := jsonx.At(body, c.api.ok.path); shown && c.api.ok.path != nil {
		if err := c.flagged(r, a, c.api.ok.says(v)); err != nil {
			return nil, nil, err
		}
	}
	return a, body, nil
}

var errID = errors.New("an id that can't stand in an address")

// addressable reports whether an id can stand in an address. Dots alone lead to another
// one, however they are encoded.
func addressable(id string) bool { return id != "." && id != ".." }

// fill puts an id into a path. It is encoded as a whole: no id can lead to
// another address.
func fill(path, name, id string) (string, error) {
	if id == "" || !addressable(id) {
		return "", errID
	}
	enc := strings.ReplaceAll(url.PathEscape(id), "+", "%2B")
	return strings.ReplaceAll(path, "{"+name+"}", enc), nil
}
