package file

// WithSteps has f called before each step of a write.
func (cfg Config) WithSteps(f func(string) error) Config {
	cfg.step = f
	return cfg
}

// Neutral and Plain are how a cell is written and read.
var (
	Neutral = neutral
	Plain   = plain
)
