-- Invented guests and stays for the schema in pms.sql; psql's variable n says
-- how many guests, half as many stays. It may run again with a larger n.
insert into pms.rooms (number, kind, capacity)
select to_char(i, 'FM000'), (array['single', 'double', 'suite'])[1 + i % 3], 1 + i % 3
from generate_series(1, 200) i
on conflict do nothing;

insert into pms.guests (code, first_name, last_name, email, phone, street, city, postcode, country, language)
select 'G' || lpad(i::text, 7, '0'),
       (array['Ada', 'Bruno', 'Chloé', 'Dario', 'Elif', 'Farid', 'Göran', 'Hana'])[1 + i % 8],
       (array['Bianchi', 'Müller', 'Okafor', 'Novák', 'Silva', 'Tanaka', 'O''Brien', 'Åkesson'])[1 + i / 8 % 8],
       'guest' || i || '@example.test',
       '+39055' || lpad(i::text, 7, '0'),
       'Via Inventata ' || i, 'Firenze', '50123', 'IT', 'it'
from generate_series(1, :n) i
on conflict (code) do nothing;

-- 200 rooms, each taken for two nights at a time: no two stays meet.
insert into pms.reservations (number, guest_id, room_id, arrival, departure, adults, total)
select 'R' || lpad(k::text, 7, '0'), g.id, r.id,
       date '2027-01-01' + 2 * (k / 200), date '2027-01-03' + 2 * (k / 200), 1 + k % 2, 180 + k % 90
from generate_series(1, :n / 2) k
join pms.guests g on g.code = 'G' || lpad(k::text, 7, '0')
join pms.rooms r on r.number = to_char(1 + k % 200, 'FM000')
on conflict (number) do nothing;

analyze;
select (select count(*) from pms.guests) as guests, (select count(*) from pms.reservations) as reservations;
