import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Answer, jsonObject } from '../../db/json.ts';
import { identities, named, users } from '../../db/project-schema/auth.ts';
import { computed, from, insertSelect, typed } from '../../db/sql.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import {
  type ImportedRow,
  type ImportedUserInput,
  importedUserInput,
  type Judged,
  judgeUser,
  type Skip,
  skipReasons,
} from './imported-user.ts';
import { onOwnProject, ownProject } from './project-users.ts';
import { authRows, authStatement } from './shared/auth-rows.ts';

/** Users of one import. */
export const importedUsersMax = 1_000;

/** What became of one user of an import. */
export interface ImportedUser {
  readonly id: string;
  readonly email: string | null;
  readonly status: 'imported' | 'unchanged' | 'skipped';
  readonly reason: Skip['reason'] | null;
  readonly message: string | null;
  /** Names of what there is no place for. */
  readonly leftOut: readonly string[];
}

export interface ImportedUsers {
  readonly imported: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly users: readonly ImportedUser[];
}

/** `POST /auth/v1/admin/users/import`: an addition, for projects that move here. */
export const importUsers = projectMutation({
  name: 'users.import',
  command: 'auth import-users',
  effects: ['idempotent'],
  summary: 'Take over users of another platform with their ids, bcrypt hashes and social accounts; mails nobody.',
  path: 'POST /auth/v1/admin/users/import',
  access: onOwnProject(),
  lifecycle: 'gated',
  input: z.object({
    project_id: ownProject,
    users: z
      .array(importedUserInput)
      .max(importedUsersMax, `at most ${importedUsersMax} users`)
      .describe(`The users, at most ${importedUsersMax}. One that is here under its id already stays as it is.`),
  }),
  attempt: ({ users }, { project }) => ({
    action: 'project.users_imported',
    object: { kind: 'project', id: project.id },
    details: { users: users.length },
  }),
  async handler({ services, project }, { users }): Promise<ImportedUsers> {
    const target = await findProjectTarget(services, project.id);
    const providers = new Set(services.identityProviders.listed.map(({ provider }) => provider));
    const now = services.now();
    const judged = withoutRepeats(users.map((user) => judgeUser(user, providers, now)));
    const rows = judged.flatMap((one) => ('row' in one ? [one.row] : []));
    // In one order everywhere, so that two imports wait for each other and never in a circle.
    rows.sort((one, other) => (one.id < other.id ? -1 : 1));
    const written =
      rows.length === 0 ? [] : await authRows(services, target, importStatement.with({ rows: json(rows) }));
    const byId = new Map(written.map((one) => [one.id, one]));
    const told = judged.map((one, at) => outcomeOf(users[at]!, one, byId));
    const count = (status: ImportedUser['status']) => told.filter((one) => one.status === status).length;
    return { imported: count('imported'), unchanged: count('unchanged'), skipped: count('skipped'), users: told };
  },
  wire: z.object({
    imported: z.number().int(),
    unchanged: z.number().int(),
    skipped: z.number().int(),
    users: z.array(
      z.object({
        id: z.string(),
        email: z.string().nullable(),
        status: z.enum(['imported', 'unchanged', 'skipped']),
        reason: z.enum(skipReasons).nullable(),
        message: z.string().nullable(),
        left_out: z.array(z.string()),
      }),
    ),
  }),
  toWire: ({ users, ...counts }) => ({
    ...counts,
    users: users.map(({ leftOut, ...user }) => ({ ...user, left_out: [...leftOut] })),
  }),
});

const json = (rows: readonly ImportedRow[]) => JSON.stringify(rows);

/** Of two rows with one id or one address the first is imported. */
function withoutRepeats(judged: readonly Judged[]): readonly Judged[] {
  const seen = new Set<string>();
  return judged.map((one) => {
    if (!('row' in one)) return one;
    const { id, email } = one.row;
    const repeated = [id, email].find((name) => seen.has(name));
    if (repeated === undefined) {
      seen.add(id).add(email);
      return one;
    }
    return { reason: 'duplicate', message: `An earlier row of this import has ${repeated}.` };
  });
}

