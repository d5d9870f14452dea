package config

import "time"

// KindDocuments is what a folder, and the documents made of a database, are called in
// between.
const KindDocuments = "documents"

// Folder is a system that is a folder of documents.
type Folder struct {
	Path             string
	Include, Exclude []string // patterns of paths
	Language         string   // of a document that names none
	Tags             []string
	ByPath           []ByPath
	// Unchanged is how long a file must have been left alone; 2 s if not given.
	Unchanged time.Duration
}

// ByPath is what is said of the documents whose path fits a pattern.
type ByPath struct {
	Match, Language string
	Tags            []string
}

// Document is one that is made of the rows of a query.
type Document struct {
	Line int
	// Name is what it is called as a file, such as prices.md.
	Name, Title, Language string
	Tags                  []string
	Query                 string
	// Template is the text of a Go template, or File the path of one.
	Template, File string
	// Order is the columns that rows are sorted by; none: all, from left to right.
	Order []string
	// MinRows is how many rows there must be for it to be believed; 1 if not given.
	MinRows int
}
