import { expect, test } from 'vitest';
import type { ControlDatabase } from '../helpers/control-database.ts';
import { startService } from '../helpers/service.ts';

test('a database that a newer version has migrated is refused, and stays as it is', async () => {
  let control: ControlDatabase | undefined;
  const databaseUrl = async (made: ControlDatabase) => {
    control = made;
    await made.sql(`insert into drizzle.__drizzle_migrations (hash, created_at)
      select 'of a newer version', max(created_at) + 1 from drizzle.__drizzle_migrations`);
    return made.url;
  };
  await expect(startService({ databaseUrl })).rejects.toThrow(
    'This control database was migrated by a newer version of the gateway: start that version, or restore a backup that was made before the upgrade.',
  );
  expect(await control!.sql('select 1 from gateway_nodes')).toEqual([]);
  await control!.drop();
});