function outcomeOf(
  { id, email }: ImportedUserInput,
  judged: Judged,
  written: ReadonlyMap<string, Written>,
): ImportedUser {
  const user = { id, email: email ?? null, reason: null, message: null };
  if (!('row' in judged)) return { ...user, status: 'skipped', ...judged, leftOut: [] };
  const { made, known_as, email_taken, fits, taken } = written.get(judged.row.id)!;
  const leftOut = [...judged.leftOut, ...taken.map((provider) => `identity:${provider}`)];
  if (made) return { ...user, status: 'imported', leftOut };
  if (known_as === judged.row.email) return { ...user, status: 'unchanged', leftOut };
  const skip = (reason: Skip['reason'], message: string): ImportedUser => ({
    ...user,
    status: 'skipped',
    reason,
    message,
    leftOut: [],
  });
  if (known_as !== null) return skip('id_taken', 'A user with this id has another address.');
  if (!fits) return skip('user_metadata', 'user_metadata: too large as it is kept.');
  // The statement saw no such user: one was made while it ran.
  if (!email_taken) return skip('id_taken', 'The id or the address was taken just now; import the user again.');
  return skip('email_taken', 'Another user has this address.');
}

const u = named(users, 'u');
const k = named(identities, 'k');

/** What is kept with a user has room. */
const fits = sql`octet_length(g.user_metadata::text) <= 32768`;

const writtenJson = jsonObject({
  id: computed<string>('uuid', sql`g.id`),
  made: computed<boolean>('boolean', sql`g.id in (select id from made)`),
  /** The address under which the id was known before. */
  known_as: computed<string | null>('text', sql`(select ${u.email} from ${from(u)} where ${u.id} = g.id)`),
  email_taken: computed<boolean>('boolean', sql`exists (select from ${from(u)} where ${u.email} = g.email)`),
  fits: computed<boolean>('boolean', fits),
  /** Providers of accounts that the user did not get: they belong to other users, or the user was here before. */
  taken: computed<readonly string[]>(
    'json',
    sql`(select coalesce(json_agg(a.provider), '[]') from accounts a where a.id = g.id
        and not exists (select from linked l
          where l.provider = a.provider and l.provider_sub = a.provider_sub and l.user_id = a.id)
        and not exists (select from ${from(k)}
          where ${k.provider} = a.provider and ${k.providerSub} = a.provider_sub and ${k.userId} = a.id))`,
  ),
});

/** What the database says of one row. */
type Written = Answer<typeof writtenJson>;

const importStatement = authStatement(
  'users_import',
  { params: { rows: typed<string>('jsonb') }, answer: writtenJson },
  // Parts of a statement see the users as they were before it, and what the others return.
  ({ rows }, answer) => sql`with given as materialized (
      select * from jsonb_to_recordset(${rows}::jsonb) as g (id uuid, email text, password_hash text,
        email_verified_at timestamptz, created_at timestamptz, last_sign_in_at timestamptz, user_metadata jsonb,
        identities jsonb)
    ), made as (
      ${insertSelect(
        users,
        {
          id: sql`g.id`,
          email: sql`g.email`,
          passwordHash: sql`g.password_hash`,
          emailVerifiedAt: sql`g.email_verified_at`,
          createdAt: sql`coalesce(g.created_at, now())`,
          lastSignInAt: sql`g.last_sign_in_at`,
          userMetadata: sql`g.user_metadata`,
        },
        sql`from given g where ${fits}`,
      )}
      on conflict do nothing
      returning ${users.id}
    ), accounts as (
      select g.id, i.* from given g cross join lateral jsonb_to_recordset(g.identities)
        as i (provider text, provider_sub text, provider_email text, created_at timestamptz)
    ), linked as (
      ${insertSelect(
        identities,
        {
          provider: sql`a.provider`,
          providerSub: sql`a.provider_sub`,
          userId: sql`a.id`,
          providerEmail: sql`a.provider_email`,
          createdAt: sql`coalesce(a.created_at, now())`,
        },
        sql`from accounts a where a.id in (select id from made)`,
      )}
      on conflict do nothing
      returning ${identities.provider}, ${identities.providerSub}, ${identities.userId}
    )
    select ${answer} from given g`,
);
