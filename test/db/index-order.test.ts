import { afterAll, expect, test } from 'vitest';
import { createControlDatabase } from '../helpers/control-database.ts';

const control = await createControlDatabase();
afterAll(() => control.drop());

test('no index puts nulls last where lists put them first: it would serve none of them', async () => {
  const found = await control.sql(
    `select indexname from pg_indexes where schemaname = 'public' and indexdef like '%DESC NULLS LAST%'`,
  );
  expect(found).toEqual([]);
  const [{ n }] = (await control.sql<{ n: number }>(
    `select count(*)::int as n from pg_indexes where schemaname = 'public'`,
  )) as [{ n: number }];
  expect(n).toBeGreaterThan(50);
});
