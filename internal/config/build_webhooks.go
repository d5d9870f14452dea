package config

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"nightporter/internal/signature"
)

// webhooks reads how a system tells us what changed.
func (b *builder) webhooks(r *rawWebhooks, system string) *Webhooks {
	at := []string{"systems", system, "webhooks"}
	if r == nil {
		return nil
	}
	w := &Webhooks{
		Line: b.all.line(at...), Listen: b.listen(r.Listen, under(at, "listen")), Paths: []string{"/hooks/" + system},
		PerSecond: b.count(r.PerSecond, under(at, "per_second")), MaxBody: b.count(r.MaxBody, under(at, "max_body")),
	}
	if r.Listen == "" {
		b.missing(under(at, "listen"), "missing: where the system is waited for on this machine, such as 127.0.0.1:8081")
	}
	w.Subscribe = b.subscribe(r, at)
	if len(r.Secret) == 0 && r.Subscribe == nil && !b.wasThere(under(at, "subscribe")) {
		b.missing(under(at, "secret"), "missing: the secret that it signs with, such as file:/etc/nightporter/webhook.secret")
	}
	for _, ref := range r.Secret {
		if ref = b.place(ref, under(at, "secret")); ref != "" {
			w.Secrets = append(w.Secrets, ref)
		}
	}
	w.PublicURL = b.publicURL(r.PublicURL, under(at, "public_url"), w)
	w.Signature = b.signature(r.Signature, under(at, "signature"))
	if s := w.Signature; s != nil && strings.Contains(s.Signed, "{url}") && r.PublicURL == "" {
		b.missing(under(at, "public_url"), "missing: the system signs the address that it calls")
	}
	w.Places = b.placesOf(r.Places, under(at, "places"))
	w.Kinds = b.kindsOf(r.Kinds, under(at, "kinds"))
	b.unaided(w, at)
	return w
}

func (b *builder) kindsOf(raw map[string]string, at []string) map[string]string {
	var kinds map[string]string
	for _, name := range b.all.keys(at...) {
		kind, ok := raw[name]
		if !ok {
			continue
		}
		if kinds == nil {
			kinds = map[string]string{}
		}
		low := strings.ToLower(name)
		if _, twice := kinds[low]; twice {
			b.bad(under(at, name), "capitals make no difference here, and %s is there already: delete one", shown(low))
		}
		kinds[low] = kind
	}
	return kinds
}

// unaided names what a system without a preset must say itself.
func (b *builder) unaided(w *Webhooks, at []string) {
	s := at[1]
	if typ := b.all.value("systems", s, "type"); typ == nil || typ.Value == string(TypeREST) {
		return
	}
	if w.Signature == nil {
		b.missing(under(at, "signature"), "missing: how it signs, one of %s, or a block with the keys of a scheme", strings.Join(schemes(), ", "))
	}
	if len(w.Kinds) == 0 && b.all.value("systems", s, "type").Value != string(TypeRequests) {
		b.missing(under(at, "kinds"), "missing: which table an event is about, such as { guest: guests }")
	}
}

func schemes() []string { return slices.Sorted(maps.Keys(signature.Presets)) }

// publicURL reads what the system calls; its path is one that it is received at.
func (b *builder) publicURL(text string, path []string, w *Webhooks) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		b.bad(path, "must be an address such as https://hotel.example.com/hooks")
		return ""
	case u.User != nil:
		b.bad(path, "has a user or password in it: what proves who calls is the signature")
		return ""
	case u.Fragment != "":
		b.bad(path, "must end before #")
		return ""
	case u.Scheme == "http" && !loopback(u.Hostname()):
		b.warn(path, "http without s: what is sent to it travels readable by anybody on the way")
	}
	if p := "/" + strings.TrimPrefix(u.Path, "/"); !slices.Contains(w.Paths, p) {
		w.Paths = append(w.Paths, p)
	}
	return text
}

