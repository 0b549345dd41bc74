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
export function makeProjectKey(keys: KeyRing, project: KeyedProject, role: ProjectKeyRole): Promise<string> {
  const since = role === 'anon' ? project.createdAt : (project.transferredAt ?? project.createdAt);
  return new SignJWT({ iss: projectKeyIssuer, project_id: project.id, role, iat: secondOf(since) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(keys.key('project-keys'));
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
}

/** Whether a key was made for whoever has the project now. */
export const isCurrentKey = ({ role, issuedAt }: Pick<ProjectKey, 'role' | 'issuedAt'>, transferredAt: Date | null) =>
  role === 'anon' || transferredAt === null || issuedAt >= secondOf(transferredAt);

/** Reads a project key; undefined when it was not made here. */
export async function readProjectKey(keys: KeyRing, token: string, now: Date): Promise<ProjectKey | undefined> {
  const demands = { issuer: projectKeyIssuer, typ: 'JWT', currentDate: now };
  const { project_id: projectId, role, iat } = (await verifyToken(keys, 'project-keys', token, demands)) ?? {};
  if (typeof projectId !== 'string' || (role !== 'anon' && role !== 'service_role')) return undefined;
  return { projectId, role, issuedAt: iat ?? 0 };
}
