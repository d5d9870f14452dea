package histories

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// oracle knows what every user did, and what the systems held ever since. It never asks
// the engine what it meant; of the state it asks only which records were ever linked,
// and what was written into the journal.
type oracle struct {
	w      *world
	fault  string // what went wrong first
	form   string // of that sentence, the same for all of its sort
	things [2]map[int]*thing
	recs   [2][2]map[string]*rec

	listed   [2][2]time.Time // when the last run of each job was begun that read its lists to the end, or its list where that was before, by the clock of each system: ours may have been set back since
	begun    time.Time       // of the run that is on its way, by the systems' clock
	runOf    int             // the job that this run is of
	lastNum  record.LinkID
	saved    knowledge
	phones   map[string]map[int]bool // who ever had a number
	edits    int
	before   string           // what was kept before a dry run
	sends    map[string]bool  // changes that were sent, by their ids
	said     []said           // what persons said of sets that guards held
	words    int              // how often they did
	saying   func()           // notes what a person says now
	made     map[string]bool  // what persons approved and was made, ever
	spent    budget           // of the run that is on its way
	ran      [2]time.Time     // when a run of each job was on its way that may end what persons said, the latest by our clock: it may have been set back since
	let      []letGo          // what was made without a person
	older    [2][2]bool       // by kind: a side was put back to a backup, and nobody told the job so yet
	lied     [2]bool          // a list of what changed left something out
	latest   [2]time.Duration // how far the clock of a system was ahead of ours at most
	lies     [2][2]int        // runs of a job in which a list of a side may leave something out
	told     map[string]int   // how often a person said what became of a change
	restored bool             // the state was put back to a copy
	real     int              // changes that were sent to records that were there
	rebuffs  rebuffs          // at rest
	asked    [2]time.Time     // when a side was last read: a list or a record, by its clock

	dismissed map[*rec]bool // records of which a person dismissed what came of a change, until another is sent

	drifts map[string]bool // bookings of the left of which the last run of theirs showed that a status is let be
	anew   bool            // that run may have planned some of them anew

	noted map[string]noted                             // by the ids of changes
	over  bool                                         // the end of the run that is on its way was written down
	pages [2]map[record.Kind]map[record.Cursor]opening // of the list that said where a page begins
	lists [2]map[record.Kind]opening                   // of the lists that this run read last
}

// thing is what one record on each side stands for: a person, or a booking. Its number
// stands in a text of each record, which no user takes out.
type thing struct {
	n, kind             int
	recs                [2][]*rec // all there ever were, dead ones among them
	writes              map[string][]write
	decided             int  // the last edit before a person decided anything of it
	carried, wantedAnew bool // a person had what is left of it go as well, or had it made anew
	torn                bool // a user removed a record of it, or a system was put back
	refused             bool // a system said no to a change of it
	blurred             bool // a user edited what we had written before any answer showed it: nobody can tell what the system made of it from what the user did
	chosen              map[string][]string
	leftSo              map[string]bool // a person had both sides keep what they have of a field
	rulings             []ruling
	vetoed              int          // the last edit before a person would not have the left's end
	ended               [2]string    // how both sides called its end when a run left them so, until a status is written, chosen or the same again
	endedAt             [2]time.Time // when that was, by the clock of each system
	met                 [2]string    // the end that was forgotten when the last run of the bookings began, or in it
	unsent              func()       // takes back that a status of it travels
	merged              []*thing     // that users made one with it
	approved            [2]bool      // a person approved a create of it on a side
	sent                [2]time.Time // when the last run was begun that read lists before the last create was sent to a side
	gave                [2][]string  // the notes that creates of it carried to a side that shows them late
}

// write is a value that a user gave a field, or took out of it.
type write struct {
	seq   int
	side  record.Side
	id    string // of the record that the user wrote in
	value string
	at    time.Time
	runs  int  // how many runs there had been
	back  bool // to the end that both sides had: see goesBack
	ofJob int  // how many of them were of its job
}

