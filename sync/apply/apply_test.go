package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// diary is a journal and a system in one, so that the order of what happens shows.
type diary struct {
	log     []string
	intents []record.Intent
	receipt record.Receipt
	fails   map[string]error // a journal's call -> its error

	holds   record.Fields // what Get shows
	getErr  error
	answer  record.Record
	silent  bool // the answer shows no fields, else what was sent where it has none
	sendErr error
	waits   func() // what happens while the write waits for its turn
	sent    []record.Change
}

func (d *diary) note(call string) error {
	d.log = append(d.log, call)
	return d.fails[call]
}

func (d *diary) Holds(context.Context, record.Lease) error { return d.fails["holds"] }

func (d *diary) OpenIntent(_ context.Context, _ record.Lease, in record.Intent) error {
	d.intents = append(d.intents, in)
	return d.note("open")
}

func (d *diary) SendIntent(context.Context, record.Lease, string, time.Time) error {
	return d.note("sent")
}

func (d *diary) NoteUnsent(ctx context.Context, _ record.Lease, in record.Intent) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.intents = append(d.intents, in)
	return d.note("unsent cancelled " + in.Class)
}

func (d *diary) SettleIntent(ctx context.Context, _ record.Lease, r record.Receipt) (record.LinkID, error) {
	d.receipt = r
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return 7, d.note("settle")
}

func (d *diary) FailIntent(ctx context.Context, _ record.Lease, _ string, st record.IntentState, class, _ string, _ time.Time) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return d.note("fail " + string(st) + " " + class)
}

func (d *diary) Describe(context.Context) (connectors.Description, error) {
	return connectors.Description{}, nil
}

func (d *diary) Fetch(context.Context, connectors.Query, record.Cursor) (connectors.Page, error) {
	return connectors.Page{}, nil
}

func (d *diary) Close() error { return nil }

func (d *diary) Get(_ context.Context, ref record.Ref, _ connectors.Scope) (record.Record, error) {
	d.log = append(d.log, "GET")
	return record.Record{Ref: ref, Fields: d.holds}, d.getErr
}

func (d *diary) Apply(ctx context.Context, c record.Change) (record.Record, error) {
	if d.waits != nil {
		d.waits()
		if err := connectors.PassGate(ctx); err != nil {
			return record.Record{}, connectors.Wrong(connectors.Transient, "create guests", "%w", err)
		}
	}
	d.log = append(d.log, "REQUEST")
	d.sent = append(d.sent, c)
	answer := d.answer
	if len(answer.Fields) == 0 && !d.silent && c.Op != record.Delete {
		answer.Fields = c.Fields
	}
	return answer, d.sendErr
}

// readOnly is a system that can't be written.
type readOnly struct{ connectors.Connector }

func applierOf(d *diary, k connectors.Kind) *Applier {
	sys := System{Name: "pms", Conn: d, Kind: k, Settle: time.Minute}
	return &Applier{
		Lease: record.Lease{Binding: "b", Run: 3, Epoch: 1}, Systems: [2]System{{}, sys}, Journal: d,
		NewID: func() string { return "01" }, Stamp: func(e string) string { return "np:i:" + e },
		Vouched: func(_ context.Context, in record.Intent) (bool, error) {
			return in.Change.Version != "of a list that hides", nil
		},
	}
}

// sentOnce is the intent of an action whose request went out before.
func sentOnce(a *Applier, act plan.Action) record.Intent {
	in := a.intent(act)
	in.State = record.Sent
	return in
}

func change() plan.Action {
	return plan.Action{
		Side: record.Right, Link: 7, Entity: "E", Reason: "why",
		Change: record.Change{
			Op: record.Update, Ref: record.Ref{Kind: "guests", ID: "1"},
			Fields: record.Fields{"phone": record.OfText("2")}, Before: record.Fields{"phone": record.OfText("1")},
		},
	}
}

func create() plan.Action {
	a := change()
	a.Link, a.From = 0, 5
	a.Change = record.Change{Op: record.Create, Ref: record.Ref{Kind: "guests"}, Fields: record.Fields{"phone": record.OfText("2")}}
	return a
}

