// Package config reads the one file that says which systems there are and how
// they are kept in step. It knows the words of that file and nothing of what is
// done with them: it opens no connection and reads no secret.
//
// The file is read twice from the same bytes: as a tree that knows its lines and
// its order, against which every mistake is reported, and through koanf, which
// lays the environment over it and decodes strictly.
package config

import (
	"time"

	"nightporter/sync/schedule"
)

// Config is the whole configuration, checked as far as that goes without asking
// a system. Relative paths in it have been joined to the folder of the file.
type Config struct {
	// Path is the file as Load was given it.
	Path string
	// Text is what was loaded, without remarks and secrets, to be kept and compared.
	Text string
	// TimeZone is the house's clock: every date and hour is meant in it.
	TimeZone *time.Location
	// State is the path of the state file; nightporter.db beside Path if not given.
	State string
	// Systems are in the order of the file.
	Systems []System
	Privacy Privacy
	// Jobs are in the order in which they must run: a job comes after every job
	// its fields refer to, and otherwise where the file has it.
	Jobs     []Job
	FirstRun FirstRun
	Guards   Guards
	// Keep is how long each change can be explained; 400 days if not given.
	Keep time.Duration
	// Settle is how long a system may take to show what was written to it; 10
	// minutes if not given. Every System has its own, filled from this one.
	Settle time.Duration
	// Backup is when and where the state file is copied to; nil is never.
	Backup *Backup
	// Listen is the address at which serve answers for its health and its numbers;
	// empty is nowhere.
	Listen string
	// Grace is how long serve lets a run go on after it was told to stop; 20
	// seconds if not given.
	Grace time.Duration
	// Events are where others are told what happens, in the order of the file.
	Events []Destination
	// Warnings are not mistakes, but worth a line in check.
	Warnings []Mistake

	// places know the lines, for what is found wrong later.
	places layers
}

// System finds a system by its name.
func (c *Config) System(name string) (System, bool) {
	for _, s := range c.Systems {
		if s.Name == name {
			return s, true
		}
	}
	return System{}, false
}

// Job finds a job by its name.
func (c *Config) Job(name string) (Job, bool) {
	for _, j := range c.Jobs {
		if j.Name == name {
			return j, true
		}
	}
	return Job{}, false
}

// Backup is when and where the state file is copied to.
type Backup struct {
	Line int
	// To is a folder. It need not be there yet.
	To string
	// At says when.
	At *schedule.Spec
	// Keep is how many copies stay; 14 if not given.
	Keep int
}

// FirstRun says whether a first run on two populated systems waits for a yes.
type FirstRun string

// The values of FirstRun. FirstRunAsk is the default.
const (
	FirstRunAsk FirstRun = "ask"
	FirstRunGo  FirstRun = "go"
)

// Privacy says what never travels.
type Privacy struct {
	// BlankCards turns digits that pass as a payment card into asterisks, in any
	// text and both ways. On, unless the file says blank: [].
	BlankCards bool
}

// SystemType is what a system is reached by.
type SystemType string

// The types of a System.
const (
	TypeREST     SystemType = "rest"
	TypePostgres SystemType = "postgres"
	TypeSQLite   SystemType = "sqlite"
	TypeRequests SystemType = "requests" // calls asked for by a command or a delivery, in a file of our own
	TypeFile     SystemType = "file"
	TypeFolder   SystemType = "folder"
)

// System is one of the user's systems, by the user's own name for it. Exactly one
// of REST, SQL, Files and Folder is set, as Type says.
type System struct {
	Name string
	Line int
	Type SystemType
	REST *REST
	SQL  *SQL
	// Files is a folder with files.
	Files *Files
	// Folder is a folder of documents.
	Folder *Folder
	// PageSize is how many records are asked for at once; 0 leaves it to the
	// preset or the connector.
	PageSize int
	// Settle is how long the system may take to show a write.
	Settle time.Duration
	// Quiet is the hours in which the system is neither read nor written; nil is none.
	Quiet *schedule.Quiet
	// Webhooks is how the system tells us what changed; nil: it does not.
	Webhooks *Webhooks
}