// rec is one record of one system.
type rec struct {
	t        *thing
	side     record.Side
	id       string
	user     bool // a user entered it
	born     time.Time
	dead     bool
	died     time.Time
	back     time.Time // when it was put back last
	linked   *rec      // with what it was linked, as far as the state ever said
	linkedIn int       // the run that did so
	native   record.Fields
	held     map[string][]held // by canonical field, oldest first
	ours     int               // the run that wrote to it last
	shown    record.Fields     // what it showed when it was read by id last in this run
	edited   bool              // since then
	sent     string            // the status that we sent to it last
	heard    bool              // a list, a read or an answer has shown its note

	claimed []record.Fields // what its system answered that it took, where it may not have
}

// held is a value that a record had from a moment on.
type held struct {
	value string
	from  time.Time
	runs  int // how many runs there had been
}

// knowledge is what is kept of a state that is copied.
type knowledge struct {
	links map[*rec]*rec
	num   record.LinkID
	said  []said
}

func newOracle(w *world) *oracle {
	o := &oracle{w: w, spent: newBudget(), made: map[string]bool{}, told: map[string]int{}, sends: map[string]bool{}, noted: map[string]noted{}, pages: [2]map[record.Kind]map[record.Cursor]opening{{}, {}}, lists: [2]map[record.Kind]opening{{}, {}}, things: [2]map[int]*thing{{}, {}}, phones: map[string]map[int]bool{}}
	for kind := range o.recs {
		for side := range o.recs[kind] {
			o.recs[kind][side] = map[string]*rec{}
		}
	}
	return o
}

// wrong notes what went wrong. The first counts.
func (o *oracle) wrong(format string, args ...any) {
	if o.fault == "" {
		o.fault, o.form = fmt.Sprintf(format, args...), format
		o.w.log("WRONG: %s", o.fault)
	}
}

// now is what a field holds.
func (r *rec) now(field string) string { return last(r.held[field]) }

func last(hs []held) string {
	if len(hs) == 0 {
		return ""
	}
	return hs[len(hs)-1].value
}

// there is since when a record has been there: a user may have put it back.
func (r *rec) there() time.Time {
	if r.back.After(r.born) {
		return r.back
	}
	return r.born
}

// since is what a field held at a moment or after it.
func (r *rec) since(field string, at time.Time) []string {
	var out []string
	hs := r.held[field]
	for i, h := range hs {
		if i == len(hs)-1 || hs[i+1].from.After(at) {
			out = append(out, h.value)
		}
	}
	return out
}

// ever is all that a field ever held.
func (r *rec) ever(field, value string) bool {
	return slices.ContainsFunc(r.held[field], func(h held) bool { return h.value == value })
}

// tag is the field in whose text a thing's number stands.
var tag = [2]string{guests: "full_name", stays: "notes"}

// numberIn is the number of a thing in a text, -1 for none.
func numberIn(text string) int {
	_, digits, ok := strings.Cut(text, "#")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return -1
	}
	return n
}

func (o *oracle) thing(kind, n int) *thing {
	t := o.things[kind][n]
	if t == nil {
		t = &thing{n: n, kind: kind, writes: map[string][]write{}, chosen: map[string][]string{}, leftSo: map[string]bool{}}
		o.things[kind][n] = t
	}
	return t
}

// alive is the oldest record of a thing on a side that is there.
func (o *oracle) alive(side record.Side, kind, n int) *rec {
	if t := o.things[kind][n]; t != nil {
		for _, r := range t.recs[side] {
			if !r.dead {
				return r
			}
		}
	}
	return nil
}

// all is the records of a thing on a side that are there.
func (t *thing) all(side record.Side) []*rec {
	return slices.DeleteFunc(slices.Clone(t.recs[side]), func(r *rec) bool { return r.dead })
}

// byUsers is how many records of it users entered on a side.
func (t *thing) byUsers(side record.Side) int {
	n := 0
	for _, r := range t.recs[side] {
		if r.user {
			n++
		}
	}
	return n
}

// clock is the time of a system.
func (o *oracle) clock(side record.Side) time.Time { return time.Now().Add(o.w.late[side]) }

// look notes what the systems hold now.
func (o *oracle) look() {
	for kind := range o.w.kinds() {
		for _, side := range record.Sides {
			o.lookAt(kind, side)
		}
	}
}

