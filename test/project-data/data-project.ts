import { expect } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import type { Answer, CallOptions, Service } from '../helpers/service.ts';

/** A project and the doors to it, made by nothing but its documented paths. */
export async function dataProject(service: Service) {
  const made = await service.project();
  const { projectId, orgId, anonKey, serviceKey } = made;
  // Tables of cases are sent faster than a tier allows.
  const limits = { reads_per_second: 1e6, reads_burst: 1e6, writes_per_second: 1e6, writes_burst: 1e6 };
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits } });
  const documented = documentedCalls(service);
  const key = service.actors.bearer(serviceKey);
  const base = `/projects/v1/admin/${projectId}`;
  const text = { headers: { 'content-type': 'text/plain' } };
  const bearer = (token: string, path: string, method: string, options: CallOptions = {}) =>
    service.call<never>(service.actors.bearer(token), method, path, options);
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  type Any = any;
  return {
    ...made,
    key,
    base,
    /** Sends SQL as plain text with the service key. */
    send: (sql: string): Promise<Answer<Any>> => documented(key, 'POST', `${base}/sql`, { body: sql, ...text }),
    /** Runs SQL that must succeed, and answers its rows. */
    async sql(sql: string): Promise<Any[]> {
      const { status, body } = await documented(key, 'POST', `${base}/sql`, { body: sql, ...text });
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok' } });
      return body.rows;
    },
    withParams: (sql: string, params: unknown[]): Promise<Answer<Any>> =>
      documented(key, 'POST', `${base}/sql`, { body: { sql, params } }),
    expose: (manifest: object): Promise<Answer<Any>> =>
      documented(key, 'POST', `${base}/expose`, { body: { version: 1, ...manifest } }),
    exposed: (): Promise<Answer<Any>> => documented(key, 'GET', `${base}/expose`),
    validate: (manifest: object, migration_sql?: string): Promise<Answer<Any>> =>
      documented(key, 'POST', `${base}/expose/validate`, {
        body: { manifest: { version: 1, ...manifest }, ...(migration_sql === undefined ? {} : { migration_sql }) },
      }),
    /** Asks for rows without a user. */
    anon: (method: string, path: string, options?: CallOptions): Promise<Answer<Any>> =>
      service.call(service.actors.apikey(anonKey), method, `/rest/v1/${path}`, options),
    /** Asks for rows with the service key. */
    admin: (method: string, path: string, options?: CallOptions): Promise<Answer<Any>> =>
      bearer(serviceKey, `/admin/v1/rest/${path}`, method, options),
  };
}

export type DataProject = Awaited<ReturnType<typeof dataProject>>;
