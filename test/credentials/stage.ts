import { expect } from 'vitest';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';
import { liveProject } from '../live/live-project.ts';

/** A project with rows, and what its owner does to its credentials. */
export async function crediting(service: Service) {
  const { owner: wallet, ...project } = await liveProject(service);
  const [made] = await service.control.sql<{ created_by: string }>('select created_by from projects where id = $1', [
    project.projectId,
  ]);
  const call = documentedCalls(service);
  const base = `/projects/v1/${project.projectId}`;
  const credentials = (as: Actor, method: string, at = '', body?: object, headers: Record<string, string> = {}) =>
    call(as, method, `${base}/credentials${at}`, { ...(body === undefined ? {} : { body }), headers });
  /** Makes a credential. */
  async function issue(kind: 'anon' | 'service' = 'service', more: object = {}) {
    const made = await credentials(wallet, 'POST', '', { kind, name: crypto.randomUUID(), ...more });
    expect(made.status, made.text).toBe(201);
    return made.body as { credential_id: string; secret: string; name: string; expires_at: string | null };
  }
  const revoke = (id: string) => credentials(wallet, 'DELETE', `/${id}`);
  const rotate = (id: string, headers?: Record<string, string>) =>
    credentials(wallet, 'POST', `/${id}/rotate`, {}, headers);
  const token = (body: object = {}, as: Actor = wallet) => call(as, 'POST', `${base}/tokens`, { body });
  const status = (as: Actor = wallet) => call(as, 'GET', `${base}/credential-status`);
  /** Reads rows by a key on one node. */
  const read = async (secret: string, { kind = 'service', url = service.url } = {}) => {
    const path = kind === 'anon' ? '/rest/v1/notes' : '/admin/v1/rest/notes';
    const answer = await fetch(url + path, { headers: { apikey: secret } });
    const body = (await answer.json()) as { code?: string };
    return answer.status === 200 ? 200 : `${answer.status} ${body.code}`;
  };
  return {
    ...project,
    wallet,
    principalId: made!.created_by,
    call,
    base,
    credentials,
    issue,
    revoke,
    rotate,
    token,
    status,
    read,
  };
}

export const byKey = (secret: string): Actor => withHeaders({ apikey: secret });
