import { expect } from 'vitest';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { type Any, copying } from '../snapshots/stage.ts';

/** A project of its own unless told, with what is done to its branches. */
export async function branching(service: Service, given?: Parameters<typeof copying>[1]) {
  const home = await copying(service, given);
  const { projectId, wallet } = home;
  const branches = (method: string, at = '', body: object = {}, as: Actor = wallet) =>
    service.call<Any>(as, method, `/projects/v1/${projectId}/branches${at}`, method === 'POST' ? { body } : {});
  /** Makes a branch and waits until it is there. */
  async function branch(body: object = {}): Promise<Any> {
    const made = await branches('POST', '', body);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ status: 'active', error: null });
    return made.body;
  }
  const sqlOf = (of: Any, text: string) =>
    service.call<Any>(service.actors.bearer(of.service_key), 'POST', `/projects/v1/admin/${of.branch_project_id}/sql`, {
      body: { sql: text },
    });
  const rowsOf = (of: Any, table: string) =>
    service.call<Any>(withHeaders({ apikey: of.anon_key }), 'GET', `/rest/v1/${table}`);
  const ask = (of: Any, path: string) => asking(service, new URL(of.branch_url).hostname)(path);
  return { ...home, branches, branch, sqlOf, rowsOf, ask };
}
