import { quoteIdentifier } from '../rows/sql/sql.ts';
import { readCustomSql } from './custom-sql.ts';
import type { ManifestTable } from './manifest-shape.ts';
import type { Privilege, Privileges } from './privileges.ts';

/** Roles of requests without and with a user; the platform's templates treat a project's admins as users. */
export const publicRoles = ['anon', 'authenticated', 'project_admin'] as const;
const signedIn = ['authenticated', 'project_admin'] as const;

/** What one table's policy comes to. */
export interface TablePolicy {
  readonly privileges: Privileges;
  /** Statements that make the policies; the names of these follow. */
  readonly statements: readonly string[];
  readonly policies: readonly string[];
}

const every: readonly Privilege[] = ['select', 'insert', 'update', 'delete'];

/** Types of an owner column that a user's id is compared with as text. */
export const textTypes: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name']);

/** The caller's id as a column of a type holds it. */
export const callerId = (type: string) => (type === 'uuid' ? 'auth.uid()' : 'auth.uid()::text');

/** The effects of a policy template. Contract 01, section 2.11. @param ownerType of the owner column, where it has one */
export function tablePolicy(table: ManifestTable, ownerType: string | undefined): TablePolicy {
  const name = `public.${quoteIdentifier(table.name)}`;
  const policy = (label: string, rest: string) =>
    [`svc_${label}`, `create policy svc_${label} on ${name} ${rest}`] as const;
  const made = (privileges: Privileges, ...policies: readonly (readonly [string, string])[]): TablePolicy => ({
    privileges,
    statements: policies.map(([, statement]) => statement),
    policies: policies.map(([label]) => label),
  });
  const anybody = publicRoles.join(', ');
  const users = signedIn.join(', ');
  switch (table.policy) {
    case 'user_owns_rows': {
      // Read once for a statement, not once for a row.
      const own = `${quoteIdentifier(table.owner_column!)} = (select ${callerId(ownerType ?? 'uuid')})`;
      // Without a policy of theirs, anonymous callers read nothing.
      return made(
        granted(['select'], every),
        policy('owner', `for all to ${users} using (${own}) with check (${own})`),
      );
    }
    case 'public_read_authenticated_write':
      return made(
        granted(['select'], every),
        policy('read', `for select to ${anybody} using (true)`),
        policy('write', `for all to ${users} using (true) with check (true)`),
      );
    case 'public_read_write_UNRESTRICTED':
      return made(granted(every, every), policy('anything', `for all to ${anybody} using (true) with check (true)`));
    case 'public_read_append_only':
      return made(
        granted(['select', 'insert'], ['select', 'insert']),
        policy('read', `for select to ${anybody} using (true)`),
        policy('append', `for insert to ${anybody} with check (true)`),
      );
    default: {
      const { statements, policies } = readCustomSql(table.custom_sql ?? '', table.name);
      const privileges = new Map(
        publicRoles.map((role) => [
          role as string,
          new Set(policies.filter(({ roles }) => roles.includes(role)).flatMap((one) => one.privileges)),
        ]),
      );
      return { privileges, statements, policies: policies.map((one) => one.name) };
    }
  }
}

/** Names of the policies that a table gets, but for those that its own SQL drops before. */
export function policiesMadeBy(table: ManifestTable): readonly string[] {
  if (table.policy !== 'custom') return tablePolicy(table, undefined).policies;
  const { policies, dropped } = readCustomSql(table.custom_sql ?? '', table.name);
  return policies.map(({ name }) => name).filter((name) => !dropped.includes(name));
}

const granted = (anonymous: readonly Privilege[], users: readonly Privilege[]): Privileges =>
  new Map([['anon', new Set(anonymous)], ...signedIn.map((role) => [role, new Set(users)] as const)]);
