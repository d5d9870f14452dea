package app

import (
	"fmt"
	"math"
	"time"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/blank"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

const (
	fullEvery = 24 * time.Hour   // both sides are compared whole at least so often
	skew      = 2 * time.Minute  // how far the clocks of two systems may be apart
	bookings  = 10               // priority of a booking's changes
	settleMin = time.Millisecond // a settle time of zero would believe a list at once
)

// mapping compiles the fields of a job.
func (a *App) mapping(j *config.Job) (*mapping.Mapping, error) {
	spec := mapping.Spec{
		Systems: [2]string{j.Left.System, j.Right.System}, Zone: a.Config.TimeZone,
		NotAValue: map[string][]string{}, Match: j.Match, BlankCards: a.Config.Privacy.BlankCards,
	}
	for side, js := range [2]config.JobSide{j.Left, j.Right} {
		if can, ok := a.descs[js.System].Kinds[record.Kind(js.Kind)]; ok {
			spec.Native[side] = can.Reading
		}
	}
	for _, n := range j.NotAValue {
		spec.NotAValue[n.Field] = n.Patterns
	}
	for _, f := range j.Fields {
		s := fieldSpec(j, f)
		for side, js := range [2]config.JobSide{j.Left, j.Right} {
			can, ok := a.descs[js.System].Kinds[record.Kind(js.Kind)]
			if ok && s.As == mapping.Enum {
				s.Sides[side].Words = can.Words[s.Sides[side].Path]
			}
			s.Sides[side].Whole = ok && can.Fields[s.Sides[side].Path].Whole
		}
		spec.Fields = append(spec.Fields, s)
	}
	return mapping.Compile(spec)
}

func fieldSpec(j *config.Job, f config.Field) mapping.FieldSpec {
	s := mapping.FieldSpec{
		Name: f.Name, As: string(f.As), Required: f.Required, Together: f.Together, MaxRunes: f.Max,
		Sides: [2]mapping.SideSpec{sideSpec(f, f.Left), sideSpec(f, f.Right)}, Key: f.Key,
	}
	for _, e := range f.Each {
		s.Each = append(s.Each, fieldSpec(j, e))
	}
	if f.Reference != nil {
		s.Refer = f.Reference.Job
	}
	for _, r := range f.Region {
		switch {
		case r.Code != "":
			s.Region = append(s.Region, r.Code)
		case r.OfLeft:
			s.Region = append(s.Region, j.Left.System+"."+r.Path)
		default:
			s.Region = append(s.Region, j.Right.System+"."+r.Path)
		}
	}
	if t, ok := j.Table(f.Name); ok {
		for _, row := range t.Rows {
			s.Table = append(s.Table, mapping.EnumRow{Word: row.Word, Sides: [2][]string{row.Left, row.Right}})
		}
	}
	return s
}

func sideSpec(f config.Field, fs config.FieldSide) mapping.SideSpec {
	s := mapping.SideSpec{
		Path: fs.Path, Paths: fs.Paths, Split: fs.Split, Format: fs.Format, Unit: fs.Unit,
		Currency: fs.Currency, Read: fs.Read, Write: fs.Write,
		Piece: fs.Piece, Cut: fs.Cut, Element: fs.Element, Filler: fs.Filler,
	}
	if fs.Join != "" {
		s.Split = fs.Join
	}
	if fs.Const != nil {
		s.Const = &fs.Const.Text
	}
	if fs.Default != nil {
		s.Default = &fs.Default.Text
	}
	s.Empty = mapping.EmptyNull
	if fs.Empty == config.EmptyText {
		s.Empty = mapping.EmptyText
	}
	if f.Reference != nil {
		s.Parts = parts(fs)
		s.Path = ""
	}
	if s.Path == "" && len(s.Paths) == 0 && s.Const == nil && len(s.Parts) == 0 && s.Read == "" {
		s.None = true
	}
	return s
}

func parts(fs config.FieldSide) map[string]string {
	p := map[string]string{}
	if fs.Path != "" {
		p[mapping.PartID] = fs.Path
	}
	if k := fs.ByKey; k != nil {
		for name, path := range map[string]string{
			mapping.PartID: k.ID, mapping.PartPhone: k.Phone, mapping.PartName: k.Name, mapping.PartEmail: k.Email,
		} {
			if path != "" {
				p[name] = path
			}
		}
	}
	return p
}

// compile turns a job of the configuration into one of the engine.
func (a *App) compile(j *config.Job) (*engine.Job, error) {
	m, err := a.mapping(j)
	if err != nil {
		return nil, err
	}
	job := &engine.Job{
		Binding: record.Binding(j.Name), Mapping: m, Match: j.Match,
		Rows: j.Kind == config.KindRecord, Represent: j.IfSeveral == config.IfSeveralRepresent, By: string(j.RepresentBy),
		Zone: a.Config.TimeZone, AskFirst: a.Config.FirstRun == config.FirstRunAsk,
		FullEvery: fullEvery, MaxField: j.MaxRecord, Shrink: int(math.Round(a.Config.Guards.Shrink * 100)), Unshown: int(math.Round(a.Config.Guards.Unshown * 100)),
		Guards: guards(a.Config.Guards),
	}
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		if job.Sides[s], err = a.side(js); err != nil {
			return nil, err
		}
		job.Sides[s].Gone = goneRule(js.Gone)
		job.Sides[s].Send = a.send(js.System, js.Send)
		if a.Config.Privacy.BlankCards {
			job.Sides[s].Conn = blank.Cards(job.Sides[s].Conn, m, record.Side(s))
		}
	}
	if j.Window != nil {
		job.Window = &engine.Window{From: j.Window.From, To: j.Window.To}
	}
	for _, f := range j.Fields {
		if f.Reference != nil {
			job.References = append(job.References, a.reference(j, f))
		}
	}
	if err := gone(j, job); err != nil {
		return nil, err
	}
	if err := digests(j, job); err != nil {
		return nil, err
	}
	job.Booking = booking(j)
	job.Rules = a.rules(j, job, m)
	return job, nil
}

