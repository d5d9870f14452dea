package run

// A whole list may be read in parts, by runs that are cut off and by the one that comes to its
// end. What each of them noticed of its fields is kept until then. A run that was killed kept
// nothing: the next whole list has all of its rows looked at then, and tells by itself.

// partsTrait is the name under which it is kept.
const PartsTrait = "fields_part"

// PartsSeen is what runs that were cut off noticed of a list.
type PartsSeen struct {
	Begun   int64          `json:"begun,omitempty"` // when the list was, in milliseconds
	Rows    int            `json:"rows,omitempty"`
	Decoded int            `json:"decoded,omitempty"`
	Showed  map[string]int `json:"showed,omitempty"`
	Lost    map[string]int `json:"lost,omitempty"` // by path, how many linked records had it and don't show it
	Unknown bool           `json:"unknown,omitempty"`
}
