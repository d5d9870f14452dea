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

// OpNamed returns the operation of that name, 0 if there is none.
func OpNamed(name string) Op {
	for i, n := range opNames {
		if i > 0 && n == name {
			return Op(i)
		}
	}
	return 0
}

// Change is one write to one system. It takes at most one mutating request.
type Change struct {
	ID      string  // ours, unique; the idempotency key where the system documents one
	Op      Op      // what it does
	Ref     Ref     // which record; the ID is empty for a create
	Fields  Fields  // native values to write, only these
	Before  Fields  // what those paths held when the change was decided
	Version Version // the version of the record that the decision rests on, "" where the system has none
	Stamp   string  // for a create: our mark, to be written where the kind keeps it
	Beside  Beside  // for an update: what else reads showed of the record
}

// Beside is what reads showed of a record besides the fields that an update writes, without what is
// empty. Some systems are sent whole records, and their reads by id hide some fields. Such a system
// would lose the hidden values if they were not sent as well. Beside is not stored with the change,
// because a change is never sent again without being decided anew.
type Beside struct {
	Fields  Fields
	Version Version // the version that vouches for all of Fields, "" if none does
}