var withGet = connectors.Kind{Get: true, Create: true, Update: true}

// Every class of an answer has one outcome, and leaves the intent in one state.
func TestAnswers(t *testing.T) {
	tests := []struct {
		class connectors.ErrorClass
		want  Result
		state record.IntentState
	}{
		{connectors.Transient, Put, record.Cancelled},
		{connectors.Throttled, Put, record.Cancelled},
		{connectors.Unauthorized, Put, record.Cancelled},
		{connectors.Unsupported, Put, record.Cancelled},
		{connectors.Stale, Changed, record.Cancelled},
		{connectors.NotFound, Vanished, record.Cancelled},
		{connectors.OutOfScope, Vanished, record.Cancelled},
		{connectors.Moved, Vanished, record.Cancelled},
		{connectors.Exists, Said, record.Rejected},
		{connectors.Rejected, Said, record.Rejected},
		{connectors.Refused, Said, record.Rejected},
		{connectors.Forbidden, Said, record.Rejected},
		{connectors.Malformed, Said, record.Rejected},
		{connectors.Ambiguous, Unknown, record.Sent},
		{"a class of tomorrow", Unknown, record.Sent},
	}
	for _, tt := range tests {
		t.Run(string(tt.class), func(t *testing.T) {
			d := &diary{holds: record.Fields{"phone": record.OfText("1")}, sendErr: connectors.Wrong(tt.class, "update", "no")}
			out, err := applierOf(d, withGet).Apply(t.Context(), change())
			if err != nil || out.Result != tt.want || out.Class != tt.class || out.Err == nil {
				t.Errorf("got %+v, %v, want result %d", out, err, tt.want)
			}
			want := []string{"GET", "open", "REQUEST", "fail " + string(tt.state) + " " + string(tt.class)}
			if diff := cmp.Diff(want, d.log); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

// A create that met a record stays open until that is known.
func TestACreateMeetsARecord(t *testing.T) {
	d := &diary{sendErr: connectors.Wrong(connectors.Exists, "create", "no")}
	out, err := applierOf(d, withGet).Apply(t.Context(), create())
	if err != nil || out.Result != Met || out.Class != connectors.Exists || out.Err == nil {
		t.Errorf("got %+v, %v, want result %d", out, err, Met)
	}
	if diff := cmp.Diff([]string{"open", "REQUEST", "fail sent exists"}, d.log); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// An intent is durable before the request and a receipt after it.
func TestOrder(t *testing.T) {
	shown := record.Fields{"phone": record.OfText("2"), "name": record.OfText("A")}
	versioned := change()
	versioned.Change.Version = "v1"
	hiding := change()
	hiding.Change.Version = "of a list that hides"
	tests := []struct {
		name string
		act  plan.Action
		kind connectors.Kind
		want []string
	}{
		{"an update is verified", change(), withGet, []string{"GET", "open", "REQUEST", "settle"}},
		{"unless the system checks the version", versioned, connectors.Kind{Get: true, Conditional: true}, []string{"open", "REQUEST", "settle"}},
		{"of which all was shown", hiding, connectors.Kind{Get: true, Conditional: true}, []string{"GET", "open", "REQUEST", "settle"}},
		{"which it can't where none is known", change(), connectors.Kind{Get: true, Conditional: true}, []string{"GET", "open", "REQUEST", "settle"}},
		{"or can't be asked", change(), connectors.Kind{}, []string{"open", "REQUEST", "settle"}},
		{"a create has nothing to verify", create(), withGet, []string{"open", "REQUEST", "settle"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &diary{holds: record.Fields{"phone": record.OfText("1")}, answer: record.Record{Ref: record.Ref{Kind: "guests", ID: "1"}, Version: "v2", Fields: shown}}
			began := time.Now()
			out, err := applierOf(d, tt.kind).Apply(t.Context(), tt.act)
			if err != nil || out.Result != Done || out.Link != 7 {
				t.Fatalf("got %+v, %v", out, err)
			}
			if diff := cmp.Diff(tt.want, d.log); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			r := d.receipt
			if r.Intent != "01" || r.Ref.ID != "1" || r.Version != "v2" || !r.Fields.Equal(shown) || r.Provisional || r.Adopted ||
				r.At.Before(began) || r.SettleUntil.Sub(r.At) != time.Minute {
				t.Errorf("receipt: got %+v", r)
			}
		})
	}
}

func TestSteps(t *testing.T) {
	d := &diary{holds: record.Fields{"phone": record.OfText("1")}}
	a := applierOf(d, withGet)
	a.Step = func(name string) { d.log = append(d.log, name) }
	if _, err := a.Apply(t.Context(), change()); err != nil {
		t.Fatal(err)
	}
	want := []string{"before get", "GET", "after get", "open", "before send", "REQUEST", "after send", "settle"}
	if diff := cmp.Diff(want, d.log); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// A system that answers without the record: the base is what was sent, for now.
func TestProvisional(t *testing.T) {
	d := &diary{silent: true, holds: record.Fields{"phone": record.OfText("1")}}
	out, err := applierOf(d, withGet).Apply(t.Context(), change())
	if err != nil || out.Result != Done || !d.receipt.Provisional || d.receipt.Ref != change().Change.Ref {
		t.Errorf("got %+v, %v, receipt %+v", out, err, d.receipt)
	}
}

func TestVerify(t *testing.T) {
	one, gone := record.OfText("1"), connectors.Wrong(connectors.NotFound, "get", "gone")
	tests := []struct {
		name   string
		holds  record.Fields
		getErr error
		before record.Fields
		want   Result
		log    []string
	}{
		{"as it was", record.Fields{"phone": one, "name": record.OfText("B")}, nil, nil, Done, []string{"GET", "open", "REQUEST", "settle"}},
		{"it moved", record.Fields{"phone": record.OfText("3")}, nil, nil, Changed, []string{"GET", "unsent cancelled stale"}},
		{"it was cleared", record.Fields{"phone": record.Nothing()}, nil, nil, Changed, []string{"GET", "unsent cancelled stale"}},
		{"it does not show the field", record.Fields{}, nil, nil, Done, []string{"GET", "open", "REQUEST", "settle"}},
		{"a partner of its group moved", record.Fields{"phone": one, "zone": record.OfText("x")}, nil, record.Fields{"phone": one, "zone": record.OfText("y")}, Changed, []string{"GET", "unsent cancelled stale"}},
		{"a field nobody had seen holds something", record.Fields{"phone": one, "zone": record.OfText("x")}, nil, record.Fields{"phone": one, "zone": {}}, Changed, []string{"GET", "unsent cancelled stale"}},
		{"a field nobody had seen is empty", record.Fields{"phone": one, "zone": record.Nothing()}, nil, record.Fields{"phone": one, "zone": {}}, Done, []string{"GET", "open", "REQUEST", "settle"}},
		{"it is gone", nil, gone, nil, Vanished, []string{"GET", "unsent cancelled not_found"}},
		{"it left the filter", nil, connectors.Wrong(connectors.OutOfScope, "get", "out"), nil, Vanished, []string{"GET", "unsent cancelled out_of_scope"}},
		{"nobody answers", nil, errors.New("no route"), nil, Put, []string{"GET", "unsent cancelled transient"}},
		{"it is not what it should be", nil, connectors.Wrong(connectors.Malformed, "get", "html"), nil, Unread, []string{"GET", "unsent cancelled malformed"}},
		{"it may not be read", nil, connectors.Wrong(connectors.Forbidden, "get", "403"), nil, Unread, []string{"GET", "unsent cancelled forbidden"}},
		{"its id is refused", nil, connectors.Wrong(connectors.Rejected, "get", "400"), nil, Unread, []string{"GET", "unsent cancelled rejected"}},
		{"the key is gone", nil, connectors.Wrong(connectors.Unauthorized, "get", "401"), nil, Put, []string{"GET", "unsent cancelled unauthorized"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &diary{holds: tt.holds, getErr: tt.getErr}
			act := change()
			if tt.before != nil {
				act.Change.Before = tt.before
			}
			out, err := applierOf(d, withGet).Apply(t.Context(), act)
			if err != nil || out.Result != tt.want {
				t.Errorf("got %+v, %v, want result %d", out, err, tt.want)
			}
			if diff := cmp.Diff(tt.log, d.log); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if shown := out.Observed != nil; shown != (tt.want == Changed) {
				t.Errorf("observed: got %v", out.Observed)
			}
		})
	}
}

func TestIntent(t *testing.T) {
	k := withGet
	k.Stamp = connectors.Stamp{Path: "ref"}
	d := &diary{answer: record.Record{Ref: record.Ref{Kind: "guests", ID: "9"}}}
	if _, err := applierOf(d, k).Apply(t.Context(), create()); err != nil {
		t.Fatal(err)
	}
	in := d.intents[0]
	if in.ID != "01" || in.Change.ID != "01" || in.Run != 3 || in.Place != (record.Place{Binding: "b", Side: record.Right}) ||
		in.From != 5 || in.Entity != "E" || in.Reason != "why" {
		t.Errorf("got %+v", in)
	}
	if in.Change.Stamp != "np:i:E" || d.sent[0].Stamp != "np:i:E" {
		t.Errorf("stamp: got %q, sent %q", in.Change.Stamp, d.sent[0].Stamp)
	}
	d = &diary{}
	if _, err := applierOf(d, withGet).Apply(t.Context(), create()); err != nil || d.sent[0].Stamp != "" {
		t.Errorf("a kind without a place for it was stamped %q, %v", d.sent[0].Stamp, err)
	}
}

// Where the journal can't be written, nothing is sent, and the error is the journal's.
func TestJournalFails(t *testing.T) {
	full := errors.New("disk full")
	tests := []struct {
		call string
		log  []string
		text string
	}{
		{"open", []string{"GET", "open"}, "note that guests:1 is sent: disk full"},
		{"settle", []string{"GET", "open", "REQUEST", "settle"}, "keep the receipt of guests:1: disk full"},
	}
	for _, tt := range tests {
		d := &diary{holds: record.Fields{"phone": record.OfText("1")}, fails: map[string]error{tt.call: full}}
		_, err := applierOf(d, withGet).Apply(t.Context(), change())
		if !errors.Is(err, full) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want %q", tt.call, err, tt.text)
		}
		if diff := cmp.Diff(tt.log, d.log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.call, diff)
		}
	}
	d := &diary{
		holds: record.Fields{"phone": record.OfText("1")}, sendErr: connectors.Wrong(connectors.Rejected, "update", "no"),
		fails: map[string]error{"fail rejected rejected": full},
	}
	if out, err := applierOf(d, withGet).Apply(t.Context(), change()); !errors.Is(err, full) {
		t.Errorf("got %+v, %v, want the journal's error", out, err)
	}
}

// A run that is told to stop still keeps what it was answered.
func TestStoppedRunKeepsItsReceipt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, sendErr := range []error{nil, connectors.Wrong(connectors.Ambiguous, "update", "cut off")} {
		d := &diary{holds: record.Fields{"phone": record.OfText("1")}, sendErr: sendErr}
		a := applierOf(d, withGet)
		a.Step = func(name string) {
			if name == "after send" {
				cancel()
			}
		}
		if _, err := a.Apply(ctx, change()); err != nil {
			t.Errorf("got %v, want the outcome kept", err)
		}
	}
}

func TestReadOnlyConnector(t *testing.T) {
	d := &diary{}
	a := applierOf(d, connectors.Kind{})
	a.Systems[record.Right].Conn = readOnly{d}
	out, err := a.Apply(t.Context(), change())
	if err != nil || out.Result != Put || out.Class != connectors.Unsupported {
		t.Errorf("got %+v, %v", out, err)
	}
	if diff := cmp.Diff([]string{"unsent cancelled unsupported"}, d.log); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// A run that was taken over after its intent was stored sends nothing: the intent
// stays as it is, for the one that took over.
func TestTakenOverSendsNothing(t *testing.T) {
	fenced := errors.New("another run has taken this job over")
	d := &diary{holds: record.Fields{"phone": record.OfText("1")}, fails: map[string]error{"holds": fenced}}
	_, err := applierOf(d, withGet).Apply(t.Context(), change())
	if !errors.Is(err, fenced) || len(d.sent) != 0 {
		t.Errorf("got error %v and requests %v, want none sent", err, d.sent)
	}
	if last := d.log[len(d.log)-1]; last != "open" {
		t.Errorf("got %v, want the intent left as sent", d.log)
	}
}

// A create that ends at a record of another link is lost, and fails nothing: the same
// answer would come at every run.
func TestTaken(t *testing.T) {
	linked := fmt.Errorf("settle change 01: %w", record.ErrLinked)
	for name, again := range map[string]bool{"sent": false, "sent again": true} {
		d := &diary{fails: map[string]error{"settle": linked}, answer: record.Record{Ref: record.Ref{Kind: "guests", ID: "1"}}}
		out, err := send(t, applierOf(d, withGet), create(), again)
		if err != nil || out.Result != Taken || !errors.Is(out.Err, record.ErrLinked) || out.Receipt.Ref.ID != "1" || out.Receipt.Intent == "" {
			t.Errorf("%s: got %+v, %v", name, out, err)
		}
		kept := map[bool]string{false: "open", true: "sent"}[again]
		if diff := cmp.Diff([]string{kept, "REQUEST", "settle", "fail " + string(record.Lost) + " "}, d.log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A write whose answer shows nothing is followed by a read of its record: what that shows is the
// answer. One that shows what was replaced is late, or nothing was done, and one that fails says
// nothing.
func TestASilentAnswerIsReadAfter(t *testing.T) {
	for name, c := range map[string]struct {
		op          record.Op
		now         string
		err         error
		provisional bool
	}{
		"an update":                        {record.Update, "2", nil, false},
		"as its system spells it":          {record.Update, "two", nil, false},
		"which shows what stood there":     {record.Update, "1", nil, true},
		"an update that can't be read":     {record.Update, "2", connectors.Wrong(connectors.NotFound, "get", "no"), true},
		"a create":                         {record.Create, "2", nil, false},
		"a create that its system changed": {record.Create, "3", nil, false},
		"a change of status":               {record.Action, "2", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &diary{silent: true, holds: record.Fields{"phone": record.OfText(c.now)}, getErr: c.err, answer: record.Record{Ref: record.Ref{Kind: "guests", ID: "1"}}}
			act := change()
			if c.op == record.Create {
				act = create()
			}
			act.Change.Op = c.op
			out, err := send(t, applierOf(d, withGet), act, true) // nothing is read before
			if err != nil || out.Receipt.Provisional != c.provisional {
				t.Errorf("provisional %t, want %t, after %v (%v)", out.Receipt.Provisional, c.provisional, d.log, err)
			}
			if got := out.Receipt.Fields["phone"]; !c.provisional && got.Text() != c.now {
				t.Errorf("the receipt has %v", got)
			}
		})
	}
}

// The receipt of an update that a read can tell again need not be durable at once. Any other must be.
func TestOnlyWhatAReadTellsAgainIsRetold(t *testing.T) {
	gone := change()
	gone.Change.Op, gone.Change.Fields = record.Delete, nil
	step := change()
	step.Change.Op = record.Action
	tests := []struct {
		name string
		act  plan.Action
		kind connectors.Kind
		want bool
	}{
		{"an update", change(), withGet, true},
		{"an update that no read by id can tell", change(), connectors.Kind{Create: true, Update: true}, false},
		{"a create", create(), withGet, false},
		{"a delete", gone, withGet, false},
		{"a step", step, withGet, false},
	}
	for _, c := range tests {
		d := &diary{holds: record.Fields{"phone": record.OfText("1")}}
		out, err := applierOf(d, c.kind).Apply(t.Context(), c.act)
		if err != nil || out.Result != Done || d.receipt.Retold != c.want {
			t.Errorf("%s: got %+v, %v, receipt %+v, want it retold: %t", c.name, out, err, d.receipt, c.want)
		}
	}
}