// digests refuses to keep digests of records that can't be asked for again.
func digests(j *config.Job, job *engine.Job) error {
	if j.KeepValues != config.KeepDigest {
		return nil
	}
	for _, s := range job.Sides {
		if !s.Can.Get {
			return fmt.Errorf("keep_values: digest needs records that can be read by id, and %s of %s can't: leave it out", s.Kind, s.System)
		}
	}
	return nil
}

func (a *App) side(js config.JobSide) (engine.Side, error) {
	can, ok := a.descs[js.System].Kinds[record.Kind(js.Kind)]
	if !ok {
		return engine.Side{}, fmt.Errorf("system %s has no %s", js.System, js.Kind)
	}
	sys, _ := a.Config.System(js.System)
	s := engine.Side{
		System: record.System(js.System), Kind: record.Kind(js.Kind), Conn: a.conns[js.System], Can: can,
		Create: engine.CreateRule(js.Create), Settle: max(sys.Settle, settleMin),
	}
	if id, ok := s.Conn.(connectors.Identifier); ok {
		s.Account = id.Account
	}
	return s, nil
}

func (a *App) reference(j *config.Job, f config.Field) engine.Reference {
	r := engine.Reference{
		Field: f.Name, Binding: record.Binding(f.Reference.Job), IfLeftOut: f.Reference.IfLeftOut,
		Wait: f.Reference.Wait, Snapshot: f.Reference.Then == config.ThenSnapshot,
	}
	to, _ := a.Config.Job(f.Reference.Job)
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		if to.Right.System == js.System {
			r.Sides[s] = record.Right
		}
	}
	return r
}

