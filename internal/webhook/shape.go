package webhook

import named "nightporter/connectors/delivery"

// Shape is where in a delivery things stand.
type Shape = named.Shape

// Event is what one part of a delivery says.
type Event = named.Event

// AnyShape reads what senders of many kinds send.
var AnyShape = named.Any
