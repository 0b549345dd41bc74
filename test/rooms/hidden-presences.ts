import type { Service } from '../helpers/service.ts';

/**
 * From now on the very commit of a row in a table takes away what is to be read after it: the presences.
 *
 * @returns brings them back
 */
export async function hidePresencesAtCommit(
  { sql }: Service['control'],
  table: 'room_claims' | 'room_messages',
): Promise<() => Promise<void>> {
  await sql(`create function hide_presences() returns trigger language plpgsql as
    $$ begin alter table room_presences rename to hidden_presences; return null; end $$`);
  await sql(`create constraint trigger hide after insert on ${table} deferrable initially deferred
    for each row execute function hide_presences()`);
  return async () => {
    await sql(`drop trigger hide on ${table}`);
    await sql('alter table hidden_presences rename to room_presences');
  };
}
