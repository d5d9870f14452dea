package discover

// The concepts that names of fields may stand for.
const (
	givenName  = "given_name"
	familyName = "family_name"
	fullName   = "full_name"
	phoneName  = "phone"
	mobileName = "mobile"
	emailName  = "email"
	language   = "language"
	country    = "country"
	birthDate  = "birth_date"
	arrival    = "arrival"
	departure  = "departure"
	status     = "status"
	guest      = "guest"
	notes      = "notes"
	created    = "created_at"
	changed    = "updated_at"
	identifier = "id"
)

// synonyms are names of fields in Italian, English, German, French and Spanish, without
// accents, blanks and marks. What such a name is of (the guest's, the client's) is taken
// off before, see ofWhom.
//
//nolint:misspell // words of other languages
func synonyms() map[string][]string {
	return map[string][]string{
		givenName:  {"firstname", "givenname", "forename", "name1", "nome", "vorname", "prenom", "nombre", "first", "given", "nomedibattesimo"},
		familyName: {"lastname", "familyname", "surname", "secondname", "cognome", "nachname", "familienname", "nomdefamille", "apellido", "apellidos", "last", "family", "zuname"},
		fullName:   {"fullname", "name", "displayname", "nominativo", "nomecompleto", "nomecognome", "cognomenome", "vollername", "nomcomplet", "nombrecompleto", "completename", "personname"},
		phoneName: {
			"phone", "phonenumber", "phoneno", "telephone", "telephonenumber", "tel", "telno", "telefono", "numerotelefono", "numeroditelefono", "recapito",
			"telefon", "telefonnummer", "telefonnr", "rufnummer", "numerodetelephone", "telefonodecontacto", "mainphone", "primaryphone", "phone1", "tel1", "telefono1",
		},
		mobileName: {"mobile", "mobilephone", "mobilenumber", "cellphone", "cell", "cellulare", "numerocellulare", "mobil", "mobiltelefon", "mobilnummer", "handy", "handynummer", "portable", "telephoneportable", "movil", "telefonomovil", "celular"},
		emailName:  {"email", "mail", "emailaddress", "mailaddress", "postaelettronica", "indirizzoemail", "emailadresse", "mailadresse", "courriel", "adresseemail", "adressemail", "correo", "correoelectronico", "email1", "primaryemail"},
		language:   {"language", "lang", "locale", "languagecode", "preferredlanguage", "lingua", "linguapreferita", "sprache", "sprachcode", "langue", "idioma", "lengua"},
		country:    {"country", "countrycode", "nation", "nationality", "paese", "nazione", "nazionalita", "stato1", "land", "landcode", "laendercode", "pays", "pais", "nacionalidad", "nationalite", "staat"},
		birthDate:  {"birthdate", "dateofbirth", "birthday", "dob", "datadinascita", "datanascita", "natoil", "geburtsdatum", "geburtstag", "datedenaissance", "fechadenacimiento", "fechanacimiento"},
		arrival: {
			"arrival", "arrivaldate", "dateofarrival", "checkin", "checkindate", "startdate", "startingdate", "start", "begin", "fromdate", "datefrom", "from",
			"arrivo", "dataarrivo", "datadiarrivo", "dal", "datainizio", "inizio", "anreise", "anreisedatum", "ankunft", "von", "beginn",
			"arrivee", "datearrivee", "datedarrivee", "debut", "datedebut", "llegada", "fechallegada", "fechadellegada", "entrada", "fechaentrada", "desde", "fechainicio",
		},
		departure: {
			"departure", "departuredate", "dateofdeparture", "checkout", "checkoutdate", "enddate", "endingdate", "end", "todate", "dateto", "until", "to",
			"partenza", "datapartenza", "datadipartenza", "al", "datafine", "fine", "abreise", "abreisedatum", "abfahrt", "bis", "ende",
			"depart", "datedepart", "datededepart", "fin", "datefin", "salida", "fechasalida", "fechadesalida", "hasta", "fechafin",
		},
		status:    {"status", "state", "statuscode", "stato", "zustand", "buchungsstatus", "statut", "etat", "estado", "bookingstatus", "reservationstatus", "statoprenotazione"},
		guest:     {"guest", "guestid", "customer", "customerid", "client", "clientid", "cliente", "clienteid", "idcliente", "ospite", "ospiteid", "idospite", "gast", "gastid", "kunde", "kundeid", "kundennr", "kundenid", "huesped", "huespedid", "contact", "contactid", "person", "personid", "profileid"},
		notes:     {"notes", "note", "comment", "comments", "remark", "remarks", "details", "detail", "description", "annotazioni", "osservazioni", "commento", "dettagli", "richieste", "bemerkung", "bemerkungen", "notiz", "notizen", "kommentar", "anmerkung", "remarque", "remarques", "commentaire", "commentaires", "observaciones", "notas", "nota", "comentario", "comentarios", "specialrequests", "requests"},
		"price":   {"price", "amount", "total", "totalamount", "totalprice", "prezzo", "importo", "totale", "preis", "betrag", "gesamtpreis", "summe", "prix", "montant", "precio", "importe", "grandtotal", "gesamtbetrag", "prixtotal", "preciototal", "importototale", "prezzototale"},
		"deposit": {"deposit", "depositamount", "caparra", "acconto", "anzahlung", "acompte", "arrhes", "anticipo"},
		"tags":    {"tags", "tag", "labels", "label", "etichette", "schlagworte", "stichworte", "etiquettes", "etiquetas", "marcatori"},
		"balance": {"balance", "balancedue", "saldo", "restbetrag", "solde"},
		"adults": {
			"adults", "adult", "numadults", "adulti", "erwachsene", "adultes", "adultos", "numeroadulti", "pax",
		},
		"children":    {"children", "child", "kids", "numchildren", "bambini", "kinder", "enfants", "ninos", "numerobambini"},
		"room":        {"room", "roomid", "roomnumber", "camera", "idcamera", "cameraid", "numerocamera", "zimmer", "zimmernummer", "zimmernr", "zimmerid", "chambre", "habitacion", "unit", "unitid"},
		"address":     {"address", "street", "address1", "addressline1", "indirizzo", "via", "adresse", "strasse", "rue", "direccion", "calle", "domicilio"},
		"city":        {"city", "town", "citta", "comune", "ort", "stadt", "wohnort", "ville", "ciudad", "localidad"},
		"postal_code": {"postalcode", "postcode", "zip", "zipcode", "cap", "plz", "postleitzahl", "codepostal", "codigopostal"},
		"company":     {"company", "companyname", "organisation", "organization", "azienda", "ditta", "ragionesociale", "firma", "firmenname", "unternehmen", "societe", "entreprise", "empresa"},
		"title":       {"title", "salutation", "titolo", "anrede", "titel", "civilite", "titre", "titulo", "tratamiento"},
		identifier:    {"id", "uuid", "guid", "key", "pk", "nr", "no", "number", "numero", "nummer", "codice", "code"},
		created:       {"createdat", "created", "creationdate", "createdon", "datecreated", "insertedat", "creatoil", "datacreazione", "datainserimento", "erstelltam", "angelegtam", "erstellt", "creele", "datecreation", "creadoel", "fechacreacion"},
		changed:       {"updatedat", "updated", "changedat", "changed", "modifiedat", "modified", "lastmodified", "lastupdated", "datemodified", "modificatoil", "datamodifica", "ultimamodifica", "geaendertam", "geandertam", "aktualisiertam", "modifiele", "datemodification", "modificadoel", "fechamodificacion"},
	}
}

