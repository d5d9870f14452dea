package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// matchField is the field of a conflict that is about which record is the same.
const matchField = record.WhichIsSame

func (c *cli) conflicts() *cobra.Command {
	cmd := &cobra.Command{
		Use: "conflicts", Short: "List, show and resolve what waits for a person", Args: cobra.NoArgs,
		Long: `conflicts lists what a rule could not decide: a field that both sides changed, a
record that may be the same as several, one that is gone on one side, or a change that was sent and of which nobody
can know whether it arrived. What you decide is done by the next sync.

It ends with exit code 3 while a question is open, as status does.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listConflicts(cmd.Context()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List what waits", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.listConflicts(cmd.Context()) },
	}, &cobra.Command{
		Use: "show ID", Short: "Show what it is about, why it waits, and how to decide it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.showConflict(cmd.Context(), args[0]) },
	}, c.resolve(), c.always())
	return cmd
}

// conflictJSON is one question for a person.
type conflictJSON struct {
	ID      int64                          `json:"id,omitempty"`
	Short   string                         `json:"short,omitempty"` // what names it instead, for an unknown outcome
	Kind    string                         `json:"kind"`            // "field", "match" or "unknown outcome"
	Job     record.Binding                 `json:"job"`
	Field   string                         `json:"field"`
	Systems [2]record.System               `json:"systems"`
	Records map[record.System]record.Ref   `json:"records,omitempty"`
	Values  map[record.System]record.Value `json:"values,omitempty"`
	Base    record.Value                   `json:"base,omitzero"`
	Policy  string                         `json:"policy"`
	Why     string                         `json:"why"`
	Since   instant                        `json:"since,omitempty"`
	Choice  record.Choice                  `json:"choice,omitempty"`
	Value   record.Value                   `json:"value,omitzero"`
	Others  []candidate                    `json:"candidates,omitempty"`
	Sent    *sentJSON                      `json:"sent,omitempty"`
	First   string                         `json:"first,omitempty"` // the question that must be decided before

	refers bool // it is about whom the records name
	digits bool // cards are not blanked: an answer sends the digits that its system holds
}

// candidate is a record that a question about the same one is about.
type candidate struct {
	System record.System `json:"system"`
	Record record.Ref    `json:"record"`
	Linked bool          `json:"linked"`
	Alone  bool          `json:"alone,omitempty"` // the record that it was linked to is gone, and it was left as it is
	Fields record.Fields `json:"fields"`
}

func conflictOf(x record.Question, job *engine.Job) conflictJSON {
	return conflictWith(x, [2]record.System{job.Sides[0].System, job.Sides[1].System})
}

// ruleOf is by which rule a question is asked, or of a record without a link what may be answered.
func ruleOf(x record.Question) string { return cmp.Or(x.Choices, string(x.Cause)) }

func conflictWith(x record.Question, systems [2]record.System) conflictJSON {
	kind := kindField
	policy := ruleOf(x)
	if x.Field == matchField {
		kind, policy = kindMatch, string(plan.AnyAnswer)
	}
	if x.Field == engine.RecordField {
		kind, x.Base = kindRecord, record.Value{}
	}
	out := conflictJSON{
		ID: x.ID, Kind: kind, Job: x.Binding, Field: x.Field, Systems: systems, Base: x.Base,
		Policy: policyName(policy, systems), Why: x.Why, Since: timeJSON(x.Opened), Choice: x.Choice, Value: x.Value,
		Records: map[record.System]record.Ref{}, Values: map[record.System]record.Value{},
	}
	for side, v := range [2]record.Value{x.Left, x.Right} {
		if v.Observed() {
			out.Values[systems[side]] = v
		}
	}
	return out
}

// loadConflict adds to a conflict what records it is about.
func loadConflict(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question) (conflictJSON, error) {
	out := conflictWith(x, systemsOf(cfg, x.Binding))
	out.digits = !cfg.Privacy.BlankCards
	if x.Entry != 0 {
		e, ok, err := s.EntryNum(ctx, x.Entry)
		if ok {
			out.Records[out.Systems[e.Place.Side]] = e.Ref
		}
		return out, err
	}
	if err := nameReferences(ctx, s, cfg, x, &out); err != nil {
		return out, err
	}
	pair, ok, err := s.Pair(ctx, x.Link)
	if ok {
		for side, e := range pair.Sides {
			out.Records[out.Systems[side]] = e.Ref
		}
	}
	return out, err
}

// nameReferences puts the records that a reference names in place of our own word
// for them, which says nothing to anybody.
func nameReferences(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question, out *conflictJSON) error {
	j, _ := cfg.Job(string(x.Binding))
	f, ok := j.Field(x.Field)
	if !ok || f.Reference == nil {
		return nil
	}
	out.refers = true
	to := record.Binding(f.Reference.Job)
	name := func(system record.System, v record.Value) (record.Value, error) {
		if shown := v.Map()["left_out"]; shown.Text() != "" { // somebody who is known by that text alone
			return shown, nil
		}
		pair, ok, err := s.ByEntity(ctx, to, v.Text())
		if err != nil || !ok {
			return v, err
		}
		for side, there := range systemsOf(cfg, to) {
			if there == system {
				return record.OfText(pair.Sides[side].Ref.String()), nil
			}
		}
		return v, nil
	}
	var err error
	for _, system := range out.Systems {
		if v, ok := out.Values[system]; ok && err == nil {
			out.Values[system], err = name(system, v)
		}
	}
	if err == nil {
		out.Base, err = name(out.Systems[record.Right], x.Base)
	}
	return err
}

func (c *cli) listConflicts(ctx context.Context) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	out := []conflictJSON{}
	var sets []setJSON
	if s != nil {
		defer s.Close()
		if out, err = questions(ctx, s, cfg); err != nil {
			return err
		}
		if sets, err = setsOf(ctx, s, cfg, ""); err != nil {
			return err
		}
	}
	if err := c.printQuestions(out, sets); err != nil {
		return err
	}
	if len(out) > 0 || undecided(sets) {
		return errWaits
	}
	return nil
}

func (c *cli) printQuestions(out []conflictJSON, sets []setJSON) error {
	if c.json {
		return c.printJSON(withSets(out, sets))
	}
	for _, x := range sets {
		show(c.out, "%s: %s\n", x.Job, x)
	}
	if len(out)+len(sets) == 0 {
		return tell(c.out, "nothing waits for a person\n")
	}
	if len(out) == 0 {
		return nil
	}
	var rows [][]string
	for _, x := range out {
		rows = append(rows, []string{x.name(), string(x.Job), x.about(), x.topic(), x.asked(), x.decided()})
	}
	tableOf(c.out, []string{"id", "job", "record", "field", "question", "decided"}, rows)
	return nil
}

// name is what a user types for it.
func (x conflictJSON) name() string {
	if x.Kind == kindOutcome {
		return x.Short
	}
	return strconv.FormatInt(x.ID, 10)
}

// topic is the field, or the kind of question where it is about none.
func (x conflictJSON) topic() string {
	if x.Kind == kindOutcome {
		return kindOutcome
	}
	return x.Field
}

// about names the records of a conflict.
func (x conflictJSON) about() string {
	var parts []string
	for _, system := range x.Systems {
		if r, ok := x.Records[system]; ok {
			parts = append(parts, fmt.Sprintf("%s %s", system, r))
		}
	}
	return list(parts)
}

// asked is the question in one line.
func (x conflictJSON) asked() string {
	switch {
	case x.First != "":
		return fmt.Sprintf("it may be what change %s made: decide that first", x.First)
	case x.Kind == kindMatch, x.Kind == kindRecord:
		return x.Why
	case x.Kind == kindOutcome:
		return fmt.Sprintf("did this %s arrive in %s? %s", x.Sent.Op, x.Sent.System, x.Why)
	}
	return fmt.Sprintf("%s: %s, %s: %s", x.Systems[0], x.Values[x.Systems[0]], x.Systems[1], x.Values[x.Systems[1]])
}

// decided is what a person said.
func (x conflictJSON) decided() string {
	if x.Kind == kindOutcome {
		return string(x.Choice)
	}
	switch x.Choice { //nolint:exhaustive // the others belong to other questions
	case "":
		return ""
	case record.ChoiceLeft:
		return string(x.Systems[0])
	case record.ChoiceRight:
		return string(x.Systems[1])
	case record.ChoiceLeave:
		return "both stay as they are"
	}
	return x.Value.String()
}

func (c *cli) showConflict(ctx context.Context, id string) error {
	cfg, s, err := c.look(ctx)
	if err != nil {
		return err
	}
	if s != nil {
		defer s.Close()
	}
	q, err := questionOf(ctx, s, cfg, id)
	if err != nil {
		return err
	}
	out, err := q.load(ctx, s, cfg)
	if err != nil {
		return err
	}
	switch {
	case c.json:
		return c.printJSON(out)
	case q.lost != nil:
		c.printOutcome(out, *q.lost)
	default:
		c.printConflict(out, q.conflict)
	}
	return nil
}

// candidates is the records of both sides that share a match key with an entry,
// the entry itself first.
func candidates(ctx context.Context, s *state.Store, cfg *config.Config, x record.Question) ([]candidate, error) {
	e, ok, err := s.EntryNum(ctx, x.Entry)
	if err != nil || !ok {
		return nil, err
	}
	m, err := app.MappingOf(cfg, string(x.Binding))
	if err != nil {
		return nil, err
	}
	systems := systemsOf(cfg, x.Binding)
	seen, _ := m.Read(e.Place.Side, e.Last())
	out := []candidate{candidateOf(seen, systems, e)}
	for _, side := range []record.Side{e.Place.Side, e.Place.Side.Other()} {
		alike, err := s.Matching(ctx, record.Place{Binding: x.Binding, Side: side}, e.Keys)
		if err != nil {
			return nil, err
		}
		if side != e.Place.Side {
			if alike, err = withBeside(ctx, s, x, side, alike); err != nil {
				return nil, err
			}
		}
		for _, o := range alike {
			if o.Num != e.Num {
				seen, _ := m.Read(o.Place.Side, o.Last())
				one := candidateOf(seen, systems, o)
				if _, one.Alone, err = goesAlone(ctx, s, o); err != nil {
					return nil, err
				}
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// withBeside adds the records across that a question names, and that no stored key finds.
func withBeside(ctx context.Context, s *state.Store, x record.Question, side record.Side, found []record.Entry) ([]record.Entry, error) {
	for _, ref := range x.Rests.Beside {
		e, ok, err := s.Entry(ctx, record.Place{Binding: x.Binding, Side: side}, ref)
		if err != nil {
			return nil, err
		}
		if ok && !slices.ContainsFunc(found, func(o record.Entry) bool { return o.Num == e.Num }) {
			found = append(found, e)
		}
	}
	return found, nil
}

func candidateOf(f record.Fields, systems [2]record.System, e record.Entry) candidate {
	return candidate{System: systems[e.Place.Side], Record: e.Ref, Linked: e.Link != 0, Fields: f}
}

func (c *cli) printConflict(x conflictJSON, raw record.Question) {
	show(c.out, "conflict %d, job %s: %s of %s\n", x.ID, x.Job, x.Field, x.about())
	show(c.out, "  why:          %s\n  policy:       %s\n  since:        %s (run %d)\n", x.Why, x.Policy, moment(raw.Opened), raw.Run)
	if x.Kind == kindRecord {
		show(c.out, "  %-13s %s\n  %-13s %s\n", string(x.Systems[0])+":", x.Values[x.Systems[0]], string(x.Systems[1])+":", x.Values[x.Systems[1]])
	} else if x.Field != matchField {
		show(c.out, "  %-13s %s\n  %-13s %s\n  %-13s %s\n", string(x.Systems[0])+":", x.Values[x.Systems[0]], string(x.Systems[1])+":", x.Values[x.Systems[1]], "last in step:", x.Base)
	}
	c.printCandidates(x.Others)
	switch {
	case !raw.Closed.IsZero():
		show(c.out, "  closed:       %s\n", moment(raw.Closed))
	case x.Choice != "":
		show(c.out, "  decided:      %s, for the next sync\n", x.decided())
	case x.First != "":
		show(c.out, "  decide first: nightporter conflicts show %s\n", x.First)
	case x.Kind == kindRecord:
		show(c.out, "  decide:       nightporter conflicts resolve %d %s\n", x.ID, goneAnswers(raw))
		for _, means := range answersMean(raw, x.Systems) {
			show(c.out, "                %s\n", means)
		}
	case x.Field == matchField:
		can := plan.Answers(raw.Choices)
		show(c.out, "  decide:       nightporter conflicts resolve %d %s\n", x.ID, matchAnswers(can))
		for _, means := range matchMeans(x, raw.Cause, can) {
			show(c.out, "                %s\n", means)
		}
		if other := otherwise(can, x.Systems); other != "" {
			show(c.out, "                %s\n", other)
		}
	default:
		show(c.out, "  decide:       nightporter conflicts resolve %d %s | %s%s | --leave\n", x.ID, x.Systems[0], x.Systems[1], x.typed())
		for _, means := range x.cardMeans() {
			show(c.out, "                %s\n", means)
		}
	}
}

// cardMeans says what each answer does to the digits of a payment card that a system may hold, where the values are
// shown with asterisks. It says nothing about other values.
func (x conflictJSON) cardMeans() (lines []string) {
	if !plan.HidesDigits(x.Values[x.Systems[0]], x.Values[x.Systems[1]]) {
		return nil
	}
	for i, from := range x.Systems {
		to := x.Systems[1-i]
		how := "with asterisks for digits"
		if x.digits {
			how = "with all its digits, because cards are not blanked"
		}
		lines = append(lines, fmt.Sprintf("%s: the text of %s goes to %s too, %s; digits of a card that %s holds in its own text are lost", from, from, to, how, to))
	}
	return append(lines, "--value TEXT: both get TEXT; digits of a card that either holds are lost", "--leave: both keep their texts, with all digits")
}

func (c *cli) printCandidates(cs []candidate) {
	for _, o := range cs {
		linked := ""
		switch {
		case o.Alone:
			linked = " (the record that it was linked to is gone)"
		case o.Linked:
			linked = " (linked)"
		}
		show(c.out, "  %s of %s%s\n", o.Record, o.System, linked)
		for _, f := range o.Fields.Names() {
			show(c.out, "    %s: %s\n", f, o.Fields[f])
		}
	}
}
