package trust

// mostCompared is how many changed records are looked at for being others.
const MostCompared = 200
