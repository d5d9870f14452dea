package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// The kinds of questions.
const (
	kindField   = "field"           // both sides changed it
	kindMatch   = "match"           // which record is the same
	kindOutcome = "unknown outcome" // whether a change arrived that was never answered
)

// sentJSON is a change of which nobody can know what became.
type sentJSON struct {
	Change string        `json:"change"`
	Op     string        `json:"op"`
	System record.System `json:"system"`
	Record record.Ref    `json:"record"` // without an id for a create
	Fields record.Fields `json:"fields"`
	Before record.Fields `json:"before,omitempty"`
	At     instant       `json:"at"`
	Tries  int           `json:"tries"`
}

// lostChanges is the changes of all jobs of which nobody can know what became.
func lostChanges(ctx context.Context, s *state.Store, cfg *config.Config) ([]record.Intent, error) {
	var all []record.Intent
	for i := range cfg.Jobs {
		lost, err := s.Lost(ctx, record.Binding(cfg.Jobs[i].Name))
		if err != nil {
			return nil, err
		}
		all = append(all, lost...)
	}
	return all, nil
}

// shortest is how many letters of a change's id tell it apart at least, to be typed.
const shortest = 6

// shortOf is the end of a change's id that names it among all that are lost. It has
// a letter, as no conflict's number has.
func shortOf(id string, all []record.Intent) string {
	for n := shortest; n < len(id); n++ {
		end := id[len(id)-n:]
		if strings.ContainsFunc(end, unicode.IsLetter) && len(lostNamed(end, all)) == 1 {
			return end
		}
	}
	return id
}

// lostNamed is the lost changes whose id ends as the user typed it.
func lostNamed(text string, all []record.Intent) []record.Intent {
	var found []record.Intent
	for _, in := range all {
		if len(text) >= shortest && strings.HasSuffix(in.ID, strings.ToUpper(text)) {
			found = append(found, in)
		}
	}
	return found
}

// lostNumber finds a lost change by what the user typed.
func lostNumber(all []record.Intent, text string) (in record.Intent, ok bool, err error) {
	switch found := lostNamed(text, all); len(found) {
	case 0:
		return in, false, nil
	case 1:
		return found[0], true, nil
	default:
		return in, false, usageError{fmt.Errorf("%d changes end in %q: type more of the id", len(found), text)}
	}
}

// loadOutcome is the question what became of a change.
func loadOutcome(ctx context.Context, s *state.Store, cfg *config.Config, in record.Intent, all []record.Intent) (conflictJSON, error) {
	b := in.Place.Binding
	systems := systemsOf(cfg, b)
	to := systems[in.Place.Side]
	out := conflictJSON{
		Kind: kindOutcome, Job: b, Systems: systems, Why: in.Error, Since: timeJSON(in.SentAt), Short: shortOf(in.ID, all),
		Records: map[record.System]record.Ref{},
		Sent: &sentJSON{
			Change: in.ID, Op: in.Change.Op.String(), System: to, Record: in.Change.Ref, Fields: in.Change.Fields,
			Before: in.Change.Before, At: timeJSON(in.SentAt), Tries: in.Tries,
		},
	}
	if in.Change.Op != record.Create {
		out.Records[to] = in.Change.Ref
	} else if e, ok, err := s.EntryNum(ctx, in.From); err != nil {
		return out, err
	} else if ok {
		out.Records[systems[e.Place.Side]] = e.Ref
	}
	claims, err := s.Claims(ctx, b)
	if c, said := claims[in.ID]; said {
		out.Choice = record.Choice(claimWords(c))
	}
	return out, err
}

func claimWords(c record.Claim) string {
	switch {
	case !c.Arrived:
		return "not arrived"
	case c.Ref.ID != "":
		return "arrived as " + c.Ref.String()
	}
	return "arrived"
}

// doubtful is the records that are kept back because they may be what a change made:
// each is held, and its question names the change.
func doubtful(ctx context.Context, s *state.Store, cfg *config.Config, in record.Intent) ([]candidate, error) {
	b := in.Place.Binding
	m, err := app.MappingOf(cfg, string(b))
	if err != nil {
		return nil, err
	}
	open, err := s.Questions(ctx, b, true)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, x := range open {
		if x.Entry == 0 || !strings.Contains(x.Why, in.ID) {
			continue
		}
		e, ok, err := s.EntryNum(ctx, x.Entry)
		if err != nil {
			return nil, err
		}
		if ok {
			seen, _ := m.Read(e.Place.Side, e.Last())
			out = append(out, candidateOf(seen, systemsOf(cfg, b), e))
		}
	}
	return out, nil
}

