import { decodeJwt } from 'jose';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { Statement } from '../../../db/pool.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims } from '../access-token.ts';
import { endpoint, withServiceKey } from '../endpoint.ts';
import { momentOf } from '../rows.ts';
import { SessionWire } from '../session-answer.ts';
import { startSession } from '../sessions.ts';
import { type AuthStatement, authRow } from '../shared/auth-rows.ts';
import { forgetStandings } from '../shared/standing.ts';

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

/** The address of a test's user: of this project alone, and under a domain that nobody can ever have. */
const addressOf = ({ publicId }: ProjectTarget, name: string) => `${name}@p-${publicId}.test.invalid`;

interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly is_admin: boolean;
  readonly created_at: string;
  readonly created: boolean;
}

async function testUser(
  services: Services,
  target: ProjectTarget,
  name: string,
  admin: boolean | undefined,
): Promise<TestUser> {
  const email = addressOf(target, name);
  const user = await authRow<TestUser>(services, target, upsertStatement, [email, admin ?? null]);
  // Somebody signed up with this very address, and is no test's user.
  if (user === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
  forgetStandings(services, target);
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
    const ends = await authRow<string>(services, target, shortenStatement, [session_id]);
    return { ...session, label, is_test: true as const, session_expires_at: momentOf(ends!) };
  },
  wire: SessionWire.extend({ label: z.string(), is_test: z.literal(true), session_expires_at: z.iso.datetime() }),
});

interface Mail {
  readonly id: string;
  readonly subject: string;
  readonly body_text: string;
  readonly created_at: Date;
}

/** `POST /auth/v1/test-emails`. */
export const readTestEmails = endpoint({
  name: 'auth.testEmails',
  summary: 'The latest mails to a test’s user, which are never sent.',
  input: z.object({ label }),
  admit: withServiceKey,
  async handler({ services, target }, { label }) {
    const email = addressOf(target, label);
    const rows = await services.db.rows<Mail>(mailsStatement, [email, target.orgId]);
    return {
      email,
      emails: rows.map(({ id, subject, body_text: text, created_at }) => {
        const link = /^https?:\/\/\S+$/m.exec(text)?.[0] ?? null;
        return {
          id,
          subject,
          text,
          link,
          token: link === null ? null : new URL(link).searchParams.get('token'),
          code: /^\d{6}$/m.exec(text)?.[0] ?? null,
          created_at: created_at.toISOString(),
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

const upsertStatement: AuthStatement = {
  name: 'test_user',
  text: `insert into auth.users as u (email, is_admin, is_test, email_verified_at)
    values ($1, coalesce($2::boolean, false), true, now())
    on conflict (email) do update set is_admin = coalesce($2::boolean, u.is_admin),
      authz_version = u.authz_version + case when coalesce($2::boolean, u.is_admin) <> u.is_admin then 1 else 0 end
      where u.is_test
    returning json_build_object('id', u.id, 'email', u.email, 'is_admin', u.is_admin, 'created_at', u.created_at,
      'created', u.xmax = 0)`,
};

const shortenStatement: AuthStatement = {
  name: 'test_session',
  text: `update auth.sessions set expires_at = created_at + interval '${sessionHours} hours',
      hard_expires_at = created_at + interval '${sessionHours} hours'
    where id = $1::uuid returning to_json(hard_expires_at)`,
};

const mailsStatement: Statement = {
  name: 'auth.test-mails',
  text: `select id, subject, body_text, created_at from mail_outbox
    where recipient = $1 and org_id = $2 and recipient like '%.invalid' order by created_at desc, id desc limit ${mailsMax}`,
};
