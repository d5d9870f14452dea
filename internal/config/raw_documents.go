package config

type rawByPath struct {
	Match    string `koanf:"match"`
	Language string `koanf:"language"`
	Tags     words  `koanf:"tags"`
}

type rawDocument struct {
	Query    string `koanf:"query"`
	Template string `koanf:"template"`
	File     string `koanf:"template_file"`
	Name     string `koanf:"name"`
	Title    string `koanf:"title"`
	Language string `koanf:"language"`
	Tags     words  `koanf:"tags"`
	Order    words  `koanf:"order"`
	MinRows  *int   `koanf:"min_rows"`
}
