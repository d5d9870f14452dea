package config

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"nightporter/internal/signature"
)

// events reads where others are told what happens. It comes after the jobs, which it
// names.
func (b *builder) events(raw map[string]rawDestination) {
	for _, name := range b.all.keys("events") {
		r, ok := raw[name]
		if !ok {
			continue
		}
		at := []string{"events", name}
		b.name(at)
		d := Destination{Name: name, Line: b.all.line(at...), Signature: signature.Presets["standard"], Body: r.Body}
		d.URL, d.Hidden = b.destination(r.URL, under(at, "url"))
		for _, ref := range r.Secret {
			if ref = b.place(ref, under(at, "secret")); ref != "" {
				d.Secrets = append(d.Secrets, ref)
			}
		}
		if s := b.signature(r.Signature, under(at, "signature")); s != nil {
			d.Signature = *s
			if len(r.Secret) == 0 {
				b.missing(under(at, "secret"), "missing: the secret that is signed with, such as file:/etc/nightporter/%s.secret", name)
			}
		}
		if len(r.Secret) == 0 && r.Signature == nil && r.Body == "" && !b.wasThere(under(at, "secret")) {
			b.warn(at, "events are not signed: whoever knows the address can make the receiver believe anything; add secret, such as file:/etc/nightporter/%s.secret", name)
		}
		d.Method = choice(b, r.Method, "", under(at, "method"), http.MethodPost, http.MethodPut, http.MethodPatch)
		d.Headers = b.headers(r.Headers, under(at, "headers"))
		d.About = b.among(r.About, eventTypes, under(at, "about"))
		d.Jobs = b.among(r.Jobs, b.jobNames(), under(at, "jobs"))
		d.Fields = b.told(r.Fields, d.Jobs, under(at, "fields"))
		b.cfg.Events = append(b.cfg.Events, d)
	}
}

// headerName is what a header may be called.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// ownHeaders are those that we send ourselves, and those that are of the connection.
var ownHeaders = []string{"webhook-id", "webhook-timestamp", "webhook-signature", "host", "content-length", "transfer-encoding", "connection"}

// headers reads what is sent as well. What proves who sends it is a secret, and stands in
// no configuration.
func (b *builder) headers(raw map[string]string, at []string) map[string]string {
	var out map[string]string
	for _, name := range b.all.keys(at...) {
		value, ok := raw[name]
		if !ok {
			continue
		}
		low := strings.ToLower(name)
		switch {
		case !headerName.MatchString(name):
			b.bad(under(at, name), "%s is no name of a header", shown(name))
		case slices.Contains(ownHeaders, low):
			b.bad(under(at, name), "is set by nightporter itself: delete it")
		case low == "authorization" || low == "cookie" || strings.Contains(low, "key") || strings.Contains(low, "token") || strings.Contains(low, "secret"):
			b.bad(under(at, name), "a secret is never written here: put it alone into a file, name that under secret, and say signature: { header: %s, token: true }", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			b.bad(under(at, name), "must be plain text on one line")
		default:
			if out == nil {
				out = map[string]string{}
			}
			out[name] = value
		}
	}
	return out
}

// destination reads the address of a receiver, or where it is kept.
func (b *builder) destination(text string, path []string) (address string, hidden bool) {
	if elsewhere(text) {
		return b.place(text, path), true
	}
	if text == "" {
		b.missing(path, "missing: where the events go, such as https://n8n.example.com/webhook/abc")
		return "", false
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		b.bad(path, "must be an address such as https://n8n.example.com/webhook/abc, or file:/path of a file with it")
		return "", false
	case u.User != nil:
		b.bad(path, "has a user or password in it: put the whole address into a file and write file:/path of it")
		return "", false
	case u.Fragment != "":
		b.bad(path, "must end before #")
		return "", false
	case u.Scheme == "http" && !loopback(u.Hostname()):
		b.warn(path, "http without s: what is sent there travels readable by anybody on the way")
	}
	return text, false
}

// among is words of which each must be one of a few.
func (b *builder) among(got words, allowed []string, path []string) []string {
	var out []string
	for _, w := range got {
		switch {
		case !slices.Contains(allowed, w):
			b.notOne(path, w, allowed)
		case slices.Contains(out, w):
			b.bad(path, "%s stands there twice: delete one", shown(w))
		default:
			out = append(out, w)
		}
	}
	return out
}

// jobNames is the jobs in the order of the file, those with mistakes too.
func (b *builder) jobNames() []string { return b.all.keys("jobs") }

// told is the fields of which values go along: each must be one of a job that is told
// of, and a job that keeps digests has no values.
func (b *builder) told(fields words, jobs []string, path []string) []string {
	var known []string
	sealed := map[string]string{}
	for _, j := range b.cfg.Jobs {
		if len(jobs) > 0 && !slices.Contains(jobs, j.Name) {
			continue
		}
		for _, f := range j.Fields {
			switch {
			case j.KeepValues == KeepDigest:
				sealed[f.Name] = j.Name
			case !slices.Contains(known, f.Name):
				known = append(known, f.Name)
			}
		}
	}
	var out []string
	for _, f := range fields {
		switch {
		case slices.Contains(out, f):
			b.bad(path, "%s stands there twice: delete one", shown(f))
		case slices.Contains(known, f):
			out = append(out, f)
		case sealed[f] != "":
			b.bad(path, "the values of %s can't go along: job %s keeps digests of them (keep_values)", shown(f), sealed[f])
		case len(b.cfg.Jobs) > 0:
			b.bad(path, "%s is no field of a job that is told of%s", shown(f), didYouMean(f, known))
		}
	}
	return out
}
