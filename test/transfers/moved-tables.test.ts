import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { getTableColumns, getTableName, is, Table } from '../../db/drizzle.ts';
import { movedTables } from '../../resolvers/transfers/move-project.ts';

/** Tables of an organization and a project whose rows stay with the organization, and why. */
const staying: Readonly<Record<string, string>> = {
  ai_holds: 'money of the organization',
  app_event_keys: 'name places in its events: they are forgotten',
  channel_deliveries: 'what its channels were told',
  archive_imports: 'what it has imported',
  ci_bindings: 'end with the transfer',
  contract_calls: 'are paid by it, and of its signers',
  delegates: 'end with the transfer',
  escalations: 'are told to its people',
  events: 'its feed',
  feedback: 'what it said',
  notices: 'what its people were told',
  payments: 'are of payers: those for a project’s routes are found by the project',
  project_grants: 'end with the transfer',
  project_transfers: 'what it offered',
  project_usage: 'counts for its lease',
  signers: 'hold its money: a project that has any is not handed over',
  vaults: 'the source stays with whoever has it',
};

test('every table of projects either goes with a project or stays for a reason', async () => {
  const folders = ['db/schema', 'db/partitioned'];
  const found = new Set<string>();
  for (const folder of folders)
    for (const file of await readdir(folder)) {
      const made: Record<string, unknown> = await import(`../../${folder}/${file}`);
      for (const one of Object.values(made)) {
        if (!is(one, Table)) continue;
        const names = Object.values(getTableColumns(one)).map(({ name }) => name);
        if (names.includes('org_id') && names.includes('project_id')) found.add(getTableName(one));
      }
    }
  const moved = movedTables.map((table) => getTableName(table));
  expect([...moved, ...Object.keys(staying)].sort()).toEqual([...found].sort());
});
