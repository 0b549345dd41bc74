import { z } from 'zod';
import type { BatchStatement } from '../../db/wire/batch.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import type { Context } from '../../kernel/run/context.ts';
import { rehearsedClaims } from '../auth/shared/rehearsed-claims.ts';
import { databaseOf, once, tenantSchema } from './shared/in-project.ts';

/** As whom SQL is tried: the caller of a request that has the anon key alone, or a user’s token, too. */
export const sqlCaller = z
  .object({
    role: z
      .enum(['anon', 'authenticated'])
      .describe('Kind of the caller: `anon` without a user. A user who is an admin has the role of one.'),
    user: z.uuid('must be the id of a user (a UUID)').optional().describe('The user, for `authenticated`.'),
    email: emailAddress.optional().describe('The address of the user, in place of the id.'),
  })
  .refine(({ role, user, email }) => [user, email].filter((one) => one !== undefined).length === usersOf[role], {
    path: ['user'],
    message: '`authenticated` needs a user, by its id or its address, and `anon` has none',
  });

const usersOf = { anon: 0, authenticated: 1 } as const;

type SqlCaller = z.output<typeof sqlCaller>;

/**
 * The settings that a request of this caller would have, to come before tenant SQL. It is a rehearsal and protects nothing:
 * the session may become the owner again, and its sender may send SQL as the owner anyway.
 *
 * @throws RESOURCE_NOT_FOUND for a user that the project does not have
 */
export async function asCaller(
  ctx: Context & ProjectScope,
  { role, user, email }: SqlCaller,
  readOnly: boolean,
): Promise<BatchStatement> {
  const { services, project } = ctx;
  const named = user !== undefined ? { id: user } : email !== undefined ? { email } : undefined;
  const claims =
    named === undefined
      ? { role, project_id: project.id }
      : await rehearsedClaims(services, { projectId: project.id, database: databaseOf(ctx) }, named);
  const settings = [
    ['role', claims.role],
    ['request.jwt.claims', JSON.stringify(claims)],
    ['request.method', 'POST'],
    ['request.path', '/'],
    ['request.headers', '{}'],
    ['search_path', tenantSchema],
    ...(readOnly ? [['transaction_read_only', 'on']] : []),
  ] as const;
  const calls = settings.map((_one, at) => `pg_catalog.set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`);
  return once(`select ${calls.join(', ')}`, settings.flat() as string[]);
}
