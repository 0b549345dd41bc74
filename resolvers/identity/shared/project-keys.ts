import { SignJWT } from 'jose';
import type { KeyRing } from '../../../core/keys.ts';
import { verifyToken } from '../verify-token.ts';

export type ProjectKeyRole = 'anon' | 'service_role';

/** Who issues project keys, as their `iss` claim says. */
export const projectKeyIssuer = 'svc';

/**
 * A project's key. Made from the root secret, the project's id and the second of its creation alone, so that it is the
 * same string every time and is stored nowhere. Contract 01, section 1.3.
 */
export function makeProjectKey(
  keys: KeyRing,
  project: { readonly id: string; readonly createdAt: Date },
  role: ProjectKeyRole,
): Promise<string> {
  return new SignJWT({
    iss: projectKeyIssuer,
    project_id: project.id,
    role,
    iat: Math.floor(project.createdAt.getTime() / 1000),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(keys.key('project-keys'));
}

export interface ProjectKeys {
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** Both keys of a project. */
export async function projectKeysOf(
  keys: KeyRing,
  project: { readonly id: string; readonly createdAt: Date },
): Promise<ProjectKeys> {
  const [anonKey, serviceKey] = await Promise.all([
    makeProjectKey(keys, project, 'anon'),
    makeProjectKey(keys, project, 'service_role'),
  ]);
  return { anonKey, serviceKey };
}

export interface ProjectKey {
  readonly projectId: string;
  readonly role: ProjectKeyRole;
}

/** Reads a project key; undefined when it was not made here. */
export async function readProjectKey(keys: KeyRing, token: string, now: Date): Promise<ProjectKey | undefined> {
  const demands = { issuer: projectKeyIssuer, typ: 'JWT', currentDate: now };
  const { project_id: projectId, role } = (await verifyToken(keys, 'project-keys', token, demands)) ?? {};
  if (typeof projectId !== 'string' || (role !== 'anon' && role !== 'service_role')) return undefined;
  return { projectId, role };
}