// REST is a system reached by a JSON API.
type REST struct {
	// Preset is the name of a built-in preset; empty if PresetFile is set.
	Preset string
	// PresetFile is the path of the user's own preset.
	PresetFile string
	// BaseURL has no slash at its end.
	BaseURL string
	// Prefix replaces the preset's, also by nothing; nil leaves the preset's.
	Prefix *string
	// Key is a reference, env:NAME or file:PATH, never the key itself. Empty if
	// the API asks for none.
	Key string
	// Proxy is the address of the proxy that requests go through, or a reference to it,
	// env:NAME or file:PATH. Empty if they go straight.
	Proxy string
	// Timeout of one request; 0 leaves it to the preset.
	Timeout time.Duration
	// Limits cap the requests, of all that use the same key together.
	Limits Limits
	// Concurrency is how many requests are on their way at the same time; 1 if not
	// given.
	Concurrency int
	// BookingReserve is the part of each limit, 0 to 0.9, that only bookings may
	// use; 0.1 if not given.
	BookingReserve float64
	// Override holds keys of the preset that are laid over it, as YAML decoded
	// them: maps, lists, texts, numbers, truth values.
	Override map[string]any
}

// LimitWindow is how a system counts the requests of a limit.
type LimitWindow string

// The values of LimitWindow. WindowSliding is safe whatever the system does.
const (
	WindowSliding LimitWindow = "sliding"
	WindowFixed   LimitWindow = "fixed"
)

// Limits are how many requests a system takes; all of them hold, and 0 leaves one
// to the preset. An empty Window leaves that to the preset, too.
type Limits struct {
	PerSecond, PerMinute, PerHour, PerDay int
	Window                                LimitWindow
}

// TLS says how a database connection is protected.
type TLS string

// The values of TLS. Without one in the file it is TLSOff for an address on this
// machine and TLSVerify for any other.
const (
	TLSOff    TLS = "off"
	TLSOn     TLS = "on"     // encrypted; whose certificate it is doesn't matter
	TLSVerify TLS = "verify" // encrypted, and the certificate must be the server's
)

// SQL is a system reached by its database.
type SQL struct {
	// Address is host:port/database, or a path for SQLite.
	Address string
	User    string
	// Password is a reference, env:NAME or file:PATH; empty if there is none.
	Password string
	TLS      TLS
	// Tables are in the order of the file, one for each kind.
	Tables []Table
	// Documents are made of its rows, in the order of the file.
	Documents []Document
}

// Table finds the table of a kind.
func (s *SQL) Table(kind string) (Table, bool) {
	for _, t := range s.Tables {
		if t.Kind == kind {
			return t, true
		}
	}
	return Table{}, false
}

// Table says where the records of a kind stand. At least one of Table and Query is
// set: a Query is read in place of the Table, and without a Table nothing is written.
type Table struct {
	Kind  string
	Line  int
	Table string
	Query string
	// Key are the columns that identify a row, at least one.
	Key []string
	// Changed is the column with the time of last change; without one whole rows
	// are compared.
	Changed string
	// Created is the column with the time a row was made.
	Created string
	// Version is a column that counts up at each change.
	Version string
	// VersionBump says that we count Version up when we write. It is so unless
	// the file says version_bump: false, because the database does it by itself,
	// or Version is PostgreSQL's xmin, with which it always does.
	VersionBump bool
	// ChangedBy is the column with who changed a row last.
	ChangedBy string
	// Deleted is a column that is filled in a row that counts as deleted.
	Deleted string
	// OurMark is a column for our own number.
	OurMark string
	// Only is a condition in SQL; rows that don't meet it never leave the house.
	Only string
	// Private are columns that are never read. No field maps one.
	Private []string
	// MayDelete says that rows may be deleted, if a job says so, too.
	MayDelete bool
	// Window are the columns that the window of a job is asked by; nil has them
	// taken from the job's dates.
	Window *WindowColumns
}

// WindowColumns are the columns of a table that hold the first and the last day.
type WindowColumns struct {
	From, To string
}
