package state

import (
	"context"
	"time"

	"nightporter/state/internal/digests"
	"nightporter/state/internal/disk"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/events"
	"nightporter/state/internal/files"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/links"
	"nightporter/state/internal/questions"
	"nightporter/state/internal/runs"
	"nightporter/state/internal/scans"
	"nightporter/state/internal/sqlite"
	"nightporter/state/internal/systems"
)

// Memory as a path opens a private database that lives as long as the Store.
const Memory = sqlite.Memory

// These are the types of the packages below that callers name.
type (
	// Options change how a state file is opened.
	Options = sqlite.Options
	// RAMDisk is a database in memory that outlives the Stores on it.
	RAMDisk = sqlite.RAMDisk
	// Copy is a verified copy of a state file.
	Copy = sqlite.Copy
	// Slice is how far a check of the indexes has come.
	Slice = sqlite.Slice
	// Holder is the process that runs jobs on a state file.
	Holder = disk.Holder
	// HeldError is ErrInUse, and names the process that holds the state file.
	HeldError = disk.HeldError
	// Change is one change in the journal.
	Change = journal.Change
	// Filter chooses changes.
	Filter = journal.Filter
	// Ledger keeps which slots are settled.
	Ledger = runs.Ledger
	// Book is what the ledger keeps of one binding.
	Book = runs.Book
	// Slot is one moment at which a cadence wants a run.
	Slot = runs.Slot
	// Call is a run that is asked for outside of any cadence.
	Call = runs.Call
	// EventFilter chooses events.
	EventFilter = events.EventFilter
)

// The parts of a Store.
type (
	fileStore     = files.Store
	entryStore    = entries.Store
	journalStore  = journal.Store
	scanStore     = scans.Store
	linkStore     = links.Store
	questionStore = questions.Store
	digestStore   = digests.Store
	systemStore   = systems.Store
	runStore      = runs.Store
	eventStore    = events.Store
)

// Store is an open state file. Its methods may be called from several goroutines; each
// subject has its own package below this one.
type Store struct {
	db *sqlite.DB

	*fileStore
	*entryStore
	*journalStore
	*scanStore
	*linkStore
	*questionStore
	*digestStore
	*systemStore
	*runStore
	*eventStore
}

// Open opens the state file at path, creates it where there is none and brings it
// to this version's schema. It refuses a file of a newer version (ErrNewer), one
// that is damaged (ErrCorrupt), one that is something else (ErrForeign) and one
// that can't be written (ErrReadOnly); a refused file is left as it was.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	return storeOf(sqlite.Open(ctx, path, opts))
}

// OpenMemory opens an empty database in memory: the same code without the disk. Its
// samples are drawn from a fixed seed, so that a simulation can be repeated.
func OpenMemory(ctx context.Context) (*Store, error) { return storeOf(sqlite.OpenMemory(ctx)) }

func storeOf(db *sqlite.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return &Store{
		db: db, fileStore: files.NewStore(db), entryStore: entries.NewStore(db), journalStore: journal.NewStore(db),
		scanStore: scans.NewStore(db), linkStore: links.NewStore(db), questionStore: questions.NewStore(db),
		digestStore: digests.NewStore(db), systemStore: systems.NewStore(db), runStore: runs.NewStore(db), eventStore: events.NewStore(db),
	}, nil
}

// DurableLog returns how many bytes of the write-ahead log a power cut can't take back. It is known only if
// Options.Step is set.
func (s *Store) DurableLog() int64 { return s.db.DurableLog() }

// NewRAMDisk makes a RAMDisk that holds what an image holds. With nil it is empty.
func NewRAMDisk(ctx context.Context, image []byte) (*RAMDisk, error) {
	return sqlite.NewRAMDisk(ctx, image)
}

// Inspect opens a copy of a state file and checks that it is whole and that this
// version can go on with it. It changes nothing.
func Inspect(ctx context.Context, file string) (Copy, error) { return sqlite.Inspect(ctx, file) }

// Restore puts a verified copy of a state in the place of the state file to. It refuses while anybody runs jobs
// there (ErrInUse) and, unless forced, if links would be forgotten (ErrHasLinks). A file that was there is
// moved aside. The restored state knows less than the systems. So it is adopt-only from now on (see AdoptOnly),
// scans begin again, and no lease that was given out before holds any more, neither one of the copy nor one of
// the replaced file.
func Restore(ctx context.Context, file, to string, force bool, now time.Time) (files.Restored, error) {
	return files.Restore(ctx, file, to, force, now)
}

// Rebuild puts an empty state in the place of one that is lost or damaged, when no backup helps. A file that is
// there is moved aside; if it knows links, or can't be read, only when forced. The new state is adopt-only (see
// AdoptOnly): what both sides have is linked again, by our marks and by match, before anything is created.
func Rebuild(ctx context.Context, to string, force bool, now time.Time) (files.Restored, error) {
	return files.Rebuild(ctx, to, force, now)
}

// Newest returns the newest backup in a folder that is whole, and the names of newer ones that are not.
func Newest(ctx context.Context, dir string) (c Copy, damaged []string, err error) {
	return files.Newest(ctx, dir)
}

// BackupName is the name of a backup that is made at now. Names sort by time.
func BackupName(now time.Time) string { return files.BackupName(now) }

// LastBackup returns when the newest finished backup in a folder was made, as its name says. It is zero if there is
// none, or no folder.
func LastBackup(dir string) (time.Time, error) { return files.LastBackup(dir) }

// Rotate deletes the backups in a folder that are named as by BackupName, but for the newest: it leaves keep of
// them, and at least one. It returns the names that it deleted. Unfinished backups go, too; other files stay.
func Rotate(dir string, keep int) ([]string, error) { return files.Rotate(dir, keep) }
