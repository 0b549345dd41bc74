import { decodeJwt } from 'jose';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { asKept, jsonObject, toJson } from '../../../db/json.ts';
import { sessions, users } from '../../../db/project-schema/auth.ts';
import { mailOutbox } from '../../../db/schema/platform.ts';
import { computed, insertInto, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims } from '../access-token.ts';
import { endpoint, withServiceKey } from '../endpoint.ts';
import { roleChange } from '../role-change.ts';
import { momentOf } from '../rows.ts';
import { SessionWire } from '../session-answer.ts';
import { startSession } from '../sessions.ts';
import { forgetAccountStatuses } from '../shared/account-status.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';

// Users for the tests of an app, which the service key makes. Contract 01, section 3.10.

/** How long a session for tests lasts, in hours, whatever refreshes it. */
const sessionHours = 2;
/** Most mails that are shown. */
const mailsMax = 20;

const label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must match ^[a-z0-9][a-z0-9-]{0,31}$')
  .describe('What the test calls the user; the same label is the same user.');

const isAdmin = z.boolean().optional().describe('Whether the user manages the project; a known one stays what it is.');

/** The address of a test's user: of this project alone, and under a domain that cannot be registered. */
const addressOf = ({ publicId }: ProjectTarget, name: string) => `${name}@p-${publicId}.test.invalid`;

async function testUser(services: Services, target: ProjectTarget, name: string, admin: boolean | undefined) {
  const email = addressOf(target, name);
  const user = await authRow(services, target, upsertStatement.with({ email, isAdmin: admin ?? null }));
  // A user signed up with this very address, and is no test's user.
  if (user === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
  forgetAccountStatuses(services, target);
  return user;
}

/** `POST /auth/v1/test-users`. */
export const makeTestUser = endpoint({
  name: 'auth.testUser',
  summary: 'Make a user for a test, or find the one of its label.',
  input: z.object({ label, is_admin: isAdmin }),
  admit: withServiceKey,
  async handler({ services, target }, { label, is_admin }) {
    const { created_at, ...user } = await testUser(services, target, label, is_admin);
    return { ...user, label, is_test: true as const, created_at: momentOf(created_at) };
  },
  wire: z.object({
    id: z.uuid(),
    email: z.string(),
    label: z.string(),
    is_admin: z.boolean(),
    is_test: z.literal(true),
    created: z.boolean(),
    created_at: z.iso.datetime(),
  }),
});

/** `POST /auth/v1/test-sessions`. */
export const startTestSession = endpoint({
  name: 'auth.testSession',
  summary: 'Sign a test’s user in for two hours, without a password or a mail.',
  input: z.object({ label, is_admin: isAdmin }),
  admit: withServiceKey,
  async handler({ services, target }, { label, is_admin }) {
    const { id } = await testUser(services, target, label, is_admin);
    const session = await startSession(services, target, { userId: id, amr: ['test'] });
    const { session_id } = decodeJwt<UserClaims>(session.access_token);
    const ends = await authRow(services, target, shortenStatement.with({ id: session_id }));
    return { ...session, label, is_test: true as const, session_expires_at: momentOf(ends!) };
  },
  wire: SessionWire.extend({ label: z.string(), is_test: z.literal(true), session_expires_at: z.iso.datetime() }),
});

/** `POST /auth/v1/test-emails`. */
export const readTestEmails = endpoint({
  name: 'auth.testEmails',
  summary: 'The latest mails to a test’s user, which are never sent.',
  input: z.object({ label }),
  admit: withServiceKey,
  async handler({ services, target }, { label }) {
    const email = addressOf(target, label);
    const rows = await services.db.rows(mailsStatement.with({ recipient: email, orgId: target.orgId }));
    return {
      email,
      emails: rows.map(({ id, subject, bodyText: text, createdAt }) => {
        const link = /^https?:\/\/\S+$/m.exec(text)?.[0] ?? null;
        return {
          id,
          subject,
          text,
          link,
          token: link === null ? null : new URL(link).searchParams.get('token'),
          code: /^\d{6}$/m.exec(text)?.[0] ?? null,
          created_at: createdAt.toISOString(),
        };
      }),
    };
  },
  wire: z.object({
    email: z.string(),
    emails: z.array(
      z.object({
        id: z.string(),
        subject: z.string(),
        text: z.string(),
        link: z.string().nullable(),
        token: z.string().nullable(),
        code: z.string().nullable(),
        created_at: z.iso.datetime(),
      }),
    ),
  }),
});

const upsertStatement = authStatement(
  'test_user',
  {
    params: { email: users.email, isAdmin: typed<boolean | null>('boolean') },
    answer: jsonObject({
      ...asKept(pick(users, 'id', 'email', 'isAdmin', 'createdAt')),
      created: computed<boolean>('boolean', sql`${users}.xmax = 0`),
    }),
  },
  ({ email, isAdmin }, answer) => sql`${insertInto(users, {
    email,
    isAdmin: sql`coalesce(${isAdmin}::boolean, false)`,
    isTest: sql`true`,
    emailVerifiedAt: sql`now()`,
  })}
    on conflict (${nameOf(users.email)}) do update ${setOf(users, roleChange(isAdmin))} where ${users.isTest}
    returning ${answer}`,
);

const sessionEnd = sql`${sessions.createdAt} + interval '${sql.raw(String(sessionHours))} hours'`;

const shortenStatement = authStatement(
  'test_session',
  { params: pick(sessions, 'id'), answer: toJson(sessions.hardExpiresAt) },
  ({ id }, answer) => sql`update ${sessions} ${setOf(sessions, { expiresAt: sessionEnd, hardExpiresAt: sessionEnd })}
    where ${sessions.id} = ${id} returning ${answer}`,
);

const mailsStatement = statement(
  'auth.test-mails',
  {
    params: { recipient: mailOutbox.recipient, orgId: typed<string>('uuid') },
    row: pick(mailOutbox, 'id', 'subject', 'bodyText', 'createdAt'),
  },
  ({ recipient, orgId }, row) => sql`select ${row} from ${mailOutbox}
    where ${mailOutbox.recipient} = ${recipient} and ${mailOutbox.orgId} = ${orgId}
      and ${mailOutbox.recipient} like '%.invalid'
    order by ${mailOutbox.createdAt} desc, ${mailOutbox.id} desc limit ${sql.raw(String(mailsMax))}`,
);
