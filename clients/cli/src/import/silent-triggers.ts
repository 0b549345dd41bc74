import { failedAt } from './failed-at.ts';
import type { ProjectEndpoint } from './project-endpoint.ts';

/** SQL around statements, in the same transaction. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

export const nothingAround: Around = { before: '', after: '' };

const replica = /^SET\s+session_replication_role\s*(?:=|TO)\s*'?replica'?$/i;
const origin = /^(?:(?:RESET|SET)\s+session_replication_role\b|RESET\s+ALL$)/i;
const allTriggers = /^ALTER\s+TABLE\s[\s\S]*\s(DISABLE|ENABLE)\s+TRIGGER\s+ALL$/i;

/** Whether rows that follow set off no trigger; undefined for a statement that changes nothing of it. */
export function silences(text: string): boolean | undefined {
  if (replica.test(text)) return true;
  if (origin.test(text)) return false;
  const word = allTriggers.exec(text)?.[1];
  return word === undefined ? undefined : word.toUpperCase() === 'DISABLE';
}

/** Triggers that fire in an ordinary session. The gateway's own tell of changes and stay. */
const triggersSql = `select quote_ident(t.tgname) as name from pg_trigger t
    join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = p.pronamespace
  where t.tgrelid = $1::regclass and not t.tgisinternal and t.tgenabled = 'O' and n.nspname <> '_svc' order by 1`;

/**
 * Finds what turns a table's triggers off and on again. Both belong to the transaction of the rows: an import that
 * ends anywhere leaves the triggers as they were, and rows that others write meanwhile set them off.
 *
 * @param table as SQL writes it
 */
export async function aroundRows(endpoint: ProjectEndpoint, table: string, line: number): Promise<Around> {
  const answer = await failedAt(line, () => endpoint.sql(triggersSql, [table]));
  const names = (answer.rows as { name: string }[]).map(({ name }) => name);
  if (names.length === 0) return nothingAround;
  const all = (word: string) => names.map((name) => `alter table ${table} ${word} trigger ${name};\n`).join('');
  return { before: all('disable'), after: `;\n${all('enable')}` };
}
