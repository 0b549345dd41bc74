import type { SpecMigration } from '../spec/release-spec.ts';
import { withoutText } from './sql-text.ts';
import type { Rule } from './warning.ts';

/** New migrations, with the statements of those whose text is at hand. */
export interface NewMigrations {
  readonly migrations: readonly SpecMigration[];
  readonly statements: (migration: SpecMigration) => readonly string[];
}

/** Migrations with their statements, which are told apart once for all rules. */
export function newMigrations(
  migrations: readonly SpecMigration[],
  sqlOf: (migration: SpecMigration) => string | undefined,
): NewMigrations {
  const statements = new Map(migrations.map((one) => [one, statementsOf(sqlOf(one) ?? '')]));
  return { migrations, statements: (one) => statements.get(one)! };
}

/**
 * Statements of a migration without comments, quotes and bodies, in small letters, with one space between words. Kinds
 * are looked for statement by statement and from its beginning: a search that starts at every word of a long text takes
 * the square of its length.
 */
const statementsOf = (sql: string): string[] =>
  withoutText(sql)
    .toLowerCase()
    .split(';')
    .map((one) => one.trim().split(/\s+/).join(' '));

const scanned = (
  code: string,
  isKind: (statement: string) => boolean,
  severity: 'warn' | 'high',
  confirm: boolean,
  message: string,
): Rule<NewMigrations> => ({
  code,
  severity,
  confirm,
  message,
  confidence: 'heuristic',
  finds: ({ migrations, statements }) => migrations.filter((one) => statements(one).some(isKind)).map(({ id }) => id),
  details: (_facts, affected) => ({ migration_ids: affected }),
});

const has = (pattern: RegExp) => (statement: string) => pattern.test(statement);

const dropsColumn = /\bdrop (?!constraint\b|default\b|not null\b|identity\b|expression\b)/;

const shrinks = (statement: string): boolean =>
  /\bdrop (?:table|type|column|foreign table)\b|\btruncate\b/.test(statement) ||
  (/^alter (?:foreign )?table\b/.test(statement) && dropsColumn.test(statement));

function grantsToPublic(statement: string): boolean {
  const grant = /\bgrant\b/.exec(statement);
  const to = grant === null ? -1 : statement.indexOf(' to ', grant.index);
  return to !== -1 && /(?: to|,)(?: group)? ?public\b/.test(statement.slice(to));
}

export const migrationRules: readonly Rule<NewMigrations>[] = [
  {
    code: 'MIGRATION_NON_TRANSACTIONAL',
    severity: 'warn',
    confirm: true,
    message: 'A migration runs outside of a transaction: what fails half-way stays half done.',
    finds: ({ migrations }) => migrations.filter(({ transaction }) => transaction === 'none').map(({ id }) => id),
    details: (_facts, affected) => ({ migration_ids: affected }),
  },
  scanned('MIGRATION_SCHEMA_SHRINKING', shrinks, 'high', true, 'A migration drops tables, types, columns or rows.'),
  scanned(
    'MIGRATION_LOCK_RISK',
    has(/\bcreate (?:unique )?index (?!concurrently\b)/),
    'warn',
    false,
    'A migration makes an index while nobody can write to its table.',
  ),
  scanned(
    'MIGRATION_RLS_DISABLED',
    has(/\bdisable row level security\b/),
    'high',
    true,
    'A migration turns row level security off.',
  ),
  scanned('MIGRATION_POLICY_REMOVAL', has(/\bdrop policy\b/), 'warn', true, 'A migration drops policies.'),
  scanned('MIGRATION_PUBLIC_GRANT', grantsToPublic, 'warn', true, 'A migration grants rights to everybody.'),
  scanned(
    'MIGRATION_SECURITY_DEFINER',
    has(/\bsecurity definer\b/),
    'warn',
    true,
    'A migration makes functions that run with the rights of their owner.',
  ),
];