// ofWhom are parts of a name that say whose or what's the field is, and nothing of what
// it holds.
//
//nolint:misspell // words of other languages
var ofWhom = []string{
	"guest", "guests", "client", "clients", "customer", "customers", "contact", "contacts", "person", "people", "user", "primary", "main",
	"ospite", "ospiti", "cliente", "clienti", "contatto", "persona", "gast", "gaste", "kunde", "kunden", "kontakt", "hote", "huesped", "clientes",
	"booking", "reservation", "stay", "prenotazione", "soggiorno", "buchung", "reservierung", "aufenthalt", "reserva", "sejour", "estancia",
}

// rolesByName are the names of kinds.
//
//nolint:misspell // words of other languages
func rolesByName() map[role][]string {
	return map[role][]string{
		contacts: {
			"contacts", "contact", "guests", "guest", "customers", "customer", "clients", "client", "people", "persons", "person", "profiles", "profile", "users",
			"clienti", "cliente", "ospiti", "ospite", "contatti", "anagrafica", "anagrafiche", "persone", "gaste", "gast", "kunden", "kunde", "kontakte", "personen",
			"voyageurs", "hotes", "huespedes", "huesped", "clientes", "contactos", "personas",
		},
		stays: {
			"reservations", "reservation", "bookings", "booking", "stays", "stay", "events", "appointments",
			"prenotazioni", "prenotazione", "soggiorni", "buchungen", "buchung", "reservierungen", "reservierung", "aufenthalte",
			"sejours", "reservas", "reserva", "estancias",
		},
		calls: {"calls", "call", "callhistory", "chiamate", "telefonate", "anrufe", "appels", "llamadas"},
	}
}

// words are what systems call the states of a booking, in the same languages and the same
// spelling. The keys are the words of the machine that a status moves by.
//
//nolint:misspell // words of other languages
func words() map[string][]string {
	return map[string][]string{
		"pending": {
			"pending", "option", "optional", "tentative", "requested", "request", "notconfirmed", "unconfirmed", "inquiry", "inquired", "new", "open", "provisional",
			"opzione", "inattesa", "richiesta", "daconfermare", "optioniert", "angefragt", "anfrage", "offen", "enattente", "aconfirmer", "pendiente", "opcion",
		},
		"confirmed": {
			"confirmed", "approved", "accepted", "booked", "reserved", "definite", "guaranteed", "duein", "ok",
			"confermata", "confermato", "prenotato", "prenotata", "bestatigt", "bestaetigt", "gebucht", "confirmee", "confirme", "reservee", "confirmada", "confirmado", "reservada",
		},
		"waitlisted": {"waitlisted", "waitlist", "waitinglist", "listadattesa", "warteliste", "listedattente", "listadeespera"},
		"checked_in": {
			"checkedin", "checkin", "inhouse", "arrived", "started", "dueout", "occupied",
			"arrivato", "arrivata", "incasa", "angereist", "eingecheckt", "imhaus", "arrivee", "presente", "enlacasa", "llegado", "alojado",
		},
		"completed": {
			"completed", "checkedout", "checkout", "departed", "processed", "finished", "closed", "done",
			"completata", "completato", "partito", "partita", "conclusa", "abgereist", "ausgecheckt", "abgeschlossen", "partie", "parti", "terminee", "terminada", "completada", "salido",
		},
		"cancelled": {
			"cancelled", "canceled", "void", "deleted", "annullata", "annullato", "cancellata", "cancellato", "disdetta",
			"storniert", "abgesagt", "annullee", "annulee", "annule", "cancelada", "cancelado", "anulada", "anulado",
		},
		"no_show":  {"noshow", "nonpresentato", "nichterschienen", "nichtangereist", "nonpresente", "nopresentado"},
		"rejected": {"rejected", "refused", "declined", "denied", "rifiutata", "rifiutato", "abgelehnt", "refusee", "rechazada", "rechazado"},
	}
}
