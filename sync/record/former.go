package record

// FormerPair is a link of a job that the configuration no longer has, of which another job knows both records by
// their ids. The numbers of the entries are by the sides of that other job.
type FormerPair struct {
	Binding Binding
	Was, Is [2]int64
}