func (o *oracle) lookAt(kind int, side record.Side) {
	known := o.recs[kind][side]
	seen := 0
	for _, rec := range o.w.sys[side].All(kinds[kind][side]) {
		r := known[rec.Ref.ID]
		if r == nil {
			r = o.met(kind, side, rec)
		}
		if r.dead {
			r.dead = false
		}
		seen++
		o.note(r, rec.Fields)
	}
	if seen == o.living(kind, side) {
		return
	}
	for _, r := range known {
		if _, there := o.w.sys[side].Get(kinds[kind][side], r.id); !there && !r.dead {
			r.dead, r.died = true, o.clock(side)
		}
	}
}

func (o *oracle) living(kind int, side record.Side) int {
	n := 0
	for _, r := range o.recs[kind][side] {
		if !r.dead {
			n++
		}
	}
	return n
}

// note keeps what a record holds.
func (o *oracle) note(r *rec, native record.Fields) {
	if r.native != nil && r.native.Equal(native) {
		return
	}
	r.native = native
	for _, f := range fields[r.t.kind] {
		v := native[path(r.side, f)].Text()
		if hs := r.held[f]; len(hs) > 0 && last(hs) == v {
			continue
		}
		r.held[f] = append(r.held[f], held{v, o.clock(r.side), o.w.runs})
		if f == "phone" {
			if o.phones[v] == nil {
				o.phones[v] = map[int]bool{}
			}
			o.phones[v][r.t.n] = true
		}
	}
}

// met is a record that nobody knew: the engine made it.
func (o *oracle) met(kind int, side record.Side, shown record.Record) *rec {
	return o.add(kind, side, shown.Ref.ID, numberIn(shown.Fields[path(side, tag[kind])].Text()), shown.Fields, false)
}

func (o *oracle) add(kind int, side record.Side, id string, n int, native record.Fields, user bool) *rec {
	t := o.thing(kind, n)
	r := &rec{t: t, side: side, id: id, user: user, born: o.clock(side), held: map[string][]held{}}
	o.recs[kind][side][id] = r
	t.recs[side] = append(t.recs[side], r)
	o.note(r, native)
	if n < 0 {
		o.wrong("%s %s carries nobody's number: %s", side, id, show(native))
	}
	if !user {
		r.ours = o.w.runs
		o.doubled(r)
	}
	return r
}

// entered is a record that a user entered.
func (o *oracle) entered(side record.Side, kind int, id string, n int) {
	rec, _ := o.w.sys[side].Get(kinds[kind][side], id)
	r := o.add(kind, side, id, n, rec.Fields, true)
	for _, f := range fields[kind] {
		if v := r.now(f); v != "" {
			o.wrote(r, f)
		}
	}
}

func (o *oracle) wrote(r *rec, field string) {
	if r.ours > 0 && (o.w.c.sides[r.side].silent || field == "note" && o.w.lacks(r)) || r.unanswered(field) || field == "note" && o.unheard(r) {
		r.t.blurred = true
	}
	o.edits++
	r.t.writes[field] = append(r.t.writes[field], write{o.edits, r.side, r.id, r.now(field), o.clock(r.side), o.w.runs, o.goesBack(r, field), o.w.ofJob[r.t.kind]})
}

// read notes that a record was read by id. What a user did to it before the answer
// arrived is not in it.
func (o *oracle) read(side record.Side, ref record.Ref, shown record.Record, err error) {
	kind := kindOf(ref.Kind)
	if o.recs[kind][side][ref.ID] == nil && err == nil { // a create of ours landed late: the engine sees it first
		o.lookAt(kind, side)
	}
	if r := o.recs[kind][side][ref.ID]; r != nil && err == nil {
		o.readBack(r, shown.Fields)
		o.hears(r, shown.Fields)
		r.shown, r.edited = shown.Fields, r.edited && !r.native.Equal(shown.Fields)
	}
}

