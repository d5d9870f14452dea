package config

// badEdits are what people do wrong.
func badEdits() []edit {
	return []edit{
		{
			name: "key mistyped",
			edit: []string{"    fields:\n      given", "    feilds:\n      given"},
			want: []string{
				"config.yaml:18: jobs.guests.feilds: unknown key; did you mean \"fields\"?",
			},
		},
		{
			name: "key of a field mistyped",
			edit: []string{"conflict: pms", "conflct: pms"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.conflct: unknown key; did you mean \"conflict\"?",
			},
		},
		{
			name: "key at the top mistyped",
			edit: []string{"time_zone:", "timezone:"},
			want: []string{
				"config.yaml:1: timezone: unknown key; did you mean \"time_zone\"?",
			},
		},
		{
			name: "key unlike any",
			edit: []string{"    kind: contact", "    kind: contact\n    zebra: 1"},
			want: []string{
				"config.yaml:15: jobs.guests.zebra: unknown key",
			},
		},
		{
			name: "keys of a later version",
			edit: []string{"systems:", "alerts: {}\nsystems:"},
			want: []string{
				"config.yaml:2: alerts: unknown key: not in this version; delete it",
			},
		},
		{
			name: "cadences nobody can read",
			edit: []string{
				"    kind: contact", "    kind: contact\n    when: { pms: every 10s, platforn: every 1m, full: [a, b], missed: never, webhook: crm }",
				"    user: np", "    user: np\n    quiet: x",
			},
			want: []string{
				"config.yaml:8: systems.pms.quiet: quiet \"x\": not understood; write from-to, such as \"02:00-03:15\" or \"mon-fri 02:00-03:15\", several with commas between",
				"config.yaml:16: jobs.guests.when.full: must be one cadence, such as \"every 2m\" or \"30 3 * * *\"",
				"config.yaml:16: jobs.guests.when.missed: \"never\" is not one of run_once, skip",
				"config.yaml:16: jobs.guests.when.platforn: \"platforn\" is neither a system of this job nor one of full, webhook, missed; did you mean \"platform\"?",
				"config.yaml:16: jobs.guests.when.pms: cadence \"every 10s\": shorter than a minute; write \"every 1m\" or longer, and use a webhook for what must be known at once",
				"config.yaml:16: jobs.guests.when.webhook: \"crm\" is not a system of this job",
			},
		},
		{
			name: "copies without a place, at no time",
			edit: []string{"systems:", "backup: { at: webhook, keep: 0 }\nlisten: 8390\nsystems:"},
			want: []string{
				"config.yaml:2: backup.at: \"webhook\" is no time: write \"04:30\" or \"every 12h\"",
				"config.yaml:2: backup.keep: must be 1 or more",
				"config.yaml:2: backup.to: missing: the folder for copies of the state file, best on another disk",
				"config.yaml:3: listen: must be a text: put it in \"quotes\"",
			},
		},
		{
			name: "key twice",
			edit: []string{"    user: np", "    user: np\n    user: other"},
			want: []string{
				"config.yaml:8: systems.pms.user: twice in the same block, first in line 7: delete one",
			},
		},
		{
			name: "key twice in a flow",
			edit: []string{"first_name, conflict: pms", "first_name, conflict: pms, pms: name"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: twice in the same block, first in line 19: delete one",
			},
		},
		{
			name: "key is a number",
			edit: []string{"    user: np", "    user: np\n    3: x"},
			want: []string{
				"config.yaml:8: systems.pms: a key that is not a plain word: put it in \"quotes\"",
			},
		},
		{
			name: "merge key",
			edit: []string{"    user: np", "    user: np\n    <<: {type: sqlite}"},
			want: []string{
				"config.yaml:8: systems.pms: a key that is not a plain word: put it in \"quotes\"",
			},
		},
		{
			name: "anchor",
			edit: []string{"    user: np", "    user: &u np"},
			want: []string{
				"config.yaml:7: systems.pms.user: anchors (& and *) are not used here: write the value out, or put it in \"quotes\"",
			},
		},
		{
			name: "tag",
			edit: []string{"    user: np", "    user: !!str np"},
			want: []string{
				"config.yaml:7: systems.pms.user: tags (!) are not used here: put the value in \"quotes\"",
			},
		},
		{
			name: "text is a number",
			edit: []string{"    user: np", "    user: 7"},
			want: []string{
				"config.yaml:7: systems.pms.user: must be a text: put it in \"quotes\"",
			},
		},
		{
			name: "text is a list",
			edit: []string{"    user: np", "    user: [a]"},
			want: []string{
				"config.yaml:7: systems.pms.user: must be a text, not a list or a block",
			},
		},
		{
			name: "text is empty",
			edit: []string{"    user: np", "    user: \"\""},
			want: []string{
				"config.yaml:7: systems.pms.user: empty: give it a value or delete the line",
			},
		},
		{
			name: "value left out",
			edit: []string{"    user: np", "    user:"},
			want: []string{
				"config.yaml:7: systems.pms.user: empty: give it a value or delete the line",
			},
		},
		{
			name: "block is a text",
			edit: []string{"    tables:\n      guests: { table: guests, key: id, changed: updated_at, private: [notes], our_mark: ref }\n      stays: { table: stays, key: id }", "    tables: all"},
			want: []string{
				"config.yaml:9: systems.pms.tables: must be a block of keys with values",
			},
		},
		{
			name: "list is a text in match",
			edit: []string{"match: [phone]", "match: phone"},
			want: []string{
				"config.yaml:16: jobs.guests.match: must be a list: [one, two]",
			},
		},
		{
			name: "number is a text",
			edit: []string{"    user: np", "    user: np\n    page_size: many"},
			want: []string{
				"config.yaml:8: systems.pms.page_size: must be a whole number",
			},
		},
		{
			name: "number in octal",
			edit: []string{"    user: np", "    user: np\n    page_size: 010"},
			want: []string{
				"config.yaml:8: systems.pms.page_size: must be a whole number",
			},
		},
		{
			name: "more requests at once than anybody takes",
			edit: []string{"{ preset: platform, base_url: \"https://api.example.com\", key: \"env:KEY\" }", "{ preset: platform, base_url: \"https://api.example.com\", key: \"env:KEY\", concurrency: 17 }"},
			want: []string{
				"config.yaml:3: systems.platform.concurrency: must be 16 or less",
			},
		},
		{
			name: "number is zero",
			edit: []string{"    user: np", "    user: np\n    page_size: 0"},
			want: []string{
				"config.yaml:8: systems.pms.page_size: must be 1 or more",
			},
		},
		{
			name: "truth is a word",
			edit: []string{"phone_number, pms: phone", "phone_number, pms: phone, required: yes"},
			want: []string{
				"config.yaml:20: jobs.guests.fields.phone.required: must be true or false",
			},
		},
		{
			name: "time without unit",
			edit: []string{"systems:", "settle: 30\nsystems:"},
			want: []string{
				"config.yaml:2: settle: must be a time with its unit, such as 30s, 5m, 2h or 400d",
			},
		},
		{
			name: "time with an unknown unit",
			edit: []string{"systems:", "keep: 3 weeks\nsystems:"},
			want: []string{
				"config.yaml:2: keep: must be a time with its unit, such as 30s, 5m, 2h or 400d",
			},
		},
		{
			name: "percent without sign",
			edit: []string{"systems:", "guards: { changed: 50 }\nsystems:"},
			want: []string{
				"config.yaml:2: guards.changed: must be a percentage from 1% to 100%",
			},
		},
		{
			name: "limits wrong",
			edit: []string{`key: "env:KEY" }`, `key: "env:KEY",
      max_per_minute: 5,
      limits: {
        per_minute: 6,
        per_hour: 0,
        per_weak: 1,
        window: rolling },
      booking_reserve: 95%,
      concurrency: 0 }`},
			want: []string{
				"config.yaml:4: systems.platform.max_per_minute: limits.per_minute says the same: delete one",
				"config.yaml:7: systems.platform.limits.per_hour: must be 1 or more",
				"config.yaml:8: systems.platform.limits.per_weak: unknown key; did you mean \"per_day\"?",
				"config.yaml:9: systems.platform.limits.window: \"rolling\" is not one of sliding, fixed",
				"config.yaml:10: systems.platform.booking_reserve: must be a percentage from 0% to 90%",
				"config.yaml:11: systems.platform.concurrency: must be 1 or more",
			},
		},
		{
			name: "limits of a database",
			edit: []string{"    user: np", "    user: np\n    limits: { per_minute: 5 }\n    concurrency: 2"},
			want: []string{
				"config.yaml:8: systems.pms.limits: means nothing with type: postgres: delete it",
				"config.yaml:9: systems.pms.concurrency: means nothing with type: postgres: delete it",
			},
		},
		{
			name: "percent above 100",
			edit: []string{"systems:", "guards: { changed: 150%, creates: 0 }\nsystems:"},
			want: []string{
				"config.yaml:2: guards.changed: must be a percentage from 1% to 100%",
				"config.yaml:2: guards.creates: must be 1 or more",
			},
		},
		{
			name: "days without unit",
			edit: []string{"from: -1d", "from: -1"},
			want: []string{
				"config.yaml:24: jobs.stays.window.from: must be whole days from today, such as -1d or +400d",
			},
		},
		{
			name: "window upside down",
			edit: []string{"from: -1d, to: +400d", "from: 2d, to: 1d"},
			want: []string{
				"config.yaml:24: jobs.stays.window: ends before it begins",
			},
		},
		{
			name: "window half",
			edit: []string{"from: -1d, to: +400d", "from: -1d"},
			want: []string{
				"config.yaml:24: jobs.stays.window.to: missing: the last day, such as +400d",
			},
		},
		{
			name: "window of a contact",
			edit: []string{"    match: [phone]", "    window: { from: -1d, to: 1d }\n    match: [phone]"},
			want: []string{
				"config.yaml:16: jobs.guests.window: a contact has no dates: a window is for what happens on a day, like a stay, an order or a call",
			},
		},
		{
			name: "window without dates",
			edit: []string{"      departure: { platform: ending_date, pms: departure, together: days }\n", "", "arrival, together: days", "arrival"},
			want: []string{
				"config.yaml:24: jobs.stays.window: needs the field departure: without it nobody knows the days of a record",
			},
		},
		{
			name: "time zone missing",
			edit: []string{"time_zone: Europe/Rome\n", ""},
			want: []string{
				"config.yaml: time_zone: missing: the house's clock, such as Europe/Rome",
			},
		},
		{
			name: "time zone mistyped",
			edit: []string{"Europe/Rome", "Europe/Roma"},
			want: []string{
				"config.yaml:1: time_zone: unknown time zone \"Europe/Roma\"; did you mean \"Europe/Rome\"?",
			},
		},
		{
			name: "time zone is a city",
			edit: []string{"Europe/Rome", "rome"},
			want: []string{
				"config.yaml:1: time_zone: unknown time zone \"rome\"; did you mean \"Europe/Rome\"?",
			},
		},
		{
			name: "time zone is this machine's",
			edit: []string{"Europe/Rome", "Local"},
			want: []string{
				"config.yaml:1: time_zone: say which one, such as Europe/Rome: this machine's own may change",
			},
		},
		{
			name: "time zone unlike any",
			edit: []string{"Europe/Rome", "Middle-earth/Bree-on-the-hill"},
			want: []string{
				"config.yaml:1: time_zone: unknown time zone \"Middle-earth/Bree-on-the-hill\": write one such as Europe/Rome",
			},
		},
		{
			name: "first run",
			edit: []string{"systems:", "first_run: yes\nsystems:"},
			want: []string{
				"config.yaml:2: first_run: \"yes\" is not one of ask, go",
			},
		},
		{
			name: "privacy",
			edit: []string{"systems:", "privacy: { blank: [names] }\nsystems:"},
			want: []string{
				"config.yaml:2: privacy.blank: \"names\" is not known: card_numbers is all there is",
			},
		},
		{
			name: "how values are kept",
			edit: []string{"    match: [phone]\n", "    match: [phone]\n    keep_values: hash\n"},
			want: []string{
				`config.yaml:17: jobs.guests.keep_values: "hash" is not one of plain, digest`,
			},
		},
		{
			name: "digests of a union",
			edit: []string{
				"    match: [phone]\n", "    match: [phone]\n    keep_values: digest\n",
				"conflict: pms", "as: set, conflict: union",
			},
			want: []string{
				"config.yaml:17: jobs.guests.keep_values: digest can't go with union, as given_name has it: what each side added is only known by what both had",
			},
		},
		{
			name: "digests of stays",
			edit: []string{"    kind: stay\n", "    kind: stay\n    keep_values: digest\n"},
			want: []string{
				"config.yaml:23: jobs.stays.keep_values: digest is not for a stay: its days and its status are needed to answer for the room",
			},
		},
		{
			name: "literal key",
			edit: []string{"\"env:KEY\"", "hunter2"},
			want: []string{
				"config.yaml:3: systems.platform.key: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
			},
		},
		{
			name: "literal password",
			edit: []string{"file:pms.password", "hunter2"},
			want: []string{
				"config.yaml:8: systems.pms.password: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
			},
		},
		{
			name: "literal password that is a number",
			edit: []string{"file:pms.password", "123456"},
			want: []string{
				"config.yaml:8: systems.pms.password: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
			},
		},
		{
			name: "env reference without name",
			edit: []string{"\"env:KEY\"", "\"env:\""},
			want: []string{
				"config.yaml:3: systems.platform.key: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
			},
		},
		{
			name: "password in the address",
			edit: []string{"localhost:5432/pms", "np:hunter2@localhost:5432/pms"},
			want: []string{
				"config.yaml:6: systems.pms.address: must be host:port/database alone: the user and the password have keys of their own",
			},
		},
		{
			name: "key in the base address",
			edit: []string{"https://api.example.com", "https://u:hunter2@api.example.com"},
			want: []string{
				"config.yaml:3: systems.platform.base_url: has a user or password in it: a secret belongs under key",
			},
		},
		{
			name: "base address with a query",
			edit: []string{"https://api.example.com", "https://api.example.com?key=hunter2"},
			want: []string{
				"config.yaml:3: systems.platform.base_url: must end before ? and #",
			},
		},
		{
			name: "base address without scheme",
			edit: []string{"https://api.example.com", "api.example.com"},
			want: []string{
				"config.yaml:3: systems.platform.base_url: must be an address such as https://api.example.com",
			},
		},
		{
			name: "address without database",
			edit: []string{"localhost:5432/pms", "localhost"},
			want: []string{
				"config.yaml:6: systems.pms.address: must be host:port/database, such as 192.0.2.10:5432/pms",
			},
		},
		{
			name: "preset is no name",
			edit: []string{"preset: platform", "preset: ../x"},
			want: []string{
				"config.yaml:3: systems.platform.preset: must be the name of a built-in preset, such as platform, or file:your-own.yaml",
			},
		},
		{
			name: "preset missing",
			edit: []string{"preset: platform, ", ""},
			want: []string{
				"config.yaml:3: systems.platform.preset: missing: the name of a built-in preset, such as platform, or file:your-own.yaml",
			},
		},
		{
			name: "system of nothing",
			edit: []string{"{ preset: platform, base_url: \"https://api.example.com\", key: \"env:KEY\" }", "{ page_size: 5 }"},
			want: []string{
				"config.yaml:3: systems.platform: needs a preset, for a system with an API, or a type: postgres or sqlite for a database, file for files in a folder, folder for documents",
			},
		},
		{
			name: "type unknown",
			edit: []string{"type: postgres", "type: postgresql"},
			want: []string{
				"config.yaml:5: systems.pms.type: \"postgresql\" is not one of postgres, sqlite, rest, file, folder, requests; did you mean \"postgres\"?",
			},
		},
		{
			name: "keys of the other sort of system",
			edit: []string{"    user: np", "    user: np\n    base_url: https://x.example.com"},
			want: []string{
				"config.yaml:8: systems.pms.base_url: means nothing with type: postgres: delete it",
			},
		},
		{
			name: "sqlite with a user",
			edit: []string{"type: postgres", "type: sqlite"},
			want: []string{
				"config.yaml:7: systems.pms.user: means nothing with type: sqlite: delete it",
				"config.yaml:8: systems.pms.password: means nothing with type: sqlite: delete it",
			},
		},
		{
			name: "system named like a word",
			edit: []string{"  pms:\n    type", "  hold:\n    type"},
			want: []string{
				"config.yaml:4: systems.hold: this name is a word of the configuration: choose another",
				"config.yaml:15: jobs.guests.between.pms: unknown system",
				"config.yaml:19: jobs.guests.fields.given_name.pms: unknown key",
				"config.yaml:20: jobs.guests.fields.phone.pms: unknown key",
				"config.yaml:23: jobs.stays.between.pms: unknown system",
				"config.yaml:28: jobs.stays.fields.guest.pms: unknown key",
				"config.yaml:29: jobs.stays.fields.arrival.pms: unknown key",
				"config.yaml:30: jobs.stays.fields.departure.pms: unknown key",
				"config.yaml:31: jobs.stays.fields.status.pms: unknown key",
			},
		},
		{
			name: "system with a dot",
			edit: []string{"  pms:\n    type", "  pms.it:\n    type"},
			want: []string{
				"config.yaml:4: systems.pms.it: a name begins with a letter and has only letters, digits, - and single _",
				"config.yaml:15: jobs.guests.between.pms: unknown system",
				"config.yaml:19: jobs.guests.fields.given_name.pms: unknown key",
				"config.yaml:20: jobs.guests.fields.phone.pms: unknown key",
				"config.yaml:23: jobs.stays.between.pms: unknown system",
				"config.yaml:28: jobs.stays.fields.guest.pms: unknown key",
				"config.yaml:29: jobs.stays.fields.arrival.pms: unknown key",
				"config.yaml:30: jobs.stays.fields.departure.pms: unknown key",
				"config.yaml:31: jobs.stays.fields.status.pms: unknown key",
			},
		},
		{
			name: "query without a table",
			edit: []string{"stays: { table: stays, key: id }", "stays: { query: select 1, key: id }"},
			want: []string{
				"config.yaml:26: jobs.stays.create.pms: stays has a query and no table, so it is only read: write never",
				"config.yaml:28: jobs.stays.fields.guest.pms: pms.stays has a query and no table, so it is only read: say to: platform",
				"config.yaml:29: jobs.stays.fields.arrival.pms: pms.stays has a query and no table, so it is only read: say to: platform",
				"config.yaml:30: jobs.stays.fields.departure.pms: pms.stays has a query and no table, so it is only read: say to: platform",
				"config.yaml:31: jobs.stays.fields.status.pms: pms.stays has a query and no table, so it is only read: say to: platform",
			},
		},
		{
			name: "union of a group",
			edit: []string{"arrival, together: days", "arrival, together: days, conflict: max", "departure, together: days", "departure, together: days, conflict: max"},
			want: []string{
				"config.yaml:29: jobs.stays.fields.arrival.conflict: max can't weigh several fields at once, and arrival is together with others",
			},
		},
		{
			name: "elements of a text",
			edit: []string{"conflict: pms", "of: name"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.of: is for a list or a set, and this field is a name",
			},
		},
		{
			name: "piece without split",
			edit: []string{"pms: first_name", "pms: { path: first_name, piece: 2 }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: piece and cut mean nothing without split",
			},
		},
		{
			name: "empty is no word",
			edit: []string{"pms: first_name", "pms: { path: first_name, empty: none }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms.empty: \"none\" is not one of null, text",
			},
		},
		{
			name: "format of an element",
			edit: []string{"pms: first_name", "pms: { path: first_name, element: x, unit: minor }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms.element: is for list, set, and this field is a name; as: says what it is",
				"config.yaml:19: jobs.guests.fields.given_name.pms.unit: is for money, and this field is a name; as: says what it is",
			},
		},
		{
			name: "table without name and key",
			edit: []string{"stays: { table: stays, key: id }", "stays: { changed: x }"},
			want: []string{
				"config.yaml:11: systems.pms.tables.stays.key: missing: the column, or columns, that identify a row",
				"config.yaml:11: systems.pms.tables.stays.table: missing: the name of the table, such as pms.guests",
			},
		},
		{
			name: "bump without version",
			edit: []string{"stays: { table: stays, key: id }", "stays: { table: stays, key: id, version_bump: true }"},
			want: []string{
				"config.yaml:11: systems.pms.tables.stays.version_bump: means nothing without version",
			},
		},
		{
			name: "key column is private",
			edit: []string{"private: [notes]", "private: [notes, id]"},
			want: []string{
				"config.yaml:10: systems.pms.tables.guests.key: \"id\" is private, and private columns are never read",
			},
		},
		{
			name: "tls unknown",
			edit: []string{"    user: np", "    user: np\n    tls: true"},
			want: []string{
				"config.yaml:8: systems.pms.tls: must be a text: put it in \"quotes\"",
			},
		},
		{
			name: "kind missing",
			edit: []string{"    kind: contact\n", ""},
			want: []string{
				"config.yaml:13: jobs.guests.kind: missing: contact, stay, appointment, order or record",
			},
		},
		{
			name: "kind unknown",
			edit: []string{"kind: contact", "kind: contacts"},
			want: []string{
				"config.yaml:14: jobs.guests.kind: \"contacts\" is not one of contact, stay, appointment, order, record; did you mean \"contact\"?",
			},
		},
		{
			name: "between one system",
			edit: []string{"platform: contacts, pms: guests", "pms: guests"},
			want: []string{
				"config.yaml:15: jobs.guests.between: must name two systems and what each calls the records: { platform: contacts, pms: guests }",
			},
		},
		{
			name: "between an unknown system",
			edit: []string{"platform: contacts, pms: guests", "platfomr: contacts, pms: guests"},
			want: []string{
				"config.yaml:15: jobs.guests.between.platfomr: unknown system; did you mean \"platform\"?",
			},
		},
		{
			name: "table of between unknown",
			edit: []string{"platform: contacts, pms: guests", "platform: contacts, pms: gests"},
			want: []string{
				"config.yaml:15: jobs.guests.between.pms: pms has no table \"gests\"; did you mean \"guests\"?",
			},
		},
		{
			name: "create missing",
			edit: []string{", pms: when_booked", ""},
			want: []string{
				"config.yaml:17: jobs.guests.create.pms: missing: when a record that only the other side has is made here: always, never or when_referenced",
			},
		},
		{
			name: "create unknown word",
			edit: []string{"platform: always, pms: when_booked", "platform: sometimes, pms: when_booked"},
			want: []string{
				"config.yaml:17: jobs.guests.create.platform: \"sometimes\" is not one of always, never, when_referenced",
			},
		},
		{
			name: "create unknown system",
			edit: []string{"pms: when_booked", "crm: when_booked"},
			want: []string{
				"config.yaml:17: jobs.guests.create.crm: \"crm\" is neither of the two systems of this job, platform and pms",
				"config.yaml:17: jobs.guests.create.pms: missing: when a record that only the other side has is made here: always, never or when_referenced",
			},
		},
		{
			name: "conflict unknown",
			edit: []string{"conflict: pms", "conflict: pmss"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.conflict: \"pmss\" is not one of platform, pms, newest, union, max, min, fill_empty, rules, consent, hold; did you mean \"pms\"?",
			},
		},
		{
			name: "conflict newer",
			edit: []string{"conflict: pms", "conflict: newer"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.conflict: \"newer\" is not one of platform, pms, newest, union, max, min, fill_empty, rules, consent, hold; did you mean \"newest\"?",
			},
		},
		{
			name: "to unknown",
			edit: []string{"conflict: pms", "to: crm"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.to: \"crm\" is neither of the two systems of this job, platform and pms",
			},
		},
		{
			name: "match without such a field",
			edit: []string{"match: [phone]", "match: [phone, emial, given_nam]"},
			want: []string{
				"config.yaml:16: jobs.guests.match: \"emial\" is not under fields",
				"config.yaml:16: jobs.guests.match: \"given_nam\" is not under fields; did you mean \"given_name\"?",
			},
		},
		{
			name: "match missing",
			edit: []string{"    match: [phone]\n", ""},
			want: []string{
				"config.yaml:13: jobs.guests.match: missing: by which fields two records are the same one, such as [phone, email]",
			},
		},
		{
			name: "field without a side",
			edit: []string{"platform: first_name, ", ""},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.platform: missing: the name of the field in platform",
			},
		},
		{
			name: "field with an unknown side",
			edit: []string{"platform: first_name, ", "platfrm: first_name, "},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.platfrm: unknown key; did you mean \"platform\"?",
			},
		},
		{
			name: "side with an unknown key",
			edit: []string{"pms: first_name", "pms: { pth: first_name }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms.pth: unknown key; did you mean \"path\"?",
			},
		},
		{
			name: "side says nothing",
			edit: []string{"pms: first_name", "pms: { split: x }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: does not say where the field is: give its name, or { path: … }",
			},
		},
		{
			name: "side says it twice",
			edit: []string{"pms: first_name", "pms: { path: first_name, paths: [a, b] }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: says in two ways where the field is: keep one of path, paths and the names of a reference",
			},
		},
		{
			name: "field written twice",
			edit: []string{"pms: phone,", "pms: first_name,"},
			want: []string{
				"config.yaml:20: jobs.guests.fields.phone.pms: \"first_name\" is already written by the field given_name: two fields would overwrite each other; say to: platform for one of them",
			},
		},
		{
			name: "private column mapped",
			edit: []string{"pms: first_name", "pms: Notes"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: \"Notes\" is private in pms.guests: it never leaves the house; take it out of one of the two lists",
			},
		},
		{
			name: "private region",
			edit: []string{"pms.country", "pms.notes"},
			want: []string{
				"config.yaml:20: jobs.guests.fields.phone.region: \"notes\" is private in pms.guests: it never leaves the house; take it out of one of the two lists",
			},
		},
		{
			name: "our mark mapped",
			edit: []string{"pms: first_name", "pms: ref"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: \"ref\" is ours to write: it is named under tables as version or our_mark",
			},
		},
		{
			name: "region of another system",
			edit: []string{"pms.country, IT", "crm.country, it"},
			want: []string{
				"config.yaml:20: jobs.guests.fields.phone.region: \"crm\" is neither of the two systems of this job, platform and pms",
				"config.yaml:20: jobs.guests.fields.phone.region: \"it\" is neither a country of two capital letters, such as IT, nor a field of a system, such as pms.country",
			},
		},
		{
			name: "region of a text",
			edit: []string{"first_name, conflict: pms", "first_name, region: IT"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.region: is for a phone",
			},
		},
		{
			name: "union of a name",
			edit: []string{"conflict: pms", "conflict: union"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.conflict: union is for list, set, and this field is a name; as: says what it is",
			},
		},
		{
			name: "rules without a table",
			edit: []string{"conflict: pms", "as: enum, conflict: rules"},
			want: []string{
				"config.yaml:13: jobs.guests.given_name: missing: the table of its words, one row for each: confirmed: { platform: …, pms: … }",
			},
		},
		{
			name: "enforce both ways",
			edit: []string{"conflict: pms", "enforce: true"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.enforce: means nothing for a field that goes both ways: say to",
			},
		},
		{
			name: "as of a reference",
			edit: []string{"job: guests,", "job: guests, as: text,"},
			want: []string{
				"config.yaml:28: jobs.stays.fields.guest.as: means nothing for a field with job, which is a reference",
			},
		},
		{
			name: "wait without job",
			edit: []string{"conflict: pms", "wait: 3h"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.wait: means nothing without job",
			},
		},
		{
			name: "unknown job",
			edit: []string{"job: guests", "job: gusts"},
			want: []string{
				"config.yaml:28: jobs.stays.fields.guest.job: unknown job \"gusts\"; did you mean \"guests\"?",
			},
		},
		{
			name: "reference to itself",
			edit: []string{"job: guests", "job: stays"},
			want: []string{
				"config.yaml:27: jobs.stays.fields: jobs refer to each other in a ring, so that none can be first: stays → stays",
			},
		},
		{
			name: "group of one",
			edit: []string{"departure, together: days", "departure"},
			want: []string{
				"config.yaml:29: jobs.stays.fields.arrival.together: no other field is together in \"days\"",
			},
		},
		{
			name: "group decided differently",
			edit: []string{"departure, together: days", "departure, together: days, conflict: pms"},
			want: []string{
				"config.yaml:30: jobs.stays.fields.departure.together: arrival and departure are decided as one, so they need the same conflict and initial",
			},
		},
		{
			name: "word for an unknown system",
			edit: []string{"pms: cancelled }", "crm: cancelled }"},
			want: []string{
				"config.yaml:34: jobs.stays.status.cancelled.crm: \"crm\" is neither of the two systems of this job, platform and pms",
			},
		},
		{
			name: "word for nobody",
			edit: []string{"cancelled: { platform: CANCELLED, pms: cancelled }", "cancelled: {}"},
			want: []string{
				"config.yaml:34: jobs.stays.status.cancelled: neither system has a word for it",
			},
		},
		{
			name: "word that is a number",
			edit: []string{"pms: cancelled }", "pms: 3 }"},
			want: []string{
				"config.yaml:34: jobs.stays.status.cancelled.pms: must be a text: put it in \"quotes\"",
			},
		},
		{
			name: "may an unknown word",
			edit: []string{"[confirmed, cancelled]", "[confirmed, canceled]"},
			want: []string{
				"config.yaml:35: jobs.stays.platform_may: \"canceled\" is not one of our words for status; did you mean \"cancelled\"?",
			},
		},
		{
			name: "may of an unknown system",
			edit: []string{"platform_may:", "platfrm_may:"},
			want: []string{
				"config.yaml:35: jobs.stays.platfrm_may: unknown key; did you mean \"platform_may\"?",
			},
		},
		{
			name: "table of no field",
			edit: []string{"    status:\n", "    state:\n"},
			want: []string{
				"config.yaml:32: jobs.stays.state: unknown key; did you mean \"status\"?",
			},
		},
		{
			name: "accept_if of a contact",
			edit: []string{"    kind: contact", "    kind: contact\n    answer_within: 3m"},
			want: []string{
				"config.yaml:15: jobs.guests.answer_within: is for bookings: a stay or an appointment",
			},
		},
		{
			name: "accept_if of an API",
			edit: []string{"accept_if: select 1", "accept_if: { platform: select 1 }"},
			want: []string{
				"config.yaml:36: jobs.stays.accept_if.platform: platform is not a database: only a database can be asked this",
			},
		},
		{
			name: "not_a_value of every value",
			edit: []string{"    match: [phone]", "    not_a_value: { phone: \"**\", mail: x }\n    match: [phone]"},
			want: []string{
				"config.yaml:16: jobs.guests.not_a_value.mail: \"mail\" is not under fields",
				"config.yaml:16: jobs.guests.not_a_value.phone: a pattern that fits every value",
			},
		},
		{
			name: "on_create of a mapped column",
			edit: []string{"    match: [phone]", "    on_create: { pms: { phone: x, plan: [1], since: 2026-01-01, code: 007, notes: x } }\n    match: [phone]"},
			want: []string{
				"config.yaml:16: jobs.guests.on_create.pms.code: not clear what is meant: put it in \"quotes\" if it is a text",
				"config.yaml:16: jobs.guests.on_create.pms.notes: \"notes\" is private in pms.guests: it never leaves the house; take it out of one of the two lists",
				"config.yaml:16: jobs.guests.on_create.pms.phone: is already written by the field phone",
				"config.yaml:16: jobs.guests.on_create.pms.plan: must be one value, not a list or a block",
				"config.yaml:16: jobs.guests.on_create.pms.since: not clear what is meant: put it in \"quotes\" if it is a text",
			},
		},
		{
			name: "represent_by alone",
			edit: []string{"    match: [phone]", "    represent_by: oldest\n    match: [phone]"},
			want: []string{
				"config.yaml:16: jobs.guests.represent_by: means nothing without if_several: represent",
			},
		},
		{
			name: "the same pair twice",
			edit: []string{"platform: reservations, pms: stays", "pms: guests, platform: contacts"},
			want: []string{
				"config.yaml:23: jobs.stays.between: pms.guests and platform.contacts are already kept in step by the job guests",
			},
		},
		{
			name: "tab",
			edit: []string{"    user: np", "\tuser: np"},
			want: []string{
				"config.yaml:7: a tab at the beginning of the line: indent with spaces only",
			},
		},
		{
			name: "colon in a value",
			edit: []string{"    user: np", "    user: np: x"},
			want: []string{
				"config.yaml:7: a colon where none can be: put the value in \"quotes\", or look at the indentation",
			},
		},
		{
			name: "bracket open",
			edit: []string{"match: [phone]", "match: [phone"},
			want: []string{
				"config.yaml:16: a bracket that opens and does not close, or a comma that is missing",
			},
		},
		{
			name: "quote open",
			edit: []string{"    user: np", "    user: \"np"},
			want: []string{
				"config.yaml:7: a quote that opens and does not close",
			},
		},
		{
			name: "indentation",
			edit: []string{"    user: np", "   user: np"},
			want: []string{
				"config.yaml:7: the indentation fits nothing above it: lines of one block begin at the same column",
			},
		},
		{
			name: "star",
			edit: []string{"    user: np", "    user: *hunter2"},
			want: []string{
				"config.yaml:7: a value that begins with * must stand in \"quotes\"",
			},
		},
		{
			name: "at sign",
			edit: []string{"    user: np", "    user: @hunter2"},
			want: []string{
				"config.yaml:7: a value that begins with @, ` or % must stand in \"quotes\"",
			},
		},
		{
			name: "second document",
			edit: []string{"jobs:", "---\njobs:"},
			want: []string{
				"config.yaml:12: a second document begins here: take out the line with ---",
			},
		},
		{
			name: "environment: unknown key",
			env:  []string{"NIGHTPORTER__systems__pms__usr=x", "OTHER__x=y"},
			want: []string{
				"NIGHTPORTER__systems__pms__usr: systems.pms.usr: unknown key; did you mean \"user\"?",
			},
		},
		{
			name: "environment: empty",
			env:  []string{"NIGHTPORTER__SYSTEMS__PMS__USER="},
			want: []string{
				"NIGHTPORTER__SYSTEMS__PMS__USER: systems.pms.user: set, but to nothing: give it a value or unset it",
			},
		},
		{
			name: "environment: literal secret",
			env:  []string{"NIGHTPORTER__SYSTEMS__PMS__PASSWORD=hunter2"},
			want: []string{
				"NIGHTPORTER__SYSTEMS__PMS__PASSWORD: systems.pms.password: a secret is never written here: put it alone into a file and write file:/path/of/it, or env:NAME for an environment variable",
			},
		},
		{
			name: "environment: not a number",
			env:  []string{"NIGHTPORTER__SYSTEMS__PMS__PAGE_SIZE=many"},
			want: []string{
				"NIGHTPORTER__SYSTEMS__PMS__PAGE_SIZE: systems.pms.page_size: must be a whole number",
			},
		},
		{
			name: "environment: time without unit",
			env:  []string{"NIGHTPORTER__SETTLE=30"},
			want: []string{
				"NIGHTPORTER__SETTLE: settle: must be a time with its unit, such as 30s, 5m, 2h or 400d",
			},
		},
		{
			name: "environment: not readable",
			env:  []string{"NIGHTPORTER__jobs__guests__match=[phone"},
			want: []string{
				"NIGHTPORTER__jobs__guests__match: jobs.guests.match: not readable as YAML: look at the brackets and quotes",
			},
		},
		{
			name: "environment: two for one",
			env:  []string{"NIGHTPORTER__SETTLE=30s", "NIGHTPORTER__settle=40s"},
			want: []string{
				"NIGHTPORTER__settle: settle: two variables set the same key: unset one",
			},
		},
		{
			name: "environment: key inside a key",
			env:  []string{"NIGHTPORTER__settle=30s", "NIGHTPORTER__settle__x=40s"},
			want: []string{
				"NIGHTPORTER__settle__x: settle.x: two variables set the same key: unset one",
			},
		},
		{
			name: "environment: no key",
			env:  []string{"NIGHTPORTER__=30s"},
			want: []string{
				"NIGHTPORTER__: two underscores too many: write NIGHTPORTER__a__b for the key b in a",
			},
		},
		{
			name: "many at once",
			edit: []string{"Europe/Rome", "Europe/Roma", "    user: np", "    usr: np", "conflict: pms", "conflict: pmss"},
			env:  []string{"NIGHTPORTER__KEEP=1"},
			want: []string{
				"config.yaml:1: time_zone: unknown time zone \"Europe/Roma\"; did you mean \"Europe/Rome\"?",
				"config.yaml:7: systems.pms.usr: unknown key; did you mean \"user\"?",
				"config.yaml:19: jobs.guests.fields.given_name.conflict: \"pmss\" is not one of platform, pms, newest, union, max, min, fill_empty, rules, consent, hold; did you mean \"pms\"?",
				"NIGHTPORTER__KEEP: keep: must be a time with its unit, such as 30s, 5m, 2h or 400d",
			},
		},
		{
			name: "a job and a system with nothing in them",
			edit: []string{"jobs:\n", "  crm: {}\njobs:\n  other: {}\n"},
			want: []string{
				"config.yaml:12: systems.crm: needs a preset, for a system with an API, or a type: postgres or sqlite for a database, file for files in a folder, folder for documents",
				"config.yaml:14: jobs.other.between: must name two systems and what each calls the records: { platform: contacts, pms: guests }",
				"config.yaml:14: jobs.other.kind: missing: contact, stay, appointment, order or record",
			},
		},
		{
			name: "fields is empty",
			edit: []string{"    fields:\n      given_name: { platform: first_name, pms: first_name, conflict: pms }\n      phone: { platform: phone_number, pms: phone, region: [pms.country, IT] }\n", "    fields: {}\n"},
			want: []string{
				"config.yaml:16: jobs.guests.match: \"phone\" is not under fields",
				"config.yaml:18: jobs.guests.fields: missing: which fields are kept in step; no other is ever touched",
			},
		},
		{
			name: "table twice",
			edit: []string{"    platform_may:", "    tables: { status: { confirmed: { pms: x } } }\n    platform_may:"},
			want: []string{
				"config.yaml:35: jobs.stays.tables.status: stands in the job itself too, in line 32: delete one",
			},
		},
		{
			name: "currency of a text",
			edit: []string{"pms: first_name", "pms: { path: first_name, currency: EUR, join: x }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms.currency: is for money, and this field is a name; as: says what it is",
				"config.yaml:19: jobs.guests.fields.given_name.pms.join: means nothing without several paths",
			},
		},
		{
			name: "name of a reference in a text",
			edit: []string{"pms: first_name", "pms: { phone: first_name }"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given_name.pms: phone, name, email and id are for a field with job; the name of a field is written path: …",
			},
		},
		{
			name: "field name with two underscores",
			edit: []string{"      given_name:", "      given__name:"},
			want: []string{
				"config.yaml:19: jobs.guests.fields.given__name: a name begins with a letter and has only letters, digits, - and single _",
			},
		},
	}
}
