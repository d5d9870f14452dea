package config

import "nightporter/sync/schedule"

// Send is what holds back creates and changes on one side that may reach a person.
type Send struct {
	Line int
	// Shut is the hours in which nothing is sent; nil: none.
	Shut *schedule.Quiet
	// Soon is the field of the day by which what is for today, or one of Days days after it,
	// goes at any hour; empty: nothing does.
	Soon string
	Days int
	// AnHour is how much is sent in any 60 minutes; 0: any number.
	AnHour int
	// Never is who is never written to; nil: there is no such list.
	Never *Never
}

// Never is a list of those who are never written to: a file with a number on each line, or
// the records of a kind of a system.
type Never struct {
	Line int
	// Field is the field of the job that is looked for in the list.
	Field string
	// File is a path; empty where System is given.
	File string
	// System and Kind are where the list is kept, and Path what holds the number there.
	System, Kind, Path string
}
