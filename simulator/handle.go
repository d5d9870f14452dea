package simulator

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// remembered is the first answer to an idempotency key.
type remembered struct {
	request [sha256.Size]byte
	answer  answer
}

// handle answers a request as the server does in good health. The lock is held.
func (s *Sim) handle(c *call, sh *shape) answer {
	key, ok := s.opt.Keys[s.api.traits.key(c)]
	if !ok {
		ans := s.refuse(problem{http.StatusUnauthorized, "unauthorized", "missing or invalid API key"})
		if s.api.challenge != "" {
			ans.header["WWW-Authenticate"] = s.api.challenge
		}
		return ans
	}
	if c.hooks && (!c.writes() || !key.ReadOnly) {
		return s.handleHooks(c, sh)
	}
	if c.res == nil && !c.hooks {
		return s.refuse(problem{http.StatusNotFound, "not_found", "no such path"})
	}
	if allowed := s.methods(c); !c.hooks && !slices.Contains(allowed, c.method) {
		return s.notAllowed(allowed)
	}
	if c.writes() && key.ReadOnly {
		return s.refuse(problem{http.StatusForbidden, "forbidden", "insufficient permissions: this key may only read"})
	}
	t := s.account(key.Account).tables[c.res.name]
	if c.res.name == documentsName {
		s.process(t)
	}
	if c.byKey {
		unique, _ := c.res.field(c.res.unique)
		c.byKey = false
		if ids := t.keys[unique.name][unique.key(c.id)]; len(ids) > 0 {
			c.id = ids[0]
		}
	}
	switch {
	case c.lists():
		return s.list(c, t, sh)
	case c.part != "":
		return s.part(c, t)
	case !c.writes():
		return s.get(c, t, sh)
	case c.dials:
		return s.once(c, key, func() answer { return s.dial(c, t) })
	default:
		return s.once(c, key, func() answer { return s.change(c, t, sh) })
	}
}

// notAllowed is the answer to a verb that a path does not have.
func (s *Sim) notAllowed(allowed []string) answer {
	ans := s.refuse(problem{http.StatusMethodNotAllowed, "method_not_allowed", "method not allowed"})
	ans.header["Allow"] = strings.Join(allowed, ", ")
	return ans
}

func (s *Sim) methods(c *call) []string {
	switch {
	case c.dials:
		return []string{http.MethodPost}
	case c.res.readOnly:
		return []string{http.MethodGet}
	case c.id == "":
		return []string{http.MethodGet, http.MethodPost}
	case c.action != "":
		return []string{http.MethodPatch}
	}
	allowed := []string{http.MethodGet}
	switch s.api.traits.Update {
	case UpdatePatch:
		allowed = append(allowed, http.MethodPatch)
	case UpdateWhole:
		allowed = append(allowed, http.MethodPut)
	case UpdatePut:
		allowed = append(allowed, http.MethodPatch, http.MethodPut)
	}
	if s.opt.Deletes || c.res.deletes {
		allowed = append(allowed, http.MethodDelete)
	}
	return allowed
}

// once gives a repeated idempotency key the first answer again, where keys are honoured.
func (s *Sim) once(c *call, key Key, do func() answer) answer {
	sent := c.header.Get("Idempotency-Key")
	if !s.opt.Idempotency || sent == "" {
		return do()
	}
	name := fmt.Sprintf("%s\x00%s\x00%s", s.swapped, key.Account, sent)
	request := sha256.Sum256(concat(c.method, " ", c.path, "\n", c.body))
	if first, ok := s.answers[name]; ok {
		if first.request != request {
			return s.refuse(problem{http.StatusUnprocessableEntity, "idempotency_key_reused", "this idempotency key came with another request"})
		}
		return first.answer
	}
	ans := do()
	s.answers[name] = remembered{request, ans}
	return ans
}

func (s *Sim) get(c *call, t *table, sh *shape) answer {
	r := t.rows[c.id]
	if sh.lag != nil {
		if before, changed := t.rewound(sh.lag.since, s.now().Add(-sh.lag.Delay))[c.id]; changed {
			r = before
		}
	}
	if r == nil {
		return s.notFound(c)
	}
	return s.one(http.StatusOK, t, r)
}

