package config

import (
	"net/url"
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
		d.About = b.among(r.About, eventTypes, under(at, "about"))
		d.Jobs = b.among(r.Jobs, b.jobNames(), under(at, "jobs"))
		d.Fields = b.told(r.Fields, d.Jobs, under(at, "fields"))
		b.cfg.Events = append(b.cfg.Events, d)
	}
}

// destination reads the address of a receiver, or where it is kept.
func (b *builder) destination(text string, path []string) (address string, hidden bool) {
	if strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "env:") {
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
