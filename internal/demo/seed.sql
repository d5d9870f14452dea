INSERT INTO rooms (number) VALUES ('11'), ('12'), ('13'), ('14'), ('21'), ('22'), ('23'), ('24');

-- Phones as a desk types them: with and without the prefix of the country.
INSERT INTO guests (title, first_name, last_name, email, phone, country, language, notes) VALUES
	('',        'Anna',      'Rossi',        'anna.rossi@example.com',     '055 0000101',       'IT', 'it', ''),           -- 1
	('',        'Bruno',     'Bianchi',      'bruno.bianchi@example.com',  '055 0000102',       'IT', 'it', ''),
	('',        'Carla',     'Verdi',        'carla.verdi@example.com',    '+39 055 0000103',   'IT', 'it', 'allergic to nuts'),
	('',        'Dario',     'Neri',         'dario.neri@example.com',     '0039 055 0000104',  'IT', 'it', ''),
	('',        'Elena',     'Gallo',        'elena.gallo@example.com',    '055/0000105',       'IT', 'it', ''),           -- 5
	('',        'Fabio',     'Conti',        NULL,                         '055 0000106',       'IT', 'it', ''),
	('',        'Giulia',    'Marino',       'giulia.marino@example.com',  '055 0000107',       'IT', 'it', 'quiet room'),
	('',        'Hans',      'Beispiel',     'hans.beispiel@example.com',  '030 23125 108',     'DE', 'de', ''),
	('',        'Ingrid',    'Muster',       'ingrid.muster@example.com',  '+49 30 23125109',   'DE', 'de', ''),
	('',        'James',     'Sample',       'james.sample@example.com',   '020 7946 0110',     'GB', 'en', ''),           -- 10
	('',        'Kate',      'Placeholder',  'kate@example.com',           '+44 20 7946 0111',  'GB', 'en', ''),
	('',        'Luc',       'Exemple',      'luc.exemple@example.com',    '01 99 00 01 12',    'FR', 'fr', ''),
	('',        'Marie',     'Modele',       'marie.modele@example.com',   '+33 1 99 00 01 13', 'FR', 'fr', ''),
	('',        'Nick',      'Testwell',     'nick@example.com',           '(202) 555-0114',    'US', 'en', ''),
	('',        'Olga',      'Serra',        'olga.serra@example.com',     '055 0000115',       'IT', 'it', ''),           -- 15
	('',        'Paolo',     'Fontana',      'paolo.fontana@example.com',  '055 0000116',       'IT', 'it', ''),
	('',        'Rita',      'Costa',        'rita.costa@example.com',     '055 0000117',       'IT', 'it', ''),
	('',        'Sandro',    'Greco',        'sandro.greco@example.com',   '055 0000118',       'IT', 'it', ''),
	('',        'Teresa',    'Bruno',        'teresa.bruno@example.com',   '055 0000119',       'IT', 'it', ''),
	('',        'Ugo',       'Rizzo',        'ugo.rizzo@example.com',      '055 0000120',       'IT', 'it', ''),           -- 20
	('',        'Valeria',   'Lombardi',     'valeria@example.com',        '055 0000121',       'IT', 'it', ''),
	('',        'Walter',    'Moretti',      'walter@example.com',         '055 0000122',       'IT', 'it', ''),
	('',        'Yvonne',    'Barbieri',     'yvonne@example.com',         '055 0000123',       'IT', 'it', ''),
	('',        'Zeno',      'Ferri',        'zeno.ferri@example.com',     '055 0000124',       'IT', 'it', ''),
	('',        'Alba',      'Leone',        'alba.leone@example.com',     '055 0000125',       'IT', 'it', ''),           -- 25
	('',        'Berta',     'Longo',        'berta.longo@example.com',    '055 0000126',       'IT', 'it', ''),
	('',        'Ciro',      'Gentile',      'ciro.gentile@example.com',   '055 0000127',       'IT', 'it', ''),
	('',        'Dora',      'Vitale',       'dora.vitale@example.com',    '055 0000128',       'IT', 'it', ''),
	('',        'Enzo',      'Lombardo',     'enzo@example.com',           '055 0000129',       'IT', 'it', ''),
	('',        'Franca',    'Serafini',     'franca@example.com',         '055 0000130',       'IT', 'it', ''),           -- 30
	('',        'Gino',      'Caruso',       'x7f2@guest.example.com',     '055 0000131',       'IT', 'it', ''),           -- a masked address
	('',        'Hilde',     'Probe',        'hilde.probe@example.com',    '+49 30 23125132',   'DE', 'de', ''),
	('',        'Irma',      'Fabbri',       'irma.fabbri@example.com',    '055 0000133',       'IT', 'it', ''),
	('',        'Lino',      'Fabbri',       'lino.fabbri@example.com',    '055 0000133',       'IT', 'it', ''),           -- one phone, two guests
	('',        'Mara',      'Senzanumero',  'mara@example.com',           NULL,                'IT', 'it', ''),           -- 35: no phone
	('Company', 'Viaggi',    'Esempio Srl',  'office@example.com',         '055 0000136',       'IT', 'it', ''),           -- nobody we send
	('Agency',  'Tours',     'Example Ltd',  'desk@example.com',           '+44 20 7946 0137',  'GB', 'en', ''),
	('',        'Nora',      'Pellegrini',   'nora@example.com',           '055 0000138',       'IT', 'it', ''),
	('',        'Otto',      'Vorlage',      'otto.vorlage@example.com',   '+49 30 23125139',   'DE', 'de', ''),
	('',        'Pia',       'Sartori',      'pia.sartori@example.com',    '055 0000140',       'IT', 'it', '');           -- 40

-- Guest, days from today until the arrival, nights, status. On the two nights from
-- day 30 all eight rooms are sold.
WITH stay(guest, day, nights, status) AS (VALUES
	(1, 2, 3, 'confirmed'),   (2, 3, 2, 'confirmed'),   (3, 5, 2, 'confirmed'),   (4, 6, 1, 'option'),
	(5, 8, 4, 'confirmed'),   (6, 9, 2, 'confirmed'),   (7, 10, 3, 'confirmed'),  (8, 0, 3, 'checked_in'),
	(10, 12, 7, 'confirmed'), (12, 14, 2, 'confirmed'), (14, 15, 5, 'confirmed'), (15, 18, 2, 'cancelled'),
	(16, 20, 2, 'confirmed'), (17, 22, 3, 'confirmed'), (35, 24, 2, 'confirmed'), (36, 25, 2, 'confirmed'),
	(18, 30, 2, 'confirmed'), (19, 30, 2, 'confirmed'), (20, 30, 2, 'confirmed'), (21, 30, 2, 'confirmed'),
	(22, 30, 2, 'confirmed'), (23, 29, 3, 'confirmed'), (24, 30, 3, 'confirmed'), (25, 29, 4, 'option'),
	(32, 40, 6, 'confirmed'), (40, -60, 4, 'checked_out'))
INSERT INTO reservations (guest_id, arrival, departure, status)
	SELECT guest, date(?1, day || ' days'), date(?1, (day + nights) || ' days'), status FROM stay;