// change does what a POST, PUT, PATCH or DELETE asks for.
func (s *Sim) change(c *call, t *table, sh *shape) answer {
	var old *row
	if c.id != "" {
		if old = t.rows[c.id]; old == nil {
			return s.notFound(c)
		}
		want := c.header.Get("If-Match")
		if s.opt.Versions && want != "" && want != "*" && want != etag(old) {
			return s.refuse(problem{http.StatusPreconditionFailed, "version_mismatch", "the " + c.res.one + " has changed since"})
		}
	}
	if c.method == http.MethodDelete {
		s.remove(t, old)
		if s.api.traits.Answer == AnswerNone {
			return answer{status: http.StatusNoContent, header: map[string]string{}}
		}
		return answer{status: http.StatusOK, header: jsonHeader(), body: s.api.traits.single(c.res.one, concat(`{"deleted_id":`, encode(old.id), `}`))}
	}
	if c.res.name == documentsName && old == nil {
		return s.upload(c, t, sh)
	}
	body, no := s.bodyOf(c)
	if no != nil {
		return s.refuse(*no)
	}
	if s.api.traits.WrapBody && c.action == "" {
		if body, no = s.unwrapped(c, body); no != nil {
			return s.refuse(*no)
		}
	}
	body = without(body, sh.ignored)
	fields, no := s.accepted(c, t, old, body)
	if no != nil {
		return s.refuse(*no)
	}
	if old != nil && sh.replace != nil {
		fields = t.res.replaced(sh.replace.Fields, fields, body)
	}
	if old == nil {
		return s.written(c, http.StatusCreated, t, s.put(t, s.newID(t), nil, fields))
	}
	return s.written(c, http.StatusOK, t, s.put(t, old.id, old, fields))
}

// unwrapped is the record in a body that has it under its own name.
func (s *Sim) unwrapped(c *call, body map[string]any) (map[string]any, *problem) {
	record, ok := body[c.res.one].(map[string]any)
	if !ok {
		return nil, &problem{s.api.traits.Invalid, "invalid", c.res.one + " is required"}
	}
	return record, nil
}

// written is the answer to a create or an update.
func (s *Sim) written(c *call, status int, t *table, r *row) answer {
	if c.action != "" {
		return s.one(status, t, r)
	}
	switch s.api.traits.Answer {
	case AnswerID:
		var id []byte
		t.addID(func(name string, v any) { id = concat("{", encode(name), ":", encode(v), "}") }, r.id)
		return answer{status: status, header: jsonHeader(), body: s.api.traits.single(c.res.one, id)}
	case AnswerNone:
		if status == http.StatusOK {
			return answer{status: http.StatusNoContent, header: map[string]string{}}
		}
		return answer{status: status, header: map[string]string{"Location": c.path + "/" + url.PathEscape(r.id)}}
	case AnswerRecord:
	}
	return s.one(status, t, r)
}

func (s *Sim) bodyOf(c *call) (map[string]any, *problem) {
	bad := func(text string) *problem { return &problem{http.StatusBadRequest, "bad_request", text} }
	if c.unread != nil {
		return nil, bad("the body is too large or was cut off")
	}
	if c.action != "" && c.query.Has("is_approved") {
		switch c.query.Get("is_approved") {
		case "true":
			return map[string]any{"status": "APPROVED"}, nil
		case "false":
			return map[string]any{"status": "REJECTED"}, nil
		}
		return nil, bad("is_approved must be true or false")
	}
	if ct := c.header.Get("Content-Type"); ct != "" {
		if kind, _, err := mime.ParseMediaType(ct); err != nil || kind != "application/json" {
			return nil, bad("the body must be application/json")
		}
	}
	body, err := decodeObject(c.body)
	if err != nil {
		return nil, bad("the body must be a JSON object")
	}
	if c.action != "" {
		if _, ok := body["status"]; !ok {
			return nil, bad("status is required")
		}
		body = map[string]any{"status": body["status"]}
	}
	return body, nil
}

// accepted is what a record becomes under a body, or why it may not.
func (s *Sim) accepted(c *call, t *table, old *row, body map[string]any) (map[string]any, *problem) {
	base, id := map[string]any{}, ""
	if old != nil {
		base, id = old.fields, old.id
		if s.api.traits.Update == UpdateWhole && c.action == "" {
			base = t.res.kept(old.fields)
		}
	} else if t.res.first != nil {
		maps.Copy(base, t.res.first)
	} else if f, ok := t.res.field("status"); ok {
		base[f.name] = statuses[0]
	}
	if t.res.step != nil {
		var was map[string]any
		if old != nil {
			was = old.fields
		}
		if text := t.res.step(was, body); text != "" {
			return nil, &problem{s.api.traits.Invalid, "invalid", text}
		}
	}
	fields, err := t.res.merged(s.opt.Normalise, s.api.traits, base, body)
	if err != nil {
		return nil, &problem{s.api.traits.Invalid, "invalid", err.Error()}
	}
	for _, f := range t.res.fields {
		unique := f.name == t.res.unique || f.kind == refField && s.opt.Reference == ReferenceUnique
		if unique && t.taken(f, textOf(fields, f.name), id) {
			return nil, duplicateProblem(s.api.traits, t.res, f)
		}
	}
	return fields, nil
}

func (s *Sim) one(status int, t *table, r *row) answer {
	ans := answer{status: status, header: jsonHeader(), body: s.api.traits.single(t.res.one, t.render(r, nil))}
	if s.opt.Versions {
		ans.header["ETag"] = etag(r)
	}
	return ans
}

func (s *Sim) notFound(c *call) answer {
	return s.refuse(problem{http.StatusNotFound, "not_found", c.res.one + " not found"})
}

func etag(r *row) string { return fmt.Sprintf(`"v%d"`, r.stamp) }
