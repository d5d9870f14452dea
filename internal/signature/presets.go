package signature

// Presets are the schemes of well-known senders, by the name that a configuration gives.
var Presets = map[string]Scheme{
	// https://www.standardwebhooks.com, and what we sign with ourselves.
	"standard": {
		Header: "webhook-signature", Prefix: "v1,", Separator: " ", IDIn: "webhook-id", TimeIn: "webhook-timestamp",
		Signed: "{id}.{time}.{body}", Encoding: "base64", SecretPrefix: "whsec_",
	},
	"svix": {
		Header: "svix-signature", Prefix: "v1,", Separator: " ", IDIn: "svix-id", TimeIn: "svix-timestamp",
		Signed: "{id}.{time}.{body}", Encoding: "base64", SecretPrefix: "whsec_",
	},
	"github": {Header: "X-Hub-Signature-256", Prefix: "sha256=", Signed: "{body}"},
	// Stripe, Calendly and others; Stripe sends one v1= for each secret that is valid.
	"stripe": {Header: "Stripe-Signature", Prefix: "v1=", Separator: ",", TimeKey: "t=", Signed: "{time}.{body}"},
	"slack":  {Header: "X-Slack-Signature", Prefix: "v0=", TimeIn: "X-Slack-Request-Timestamp", Signed: "v0:{time}:{body}"},
	"hubspot_v3": {
		Header: "X-HubSpot-Signature-v3", TimeIn: "X-HubSpot-Request-Timestamp", Millis: true,
		Signed: "{method}{url}{body}{time}", Encoding: "base64",
	},
	"cal": {Header: "X-Cal-Signature-256", Signed: "{body}"},
	// The two that are seen of the platform: with a time of its own, and without.
	"yourang": {
		Header: "X-Yourang-Signature", Prefix: "sha256=", TimeIn: "X-Yourang-Timestamp", Signed: "{time}.{body}",
	},
	"yourang_body": {Header: "X-Yourang-Signature", Prefix: "sha256=", Signed: "{body}"},
	"bearer":       {Header: "Authorization", Prefix: "Bearer ", Token: true},
	"token":        {Header: "X-Webhook-Token", Token: true},
}
