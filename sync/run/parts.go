package run

// A whole list may be read in parts, by runs that are cut off and by the run that reaches its end. Until
// the end is reached, what each run noticed of the list's fields is kept. A run that was killed has kept
// nothing. Then all rows of the next whole list are looked at, so that this list tells by itself.

// PartsTrait is the name of the trait that keeps what earlier runs noticed of a list.
const PartsTrait = "fields_part"

// PartsSeen is what runs that were cut off have noticed of a list.
type PartsSeen struct {
	Begun   int64          `json:"begun,omitempty"` // when the list was begun, in Unix milliseconds
	Rows    int            `json:"rows,omitempty"`
	Decoded int            `json:"decoded,omitempty"`
	Showed  map[string]int `json:"showed,omitempty"`
	Lost    map[string]int `json:"lost,omitempty"` // by path, how many linked records had a value and don't show it
	Unknown bool           `json:"unknown,omitempty"`
}
