import { SignJWT } from 'jose';
import type { KeyRing } from '../../../core/keys.ts';
import { verifyToken } from '../verify-token.ts';

export type ProjectKeyRole = 'anon' | 'service_role';

/** Who issues project keys, as their `iss` claim says. */
export const projectKeyIssuer = 'svc';

/** What keys of a project are made from, beside the root secret. */
export interface KeyedProject {
  readonly id: string;
  readonly createdAt: Date;
  /** When it came to its organization from another one. */
  readonly transferredAt: Date | null;
}

const secondOf = (moment: Date) => Math.floor(moment.getTime() / 1000);

/**
 * A project's key. Made from the root secret, the project's id and a second alone, so that it is the same string every time and
 * is stored nowhere. The second is that of its creation; for the service key, that of its last transfer: whoever had the project
 * before has no key to it. Everybody may have the anon key, which sites carry inside, so it stays. Contract 01, section 1.3.
 */
export function makeProjectKey(
  keys: KeyRing,
  project: KeyedProject,
  role: ProjectKeyRole,
  { credentialId, tokenId, expiresAt }: FurtherKey = {},
): Promise<string> {
  const since = role === 'anon' ? project.createdAt : (project.transferredAt ?? project.createdAt);
  const more = {
    ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    ...(tokenId === undefined ? {} : { jti: tokenId }),
    ...(expiresAt === undefined ? {} : { exp: secondOf(expiresAt) }),
  };
  return new SignJWT({ iss: projectKeyIssuer, project_id: project.id, role, iat: secondOf(since), ...more })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(keys.key('project-keys'));
}

/** What tells a further key from the two that every project has. */
export interface FurtherKey {
  /** The credential that it is the secret of: its row says whether it holds. */
  readonly credentialId?: string;
  /** Tells a short-lived token from others. */
  readonly tokenId?: string;
  /** When a short-lived token ends by itself, to the second. */
  readonly expiresAt?: Date;
}

export interface ProjectKeys {
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** Both keys of a project. */
export async function projectKeysOf(keys: KeyRing, project: KeyedProject): Promise<ProjectKeys> {
  const [anonKey, serviceKey] = await Promise.all([
    makeProjectKey(keys, project, 'anon'),
    makeProjectKey(keys, project, 'service_role'),
  ]);
  return { anonKey, serviceKey };
}

export interface ProjectKey {
  readonly projectId: string;
  readonly role: ProjectKeyRole;
  readonly issuedAt: number;
  /** The credential of which it is to be asked whether it holds; undefined for a key without a row. */
  readonly credentialId: string | undefined;
  /** The end of a short-lived token; null for any other key. */
  readonly expiresAt: Date | null;
}

/** Whether a key was made for whoever has the project now. */
export const isCurrentKey = ({ role, issuedAt }: Pick<ProjectKey, 'role' | 'issuedAt'>, transferredAt: Date | null) =>
  role === 'anon' || transferredAt === null || issuedAt >= secondOf(transferredAt);

/** Reads a project key; undefined when it was not made here, or is a token that has ended. */
export async function readProjectKey(keys: KeyRing, token: string, now: Date): Promise<ProjectKey | undefined> {
  const demands = { issuer: projectKeyIssuer, typ: 'JWT', currentDate: now };
  const claims = (await verifyToken(keys, 'project-keys', token, demands)) ?? {};
  const { project_id: projectId, role, iat, exp, credential_id: credentialId } = claims;
  if (typeof projectId !== 'string' || (role !== 'anon' && role !== 'service_role')) return undefined;
  if (credentialId !== undefined && typeof credentialId !== 'string') return undefined;
  return {
    projectId,
    role,
    issuedAt: iat ?? 0,
    credentialId,
    expiresAt: exp === undefined ? null : new Date(exp * 1000),
  };
}
