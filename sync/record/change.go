package record

// Op is what a change does.
type Op uint8

// The operations. Action changes a record's status where the system has a request
// of its own for that.
const (
	Create Op = iota + 1
	Update
	Action
	Delete
)

var opNames = [...]string{"", "create", "update", "action", "delete"}

// String is the operation's name.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "unknown"
}

// OpNamed is the operation of that name, 0 for none.
func OpNamed(name string) Op {
	for i, n := range opNames {
		if i > 0 && n == name {
			return Op(i)
		}
	}
	return 0
}

// Change is one write to one system: one change, at most one mutating request.
type Change struct {
	ID      string  // ours, unique; the idempotency key where the system documents one
	Op      Op      // what it does
	Ref     Ref     // which record; the ID is empty for a create
	Fields  Fields  // native values to write, only these
	Before  Fields  // what those paths held when the change was decided
	Version Version // the version that was decided upon, "" where the system has none
	Stamp   string  // for a create: our reference, to be put where the kind keeps it
	Beside  Beside  // of an update: what reads showed of the record besides
}

// Beside is what reads showed of a record that holds more than is written, where it is not empty. A
// system to which records are sent whole loses what its read by id hides, unless it is sent as well.
// It is not kept with the change: a change is never sent again without being decided anew.
type Beside struct {
	Fields  Fields
	Version Version // that vouches for all of them, "" where none does
}
