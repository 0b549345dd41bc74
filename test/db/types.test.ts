import pg from 'pg';
import { expect, test } from 'vitest';
import { momentOf } from '../../db/types.ts';

const byDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

test.each([
  '2026-03-06 00:00:00+00',
  '2026-03-06 23:59:59.9+00',
  '2026-03-06 01:02:03.12+00',
  '2026-03-06 01:02:03.123+00',
  '2026-03-06 01:02:03.1234+00',
  '2026-03-06 01:02:03.123456+00',
  '2026-03-06 01:02:03.999999+00',
  '2024-02-29 12:00:00.000001+00',
  '0001-01-01 00:00:00+00',
  '0099-12-31 23:59:59.5+00',
  '0100-01-01 00:00:00+00',
  '9999-12-31 23:59:59.999999+00',
  '10000-01-01 00:00:00+00',
  '0044-03-15 00:00:00+00 BC',
  '2026-03-06 01:02:03.456789+02',
  '2026-03-06 01:02:03+05:30',
  '2026-03-06 01:02:03-00:30',
  'infinity',
  '-infinity',
])('%s is the moment that the driver makes of it', (text) => {
  expect(momentOf(text)).toEqual(byDriver(text));
});
