import { SignJWT } from 'jose';
import type { KeyRing } from '../../core/keys.ts';
import { verifyToken } from './verify-token.ts';

export type ProjectKeyRole = 'anon' | 'service_role';

/** Who issues project keys, as their `iss` claim says. */
export const projectKeyIssuer = 'svc';

/**
 * A project's key. Made from the root secret, the project's id and the second of its creation alone, so that it is the
 * same string every time and is stored nowhere. Contract 01, section 1.4.
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

export interface ProjectKey {
  readonly projectId: string;
  readonly role: ProjectKeyRole;
}

const read = new Map<string, ProjectKey>();
const readMax = 4096;

/** Reads a project key; undefined when it was not made here. Keys do not expire, so those read are remembered. */
export async function readProjectKey(keys: KeyRing, token: string): Promise<ProjectKey | undefined> {
  const name = `${keys.fingerprints()[0]}:${token}`;
  const known = read.get(name);
  if (known !== undefined) return known;
  const claims = await verifyToken(keys, 'project-keys', token, { issuer: projectKeyIssuer, typ: 'JWT' });
  const { project_id: projectId, role } = claims ?? {};
  if (typeof projectId !== 'string' || (role !== 'anon' && role !== 'service_role')) return undefined;
  if (read.size >= readMax) read.clear();
  read.set(name, { projectId, role });
  return { projectId, role };
}