// signature reads a scheme: a preset's, or the keys of one, laid over a preset's where
// one is named.
func (b *builder) signature(r *rawSignature, at []string) *signature.Scheme {
	if r == nil {
		return nil
	}
	var s signature.Scheme
	if r.Preset != "" {
		known := false
		if s, known = signature.Presets[r.Preset]; !known {
			b.notOne(at, r.Preset, schemes())
			return nil
		}
	}
	s = signature.Keys{
		Header: r.Header, Prefix: r.Prefix, Separator: r.Separator, TimeKey: r.TimeKey, TimeIn: r.TimeIn, Millis: r.Millis, IDIn: r.IDIn,
		Signed: r.Signed, Hash: r.Hash, Encoding: r.Encoding, SecretPrefix: r.SecretPrefix, Tolerance: orDuration(r.Tolerance, 0), Token: r.Token,
	}.Over(s)
	if err := s.Check(); err != nil {
		if !b.below(at) {
			b.bad(at, "%s", err)
		}
		return nil
	}
	return &s
}

// below reports whether something under a path was called wrong already.
func (b *builder) below(path []string) bool {
	for gone := range b.gone {
		if strings.HasPrefix(gone, join(path)+delim) {
			return true
		}
	}
	return false
}

func (b *builder) placesOf(r rawPlaces, at []string) Places {
	for key, all := range map[string]words{"name": r.Name, "resource": r.Resource, "record": r.Record, "header": r.Header, "delivery": r.Delivery} {
		for _, place := range all {
			rest := place
			if key == "record" {
				rest = strings.ReplaceAll(place, "{resource}", "")
			}
			if strings.ContainsAny(rest, "{}") || place == "" {
				b.bad(under(at, key), "%s is no place: write names with dots between them, such as data.id; in record {resource} stands for what the event is about", shown(place))
			}
		}
	}
	return Places{Name: r.Name, Resource: r.Resource, Record: r.Record, Header: r.Header, Delivery: r.Delivery}
}

// doors refuses two systems at one path of an address, and an address that is taken.
func (b *builder) doors() {
	taken := map[[2]string]string{}
	for _, s := range b.cfg.Systems {
		if s.Webhooks == nil || s.Webhooks.Listen == "" {
			continue
		}
		at := []string{"systems", s.Name, "webhooks"}
		if s.Webhooks.Listen == b.cfg.Listen {
			b.bad(under(at, "listen"), "the health and the numbers are answered at this address (listen): give one of them another port")
		}
		for _, path := range s.Webhooks.Paths {
			door := [2]string{s.Webhooks.Listen, path}
			if other, there := taken[door]; there {
				b.bad(under(at, "public_url"), "its path, %s, is where %s calls: give each a path or an address of its own", path, other)
			}
			taken[door] = s.Name
		}
	}
}

// waitsAt is where a job says that a system calls us.
func (b *builder) waitsAt(job, system string) []string {
	at := []string{"jobs", job, "when", whenWebhook}
	if b.all.value(at...) == nil {
		at[3] = system
	}
	return at
}

// called holds the webhooks of systems and those that jobs wait for against each other.
func (b *builder) called() {
	heard, kinds := map[string]bool{}, map[string][]string{}
	for _, j := range b.cfg.Jobs {
		for _, side := range []JobSide{j.Left, j.Right} {
			kinds[side.System] = append(kinds[side.System], side.Kind)
		}
		for _, name := range j.When.Webhooks {
			heard[name] = true
			if s, ok := b.cfg.System(name); ok && s.Webhooks == nil && !b.wasThere([]string{"systems", name, "webhooks"}) {
				b.warn(b.waitsAt(j.Name, name), "webhook: nothing says how %s calls us, and nothing of it is waited for: add systems.%s.webhooks, or take webhook out", name, name)
			}
		}
	}
	for _, s := range b.cfg.Systems {
		if s.Webhooks == nil {
			continue
		}
		at := []string{"systems", s.Name, "webhooks"}
		if !heard[s.Name] {
			b.warn(at, "no job waits for them: say webhook: %s under when of the jobs that should", s.Name)
		}
		for _, name := range b.all.keys(under(at, "kinds")...) {
			kind, ok := s.Webhooks.Kinds[strings.ToLower(name)]
			if ok && len(kinds[s.Name]) > 0 && !slices.Contains(kinds[s.Name], kind) {
				b.bad(under(at, "kinds", name), "%s is no kind of %s that a job names%s", shown(kind), s.Name, didYouMean(kind, kinds[s.Name]))
			}
		}
	}
}