func (c *cli) printOutcome(x conflictJSON, in record.Intent) {
	sent := x.Sent
	what := sent.Op + " of " + sent.Record.String()
	if in.Change.Op == record.Create {
		what = fmt.Sprintf("%s of a new %s", sent.Op, sent.Record.Kind)
	}
	show(c.out, "change %s, job %s: nobody can know what became of it\n", sent.Change, x.Job)
	show(c.out, "  sent:         %s to %s, %s (%s); no answer came\n", what, sent.System, moment(in.SentAt), count(sent.Tries, "try", "tries"))
	if in.Change.Op == record.Create {
		show(c.out, "  made from:    %s\n", x.about())
	}
	for _, p := range sent.Fields.Names() {
		was := ""
		if v := sent.Before[p]; v.Observed() {
			was = fmt.Sprintf(" (before: %s)", v)
		}
		show(c.out, "    %s: %s%s\n", p, sent.Fields[p], was)
	}
	show(c.out, "  why:          %s\n", x.Why)
	if len(x.Others) > 0 {
		show(c.out, "  it may have made one of these, which are kept back until you decide:\n")
	}
	c.printCandidates(x.Others)
	switch id := x.Short; {
	case x.Choice != "":
		show(c.out, "  decided:      %s, for the next sync\n", x.Choice)
	case in.Change.Op == record.Create:
		show(c.out, "  look for it in %s, then say which record it made, or that it never arrived and is to be planned anew:\n", sent.System)
		show(c.out, "  decide:       nightporter conflicts resolve %s --arrived RECORD-ID | --not-arrived\n", id)
	default:
		show(c.out, "  look at it in %s, then say whether it arrived, or never did and is to be planned anew:\n", sent.System)
		show(c.out, "  decide:       nightporter conflicts resolve %s --arrived | --not-arrived\n", id)
	}
}

// resolveOutcome notes what the user said became of a change.
func (c *cli) resolveOutcome(ctx context.Context, s *state.Store, cfg *config.Config, q question, args []string, f resolveFlags) error {
	in := *q.lost
	words := "the decision is taken back"
	if f.undo {
		if err := s.Unclaim(ctx, in.ID); err != nil {
			return err
		}
	} else {
		claim, said, err := claimed(ctx, s, cfg, in, args, f)
		if err != nil {
			return usageError{err}
		}
		if err := s.Claim(ctx, in.ID, claim); err != nil {
			return err
		}
		if err := hintOfChange(ctx, s, in); err != nil {
			return err
		}
		words = said
	}
	if c.json {
		out, err := loadOutcome(ctx, s, cfg, in, q.all)
		if err != nil {
			return err
		}
		return c.printJSON(out)
	}
	err := tell(c.out, "change %s: %s\n", in.ID, words)
	return err
}

// hintOfChange has a service take up at once what a person said of a change: the record that it was made from, or the
// link that it was for.
func hintOfChange(ctx context.Context, s *state.Store, in record.Intent) error {
	if in.From != 0 {
		return hintAt(ctx, s, in.Place.Binding, in.From)
	}
	return hintOf(ctx, s, record.Question{Binding: in.Place.Binding, Subject: record.Subject{Link: in.Link}})
}

// claimed reads what became of a change from the command's words.
func claimed(ctx context.Context, s *state.Store, cfg *config.Config, in record.Intent, args []string, f resolveFlags) (record.Claim, string, error) {
	to := systemsOf(cfg, in.Place.Binding)[in.Place.Side]
	claim := record.Claim{Arrived: f.arrived, At: time.Now()}
	made := in.Change.Op == record.Create
	switch {
	case f.notArrived && len(args) == 0:
		return claim, "it never arrived; the next sync plans it anew", nil
	case f.notArrived:
		return claim, "", errors.New("what never arrived has made no record: say --not-arrived alone")
	case !f.arrived && made:
		return claim, "", errors.New("this is about whether a change arrived: say --arrived RECORD-ID or --not-arrived")
	case !f.arrived:
		return claim, "", errors.New("this is about whether a change arrived: say --arrived or --not-arrived")
	case made && len(args) == 0:
		return claim, "", fmt.Errorf("say which record of %s it made: --arrived RECORD-ID", to)
	case made:
		claim.Ref = record.Ref{Kind: in.Change.Ref.Kind, ID: idOf(in.Change.Ref.Kind, args[0])}
		said := fmt.Sprintf("it made %s of %s; the next sync looks at that and links it", claim.Ref, to)
		return claim, said, mayBe(ctx, s, in, claim.Ref, to)
	case len(args) > 0 && idOf(in.Change.Ref.Kind, args[0]) != in.Change.Ref.ID:
		return claim, "", fmt.Errorf("it was sent to %s of %s, not to %s: say --arrived alone", in.Change.Ref, to, args[0])
	}
	return claim, fmt.Sprintf("it arrived; the next sync looks at %s of %s and goes on from there", in.Change.Ref, to), nil
}

// mayBe refuses a record that a create can't have made. One that no list showed yet
// is for the next run to look at.
func mayBe(ctx context.Context, s *state.Store, in record.Intent, ref record.Ref, to record.System) error {
	e, known, err := s.Entry(ctx, in.Place, ref)
	switch {
	case err != nil:
		return err
	case known && e.Link != 0:
		return fmt.Errorf("%s of %s is linked to another record already", ref, to)
	case known && e.Since.Before(in.Made):
		return fmt.Errorf("%s of %s was there before anything was sent", ref, to)
	}
	return nil
}

// idOf is the id in what the user typed, which may be written as we print it.
func idOf(kind record.Kind, text string) string {
	return strings.TrimPrefix(text, string(kind)+":")
}
