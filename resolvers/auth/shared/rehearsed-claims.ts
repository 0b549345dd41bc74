import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { named, users } from '../../../db/project-schema/auth.ts';
import { from } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { projectKeyIssuer } from '../../identity/shared/project-keys.ts';
import { accessSeconds, type UserClaims } from '../access-token.ts';
import { userJson } from '../rows.ts';
import { roleOf } from '../session-answer.ts';
import { authSettings } from '../settings.ts';
import { authRow, authStatement } from './auth-rows.ts';

/**
 * The claims that a request of a user would have who has just signed in by a password. The session is made up, and no
 * token is signed: they are for trying row security, and open no door.
 *
 * @throws RESOURCE_NOT_FOUND, UPSTREAM_UNAVAILABLE
 */
export async function rehearsedClaims(
  services: Services,
  target: Pick<ProjectTarget, 'projectId' | 'database'>,
  named: { readonly id: string } | { readonly email: string },
): Promise<UserClaims> {
  const find = 'id' in named ? findStatement.with(named) : findByEmailStatement.with(named);
  const [user, settings] = await Promise.all([authRow(services, target, find), authSettings(services, target)]);
  if (user === undefined)
    throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'The project has no such user.', details: named });
  const session = { aal: 'aal1' } as const;
  const now = Math.floor(services.now().getTime() / 1000);
  return {
    iss: projectKeyIssuer,
    sub: user.id,
    role: roleOf({ session, user, settings }),
    project_id: target.projectId,
    email: user.email,
    email_verified: user.email_verified_at !== null,
    iat: now,
    exp: now + accessSeconds,
    auth_time: now,
    amr: ['password'],
    aal: session.aal,
    session_id: randomUUID(),
    authz_version: user.authz_version,
    ...(user.is_test ? { is_test: true as const } : {}),
  };
}

const u = named(users, 'u');

const findStatement = authStatement(
  'user_rehearsed',
  { params: { id: u.id }, answer: userJson(u) },
  ({ id }, answer) => sql`select ${answer} from ${from(u)} where ${u.id} = ${id}`,
);

const findByEmailStatement = authStatement(
  'user_rehearsed_by_email',
  { params: { email: u.email }, answer: userJson(u) },
  ({ email }, answer) => sql`select ${answer} from ${from(u)} where ${u.email} = ${email}`,
);