// authority is the side that says whether a room is free: the one that is asked
// before a booking is entered, else the one whose steps nobody limits, else the
// right.
func authority(j *config.Job) record.Side {
	switch {
	case j.Left.AcceptIf != "":
		return record.Left
	case j.Right.AcceptIf != "":
		return record.Right
	case j.Right.May != nil && j.Left.May == nil:
		return record.Left
	}
	return record.Right
}

func booking(j *config.Job) *engine.Booking {
	if j.Kind != config.KindStay && j.Kind != config.KindAppointment {
		return nil
	}
	b := &engine.Booking{
		Authority: authority(j), AnswerWithin: j.AnswerWithin,
		Asks: j.Left.AcceptIf != "" || j.Right.AcceptIf != "",
		Dead: []string{"cancelled", "rejected", "no_show"},
	}
	b.First, b.Last = days(j.Kind)
	t, ok := j.Table("status")
	if !ok {
		return b
	}
	b.Status = "status"
	for _, row := range t.Rows {
		switch row.Word {
		case "rejected":
			b.Refused = row.Word
		case "pending":
			b.Pending = row.Word
		}
	}
	return b
}

// rules is what merge and plan need to know of a job.
func (a *App) rules(j *config.Job, job *engine.Job, m *mapping.Mapping) plan.Rules {
	r := plan.Rules{Mapping: m, Skew: -1, Span: SpanOf(j)}
	if job.Sides[record.Left].Can.Changed && job.Sides[record.Right].Can.Changed {
		r.Skew = skew
	}
	if job.Booking != nil {
		r.Day, r.Urgent, r.Status = job.Booking.First, bookings, job.Booking.Status
	}
	for _, f := range j.Fields {
		r.Merge = append(r.Merge, mergeRule(j, f, m))
	}
	orders(j, &r)
	for s, js := range [2]config.JobSide{j.Left, j.Right} {
		can := job.Sides[s].Can
		r.Kinds[s] = plan.Kind{
			System: record.System(js.System), Kind: record.Kind(js.Kind), Status: can.Status,
			Required: can.Required, Constants: constants(js.OnCreate), NoUpdate: !can.Update, Updates: can.Updates, Contents: contents(can),
			Carries: can.Carries, NotNew: can.NotNew,
		}
		if js.Update != config.UpdateAlways {
			r.Kinds[s].Change = plan.Change(js.Update)
		}
		for _, n := range can.Needs {
			r.Kinds[s].Needs = append(r.Kinds[s].Needs, plan.Need(n))
		}
		if _, ok := blank.Under(job.Sides[s].Conn).(connectors.Writer); !ok {
			r.Kinds[s].ReadOnly = js.System + " can only be read"
		}
	}
	return r
}

func mergeRule(j *config.Job, f config.Field, m *mapping.Mapping) merge.Rule {
	r := merge.Rule{
		Field: f.Name, Group: f.Together, Policy: merge.Policy(f.Conflict), Initial: merge.Policy(f.Initial),
		Enforce: f.Enforce, Clear: merge.Clear(f.Clear), Required: f.Required, Once: f.As == config.AsContent,
		Same: func(l, r record.Value) bool { return m.Same(f.Name, l, r) },
	}
	switch {
	case f.ToLeft && !f.ToRight:
		r.To = merge.ToLeft
	case f.ToRight && !f.ToLeft:
		r.To = merge.ToRight
	}
	if f.Conflict == config.PolicyRules {
		r.Machine = machine(j, f.Name)
	}
	return r
}

func constants(cs []config.Constant) record.Fields {
	f := record.Fields{}
	for _, c := range cs {
		switch c.Value.Type {
		case config.ScalarNumber:
			if v, err := record.OfNumber(c.Value.Text); err == nil {
				f[c.Path] = v
				continue
			}
			f[c.Path] = record.OfText(c.Value.Text)
		case config.ScalarBool:
			f[c.Path] = record.OfBool(c.Value.Text == "true")
		case config.ScalarText:
			f[c.Path] = record.OfText(c.Value.Text)
		}
	}
	return f
}
