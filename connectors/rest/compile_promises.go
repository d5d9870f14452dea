package rest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"nightporter/connectors/jsonx"
)

// A preset that says what nobody keeps is refused: a method that no API has, a path that
// leads nowhere, a place in an address that nobody fills, a secret that is none.

// changing is the methods of requests that change something.
var changing = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// places finds the places in an address, such as {id}.
var places = regexp.MustCompile(`\{([^{}]*)\}`)

// filled refuses an address with places that nobody fills. by is what is filled in.
func (c *checker) filled(key, address string, by ...string) {
	for _, m := range places.FindAllStringSubmatch(address, -1) {
		if !slices.Contains(by, m[1]) {
			c.wrong("%s is %q, and nobody fills in %s", key, address, m[0])
		}
	}
}

// verbatim refuses values that are sent as they stand and look as if they were not.
func (c *checker) verbatim(key string, values map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.plain(key+"."+name, values[name])
		if v := values[name]; places.FindString(v) == v && v != "" {
			c.wrong("%s.%s is %q, and nobody fills it in: it is sent as it stands", key, name, v)
		}
	}
}

// plain refuses what looks like the place of a secret: it would be sent in its stead.
func (c *checker) plain(key, v string) {
	for _, scheme := range []string{"file:", "env:"} {
		if strings.HasPrefix(v, scheme) {
			c.wrong("%s begins with %s, and is sent as it stands: only key of a system names a secret", key, scheme)
		}
	}
}

// general looks at what a preset promises for all kinds.
func (c *checker) general(p Preset) {
	c.verbatim("headers", p.Headers)
	c.plain("auth.user", p.Auth.User)
	c.plain("auth.prefix", p.Auth.Prefix)
	c.filled("prefix", p.Prefix)
	c.filled("identity.path", p.Identity.Path)
	c.path("identity.item", p.Identity.Item, "id")
}

// promises looks at what a kind promises.
func (c *checker) promises(k *kind) {
	c.filled("path", k.Path)
	c.verbatim("list.params", k.List.Params)
	if k.Get != nil {
		c.filled("get.path", k.Get.Path, "id")
		c.verbatim("get.params", k.Get.Params)
	}
	if k.Create != nil {
		c.createPath(k)
		for _, p := range k.Create.Without {
			c.path("create.without", p, "")
			if slices.Contains(k.Required, p) {
				c.wrong("create.without holds %s, and required holds it too: does a create take it?", p)
			}
		}
	}
	if k.Update != nil {
		c.filled("update.path", k.Update.Path, "id")
	}
	c.filled("delete.path", k.Delete.Path, "id")
	if k.Delete.Path != "" {
		c.oneOf("delete.method", k.Delete.Method, changing...)
	}
	for _, name := range slices.Sorted(maps.Keys(k.SubReads)) {
		c.path("sub_reads", name, "")
		c.filled("sub_reads."+name+".path", k.SubReads[name].Path, "id")
	}
	for i, f := range k.finds {
		c.filled(fmt.Sprintf("find[%d].path", i), f.Path, f.By...)
		c.verbatim(fmt.Sprintf("find[%d].fixed", i), f.Fixed)
	}
	c.actionPromises(k)
	c.named(k)
	c.halves(k)
}

// createPath refuses a place in the address of a create that no field may fill.
func (c *checker) createPath(k *kind) {
	for _, m := range places.FindAllStringSubmatch(k.Create.Path, -1) {
		p, err := jsonx.ParsePath(m[1])
		switch why := k.can.Unwritable(m[1]); {
		case err != nil:
			c.wrong("create.path: %s: %w", m[0], err)
		case why != "":
			c.wrong("create.path is %q, and nobody fills in %s: %s", k.Create.Path, m[0], why)
		case slices.Equal(p, k.id):
			c.wrong("create.path is %q, and a new record has no %s yet", k.Create.Path, m[0])
		}
	}
}

func (c *checker) actionPromises(k *kind) {
	for _, value := range slices.Sorted(maps.Keys(k.Status.Requests)) {
		r, key := k.Status.Requests[value], "status.requests."+value
		c.oneOf(key+".method", first(r.Method, http.MethodPost), changing...)
		c.filled(key+".path", r.Path, "id")
		for _, name := range slices.Sorted(maps.Keys(r.Query)) {
			c.told(key+".query."+name, r.Query[name])
		}
		texts(r.Body, func(text string) { c.told(key+".body", text) })
		for _, p := range r.carries() {
			if why := k.can.Unwritable(p); why != "" {
				c.wrong("%s takes {%s} along, which is never written: %s", key, p, why)
			}
		}
	}
}

// told looks at a text of a request for a status: it is a place that is filled in, or it
// is sent as it stands.
func (c *checker) told(key, text string) {
	c.plain(key, text)
	switch p, place := inPlace(text); {
	case place:
		c.path(key, p, "")
	case places.MatchString(text):
		c.wrong("%s holds %q: a place is filled in where it is the whole text alone", key, text)
	}
}

// named looks at the lists of paths.
func (c *checker) named(k *kind) {
	for key, paths := range map[string][]string{"read_only": k.ReadOnly, "required": k.Required, "unique": slices.Concat(k.Unique...)} {
		for _, p := range paths {
			if p == "" {
				c.wrong("%s holds an empty path", key)
			}
			c.path(key, p, ".")
		}
	}
	if k.Import == nil {
		return
	}
	for i, col := range k.Import.Columns {
		c.path(fmt.Sprintf("import.columns[%d].path", i), col.Path, ".")
	}
}

// halves refuses keys that mean nothing without others.
func (c *checker) halves(k *kind) {
	if n := len(k.WindowFields); n != 0 && n != 2 {
		c.wrong("window_fields holds %d paths; it is two, of a record's first and last day, which may be the same", n)
	}
	if s := k.List.Since; s.Param == "" && s != (SinceSpec{}) {
		c.wrong("list.since.param is missing: the rest of since means nothing without it")
	}
	if s := k.Stamp; s.Field == "" && (s.Find || s.Unique) {
		c.wrong("stamp.field is missing: where is our mark kept?")
	}
}