// edited is a record that a user edited.
func (o *oracle) edited(r *rec, field string) {
	rec, _ := o.w.sys[r.side].Get(kinds[r.t.kind][r.side], r.id)
	was := r.now(field)
	r.edited = true
	if o.w.sys[r.side].Pending() > 0 { // what is applied late goes over it
		r.t.blurred = true
	}
	o.note(r, rec.Fields)
	if r.now(field) != was {
		o.wrote(r, field)
	}
}

func (o *oracle) removed(r *rec) {
	r.dead, r.died, r.t.torn = true, o.clock(r.side), true
}

// merged is a record that a user merged into another one: both stand for either thing
// from then on.
func (o *oracle) merged(r, into *rec) {
	o.removed(r)
	into.t.torn = true
	r.t.merged, into.t.merged = append(r.t.merged, into.t), append(into.t.merged, r.t)
}

func (o *oracle) revived(r *rec) {
	r.dead, r.t.torn, r.user = false, true, true
	r.back = o.clock(r.side)
	o.again(r)
}

// again counts all that a record holds as written by a user now.
func (o *oracle) again(r *rec) {
	rec, _ := o.w.sys[r.side].Get(kinds[r.t.kind][r.side], r.id)
	o.note(r, rec.Fields)
	for _, f := range fields[r.t.kind] {
		o.wrote(r, f)
	}
}

// rolledBack is a system that was put back to its backup: as if its users had set all
// to what it was.
func (o *oracle) rolledBack(side record.Side) {
	for kind := range o.older {
		o.older[kind][side] = true
	}
	o.lied[side] = true // what changed is older than what was listed
	for kind := range o.w.kinds() {
		for _, id := range slices.Sorted(maps.Keys(o.recs[kind][side])) {
			r := o.recs[kind][side][id]
			rec, there := o.w.sys[side].Get(kinds[kind][side], id)
			switch {
			case !there && !r.dead:
				o.removed(r)
			case there && r.dead:
				o.revived(r)
			case there && !r.native.Equal(rec.Fields):
				r.t.torn = true
				o.again(r)
			}
		}
	}
}

// chose is what a person decided.
func (o *oracle) chose(c record.Question, choice string, v record.Value) {
	for side, t := range o.thingsOf(c.Link) {
		if t != nil {
			t.decided = o.edits
		}
		switch {
		case t == nil:
		case choice == string(record.ChoiceLeave):
			t.leftSo[c.Field] = true
		case choice == "value": // it is brought to both records
			t.chosen[c.Field] = append(t.chosen[c.Field], v.Text())
		case slices.Contains([]record.Cause{plan.Untaken, plan.Tried, plan.Unanswered}, c.Cause) && c.Field != "status": // it may be empty, and no user emptied it
			stands := map[string]record.Value{"left": c.Left, "right": c.Right}[choice]
			t.chosen[c.Field] = append(t.chosen[c.Field], stands.Text())
		case c.Field == "status" && record.Side(side) == record.Left:
			o.ruled(t, c, choice)
		}
	}
}

// thingsOf is what both records of a link stand for: users may have made two of different
// things the same by their keys.
func (o *oracle) thingsOf(link record.LinkID) (ts [2]*thing) {
	p, ok, err := o.w.store.Pair(context.Background(), link)
	if err != nil || !ok {
		return ts
	}
	kind := slices.Index(jobs[:], p.Sides[0].Place.Binding)
	for side, e := range p.Sides {
		if r := o.recs[kind][side][e.Ref.ID]; r != nil {
			ts[side] = r.t
		}
	}
	if ts[record.Left] == ts[record.Right] {
		ts[record.Right] = nil
	}
	return ts
}

// truth is what became of a change that was sent.
func (o *oracle) truth(in record.Intent) record.Claim {
	c := record.Claim{At: time.Now()}
	side := in.Place.Side
	kind := slices.Index(jobs[:], in.Place.Binding)
	if in.Change.Op != record.Create {
		if rec, ok := o.w.sys[side].Get(in.Change.Ref.Kind, in.Change.Ref.ID); ok {
			c.Arrived = in.Change.Op != record.Delete && rec.Fields.Agrees(in.Change.Fields)
		} else {
			c.Arrived = in.Change.Op == record.Delete
		}
		return c
	}
	n := numberIn(in.Change.Fields[path(side, tag[kind])].Text())
	for _, r := range o.thing(kind, n).recs[side] {
		if !r.user && !r.dead && r.linked == nil {
			c.Arrived, c.Ref = true, record.Ref{Kind: kinds[kind][side], ID: r.id}
		}
	}
	return c
}

