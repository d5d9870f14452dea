package trust

// MostCompared is how many changed links a run compares at most, to see whether a side shows other
// records or older ones.
const MostCompared = 200
