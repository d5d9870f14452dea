package doctor

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nightporter/connectors/rest"
)

// way is how the API is entered.
type way struct {
	prefix string
	auth   rest.Auth
	path   string
	last   observation // a list that was read
}

// prefixes are where APIs of this kind begin.
var prefixes = []string{"/external/v1", "/api/external/v1", "/v1", "/api/v1", "/api", ""}

// keys are the forms in which a key is shown, in the order in which they are tried. One
// in the address comes late: addresses are written into logs.
func keys() []rest.Auth {
	return []rest.Auth{
		{Type: "bearer"},
		{Type: "header", Header: "X-Api-Key"},
		{Type: "basic", User: "api"},
		{Type: "header", Header: "Authorization"},
		{Type: "query", Param: "api_key"},
	}
}

// synonyms are other paths of a kind.
func synonyms(kind, path string) []string {
	paths := []string{path}
	switch kind {
	case "contacts":
		paths = append(paths, "/contacts", "/customers", "/clients", "/guests", "/people")
	case "reservations":
		paths = append(paths, "/reservations", "/events", "/bookings", "/appointments")
	case "calls":
		paths = append(paths, "/calls", "/call-history", "/call_history")
	}
	return compact(paths)
}

// compact leaves out what is there already.
func compact[T comparable](all []T) []T {
	var out []T
	for _, v := range all {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// verdict is what an answer says about the way in.
type verdict int

const (
	missing   verdict = iota // there is no such path
	entered                  // a list
	keyless                  // the key is not seen, or not known
	forbidden                // the key is known and may not
	silent                   // no answer, or a server error
)

// judge is what an answer to a list says about the way in.
func judge(o observation) verdict {
	switch {
	case o.status == 0, o.status >= 500, o.status == http.StatusTooManyRequests:
		return silent
	case o.status == http.StatusUnauthorized:
		return keyless
	case o.status == http.StatusForbidden:
		return forbidden
	case o.status == http.StatusNoContent:
		return entered
	case o.ok() && !flagged(o) && readList(o, "contacts", "reservations").items != "":
		return entered
	}
	return missing
}

// flagged reports whether a success says of itself that it is none.
func flagged(o observation) bool {
	top, ok := o.body.(map[string]any)
	if !ok {
		return false
	}
	for name, v := range top {
		if flagName.MatchString(name) && v == false {
			return true
		}
	}
	return false
}

// base joins the address that the user gave with a prefix, which it may end in already.
func base(baseURL, prefix string) string {
	b := strings.TrimRight(strings.TrimSpace(baseURL), "/")
	if prefix = strings.Trim(prefix, "/"); prefix == "" || strings.HasSuffix(b, "/"+prefix) {
		return b
	}
	return b + "/" + prefix
}

// enter looks for the prefix and the form of the key that lead to a list of any kind.
func enter(ctx context.Context, a *asker, b *book) (*way, bool) {
	p := a.cfg.Preset
	a.left = MostEntry
	tries := compact(append([]rest.Auth{p.Auth}, keys()...))
	if a.cfg.Secret == nil {
		tries = []rest.Auth{{Type: "none"}}
	}
	pres := compact(append([]string{strings.TrimRight(p.Prefix, "/")}, prefixes...))
	var o observation
	k := 0 // a form that was refused is not tried again elsewhere
	params := entryParams(p)
	for _, path := range entries(p) {
		for i := 0; i < len(pres); {
			a.base, a.auth = base(a.cfg.BaseURL, pres[i]), tries[k]
			o = a.ask(ctx, request{path: path, query: params[path], shown: "GET " + pres[i] + path})
			if wants(o) && len(params[path]) > 0 { // it may be these that it refuses
				o = a.ask(ctx, request{path: path, shown: "GET " + pres[i] + path})
			}
			switch judge(o) {
			case entered:
				w := &way{prefix: pres[i], auth: tries[k], path: path, last: o}
				w.tell(ctx, a, b)
				return w, true
			case keyless:
				if k++; k == len(tries) {
					b.say("", "auth", nil, NotKnown, "%s answers %s to the key in each of %s: is it the right key, and of this system?", o.shown, o.said(), count(k, "form", "forms"))
					return nil, false
				}
			case forbidden:
				b.say("", "auth", nil, NotKnown, "%s answers %s: the key is known and may not read this; give it the right to read", o.shown, o.said())
				return nil, false
			case silent:
				b.say("", "prefix", nil, NotKnown, "%s: %s; try again when the system answers", o.shown, o.said())
				return nil, false
			case missing:
				i++
			}
		}
	}
	b.say("", "prefix", nil, NotKnown, "none of %s under base_url leads to a list (%s): look at base_url and at the paths of the kinds",
		count(len(pres), "prefix", "prefixes"), o.said()+moved(o))
	return nil, false
}

// entries is the paths by which the API is looked for: that of each kind, those that are
// written first, for which a preset is made.
func entries(p rest.Preset) []string {
	var written, read []string
	for _, name := range sortedKinds(p) {
		if k := p.Kinds[name]; k.Create != nil {
			written = append(written, k.Path)
		} else {
			read = append(read, k.Path)
		}
	}
	return append(written, read...)
}

// entryParams is what goes along with the first question for each path.
func entryParams(p rest.Preset) map[string]url.Values {
	out := map[string]url.Values{}
	for _, k := range p.Kinds {
		if len(k.List.Params) > 0 {
			out[k.Path] = single(k.List.Params)
		}
	}
	return out
}

// moved is where an answer says that the API has gone.
func moved(o observation) string {
	if o.status < 300 || o.status >= 400 {
		return ""
	}
	u, err := url.Parse(o.header.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return ", moved to " + u.Scheme + "://" + u.Host
}

// tell says how the API was entered, after looking whether it opens without a key, too.
func (w *way) tell(ctx context.Context, a *asker, b *book) {
	b.say("", "prefix", w.prefix, Known, "%s answers with a list there", w.last.shown)
	if w.auth.Type == "none" {
		b.say("", "auth", nil, NotKnown, "the configuration names no key, and it answers without one")
		return
	}
	a.auth = rest.Auth{Type: "none"}
	o := a.ask(ctx, request{path: w.path, query: entryParams(a.cfg.Preset)[w.path], shown: w.last.shown})
	a.auth = w.auth
	value := map[string]any{"type": w.auth.Type}
	for key, v := range map[string]string{"header": w.auth.Header, "user": w.auth.User, "param": w.auth.Param, "prefix": w.auth.Prefix} {
		if v != "" {
			value[key] = v
		}
	}
	if v := judge(o); v != keyless && v != forbidden {
		b.say("", "auth", nil, NotKnown, "it answers %s without any key, so that nothing tells whether it reads this one", o.said())
		return
	}
	b.say("", "auth", value, Known, "the key is taken in this form, and without it the answer is %s", o.said())
}