// copied keeps what the state knows.
func (o *oracle) copied() {
	o.saved = knowledge{links: map[*rec]*rec{}, num: o.lastNum, said: o.book()}
	for kind := range o.recs {
		for _, r := range o.recs[kind][record.Left] {
			o.saved.links[r] = r.linked
		}
	}
}

// forgot takes from what the state knows what came after the copy.
func (o *oracle) forgot() {
	o.restored = true
	for kind := range o.recs {
		for _, side := range record.Sides {
			for _, r := range o.recs[kind][side] {
				r.linked = nil
			}
		}
	}
	for l, r := range o.saved.links {
		if r != nil {
			l.linked, r.linked = r, l
		}
	}
	for kind := range o.recs {
		for _, side := range record.Sides {
			for _, r := range o.recs[kind][side] {
				r.t.blurred = r.t.blurred || r.unanswered()
			}
		}
	}
	o.lastNum, o.said = o.saved.num, o.saved.said
	o.recalled()
	for kind := range o.things {
		for _, t := range o.things[kind] {
			t.torn = true
		}
	}
}

// kept is what a dry run leaves as it is.
func (o *oracle) kept() string {
	image, err := o.w.store.Image(context.Background())
	o.w.must("copy the state", err)
	unshown := func(side record.Side) bool { return o.w.c.sides[side].silent || o.w.odds(side, oddLate) > 0 }
	text, err := keptIn(image, unshown(record.Left) || unshown(record.Right), o.w.is(oddSeal) > 0)
	o.w.must("read the copy of the state", err)
	return text
}

// beginRun notes that a run begins.
func (o *oracle) beginRun(job int) {
	o.openBook(job)
	o.begun, o.runOf, o.over = time.Now(), job, false
	o.lists = [2]map[record.Kind]opening{{}, {}}
	o.meets()
	for kind := range o.recs {
		for side := range o.recs[kind] {
			for _, r := range o.recs[kind][side] {
				r.shown, r.edited = nil, false
			}
		}
	}
	if o.w.opt.Dry && !o.w.files {
		o.before = o.kept()
	}
}

// endRun checks what a run left.
func (o *oracle) endRun(job int, err error, died bool) {
	o.look()
	o.noteRan(job, time.Now())
	o.w.agreed[job] = o.w.agreed[job] || o.agrees(job, err, died)
	if o.w.opt.Dry && !o.w.files && !died {
		if now := o.kept(); now != o.before {
			o.wrong("a dry run changed what is known:\n%s\n--\n%s", o.before, now)
		}
	}
	o.links()
	if !died {
		o.stillApart()
	}
	switch {
	case err != nil || died:
		o.brokeOff(err)
	case !o.w.opt.Dry:
		o.ends()
	}
	o.settles()
	if err == nil && !died {
		o.closeBook(job)
	}
	if err == nil && !died && len(o.w.opt.Only) == 0 && !o.w.opt.Seen {
		for side := range o.lies[job] {
			o.listed[job][side] = o.readSince(job, record.Side(side)).theirs
			o.lies[job][side] = max(0, o.lies[job][side]-1)
		}
		o.passed()
	}
}

// links notes what was linked since it was noted last.
func (o *oracle) links() {
	ctx := context.Background()
	for {
		p, ok, err := o.w.store.Pair(ctx, o.lastNum+1)
		if err != nil {
			o.wrong("read link: %v", err)
			return
		}
		if !ok {
			break
		}
		o.lastNum++
		kind := slices.Index(jobs[:], p.Sides[0].Place.Binding)
		l, r := o.recs[kind][record.Left][p.Sides[0].Ref.ID], o.recs[kind][record.Right][p.Sides[1].Ref.ID]
		if l == nil || r == nil {
			continue // of another account
		}
		l.linked, r.linked = r, l
		l.linkedIn, r.linkedIn = o.w.runs, o.w.runs
	}
}
