package sql

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// Describe reads the catalogue anew and compares it with the settings. All kinds
// are looked at before it answers with what is wrong.
func (c *Conn) Describe(ctx context.Context) (connectors.Description, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	d := connectors.Description{Kinds: map[record.Kind]connectors.Kind{}}
	var err error
	if d.Account, err = c.Account(ctx); err != nil {
		return d, err
	}
	c.forget()
	var wrong []error
	for _, kind := range slices.Sorted(maps.Keys(c.cfg.Tables)) {
		t, err := c.table(ctx, "describe "+string(kind), kind)
		if err != nil {
			wrong = append(wrong, err)
			if connectors.ClassOf(err) == connectors.Transient {
				break
			}
			continue
		}
		d.Kinds[kind] = c.kind(t)
	}
	if len(c.cfg.Documents) > 0 {
		d.Kinds[dockit.Kind] = dockit.Describe()
	}
	return d, errors.Join(wrong...)
}

// kind is a table as the contract describes it.
func (c *Conn) kind(t *table) connectors.Kind {
	k := connectors.Kind{
		Fields:   map[string]connectors.Field{},
		IDs:      t.ids(),
		Reads:    t.reads(),
		PageSize: c.cfg.PageSize,
		Create:   t.write.inserts, Update: t.write.updates, Delete: t.deletes(), Get: true,
		Since: t.Changed != "", Changed: t.Changed != "", Created: t.Created != "",
		Windowed: t.Window[0] != "", WindowField: t.Window, Filtered: t.only() != "",
		Stable: true, Conditional: t.write.updates, MakesNew: t.write.inserts, Answers: t.write.inserts || t.write.updates, Asks: t.AcceptIf != "", FindAny: true,
	}
	if t.Deleted != "" { // what was listed before that was known is looked at again
		k.Waits = t.Deleted
	}
	if k.Since {
		k.SinceOverlap = t.Overlap
	}
	for _, name := range t.described() {
		k.Fields[name] = connectors.Field{
			ReadOnly: t.readOnly(name),
			MaxRunes: t.write.columns[name].maxRunes, Whole: t.write.columns[name].whole(),
		}
		k.FindBy = append(k.FindBy, []string{name})
	}
	for _, set := range t.read.unique {
		if !slices.ContainsFunc(set, func(n string) bool { return slices.Contains(t.Private, n) }) {
			k.Unique = append(k.Unique, set)
			if len(set) > 1 {
				k.FindBy = append(k.FindBy, set)
			}
		}
	}
	for _, name := range t.write.order {
		if col := t.write.columns[name]; col.notNull && !col.filled && !col.computed && name != t.OurMark {
			k.Required = append(k.Required, name)
		}
	}
	if t.OurMark != "" {
		k.Stamp = connectors.Stamp{Path: t.OurMark, Find: true, Unique: slices.Contains(t.write.marks, t.OurMark)}
	}
	return k
}

// ids says what an id is made of. A query is named by a digest, because nobody wants to read it in a message.
func (t *table) ids() connectors.IDs {
	in := t.title()
	if t.Query != "" {
		in = "the query " + record.DigestOf("query", []byte(t.Query)).String()[:8]
	}
	return connectors.IDs{Of: strings.Join(t.Key, ", "), In: in}
}

// Grants are the statements that give the configured user the rights it needs to read
// these columns of a kind, to create rows with those and to update others, and no more.
func (c *Conn) Grants(ctx context.Context, kind record.Kind, reads, creates, updates []string) ([]string, error) {
	if c.rendered(kind) {
		return []string{"select what the queries of its documents name"}, nil
	}
	ctx, cancel := c.within(ctx)
	defer cancel()
	op := "list rights for " + string(kind)
	conf, ok := c.cfg.Tables[kind]
	if !ok {
		return nil, connectors.Wrong(connectors.Unsupported, op, "no table is configured for %q", kind)
	}
	g := rights{user: c.cfg.User, file: c.cfg.Address, query: conf.Query != "", accepts: conf.AcceptIf != ""}
	if conf.Table == "" {
		return c.d.grants(g), nil
	}
	var err error
	if g.schema, g.table, err = dbkit.SplitName(conf.Table); err != nil {
		return nil, connectors.Wrong(connectors.Malformed, op, "%w", err)
	}
	src, err := c.d.columns(ctx, c.db, g.schema, g.table)
	if err != nil && connectors.ClassOf(err) != connectors.Forbidden {
		return nil, c.fail(ctx, op, record.Ref{}, err)
	}
	add := func(to []string, names ...string) []string {
		for _, n := range names {
			if n != "" && !slices.Contains(to, n) && !slices.Contains(conf.Private, n) {
				to = append(to, n)
			}
		}
		return to
	}
	g.reads = add(add(nil, conf.uses()...), slices.Concat(reads, conf.Window[:])...)
	for _, word := range dbkit.Words(conf.Only) {
		if _, ok := src.columns[word]; ok && !slices.Contains(g.reads, word) {
			g.reads = append(g.reads, word) // the condition is evaluated with our rights, private or not
		}
	}
	if len(creates) > 0 {
		g.creates = add(add(nil, creates...), conf.OurMark)
	}
	if len(updates) > 0 {
		g.updates = add(nil, updates...)
		if conf.VersionBump {
			g.updates = add(g.updates, conf.Version)
		}
	}
	g.reads = add(g.reads, slices.Concat(creates, updates)...)
	if g.deletes = conf.MayDelete; len(g.creates) > 0 {
		if g.sequences, err = c.d.sequences(ctx, c.db, g.schema, g.table); err != nil {
			return nil, c.fail(ctx, op, record.Ref{}, err)
		}
	}
	return c.d.grants(g), nil
}

// Account names the database that answers.
func (c *Conn) Account(ctx context.Context) (string, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	account, err := c.d.account(ctx, c.db)
	if err != nil {
		return "", c.fail(ctx, "ask for the database", record.Ref{}, err)
	}
	return account, nil
}
