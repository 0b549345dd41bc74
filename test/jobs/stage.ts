import { expect } from 'vitest';
import type { Answer, Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
export type Any = any;

export interface Owned {
  readonly orgId: string;
  readonly projectId: string;
  readonly serviceKey: string;
  readonly wallet: Awaited<ReturnType<Service['project']>>['wallet'];
  /** Calls a path with the project's service key. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<Any>>;
  /** Submits a job under a key of its own. */
  readonly submit: (type: string, input: object, more?: Any, key?: string) => Promise<Answer<Any>>;
  /** Submits a job that is taken. @returns its id */
  readonly begin: (type: string, input: object, more?: Any) => Promise<string>;
  readonly get: (id: string) => Promise<Any>;
  /** Puts an asset of the project, which only it sees. */
  readonly putAsset: (key: string, contentType: string, body: string | Uint8Array<ArrayBuffer>) => Promise<void>;
  /** The text of an artifact. */
  readonly artifact: (id: string, filename: string) => Promise<Answer<Any>>;
  readonly balance: () => Promise<{ readonly available: number; readonly held: number }>;
}

let keys = 0;

/** A project whose organization has money, in micro-dollars. */
export async function projectWith(service: Service, credit = 5_000_000): Promise<Owned> {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  if (credit > 0)
    await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, {
      body: { amount_usd_micros: credit },
    });
  const byKey = service.actors.bearer(serviceKey);
  const call: Owned['call'] = (method, path, body, headers = {}) =>
    service.call<Any>(byKey, method, path, { ...(body === undefined ? {} : { body }), headers });
  const submit: Owned['submit'] = (type, input, more = {}, key = `key-${++keys}`) =>
    call(
      'POST',
      '/jobs/v1/runs',
      { job_type: type, input: { input_json: input }, max_cost_usd_micros: 100_000, ...more },
      { 'idempotency-key': key },
    );
  return {
    orgId,
    projectId,
    serviceKey,
    wallet,
    call,
    submit,
    async begin(type, input, more) {
      const answer = await submit(type, input, more);
      if (answer.status !== 202) throw new Error(answer.text);
      return answer.body.job_id;
    },
    get: async (id) => (await call('GET', `/jobs/v1/runs/${id}`)).body,
    artifact: (id, filename) => call('GET', `/jobs/v1/runs/${id}/artifacts/${filename}`),
    async putAsset(key, contentType, body) {
      const put = await fetch(`${service.url}/apply/v1/service-asset-put`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${serviceKey}`,
          'x-svc-asset-key': key,
          'x-svc-asset-visibility': 'private',
          'content-type': contentType,
        },
        body,
      });
      expect(put.status, await put.clone().text()).toBeLessThan(300);
    },
    async balance() {
      const { body } = await service.call<Any>(wallet, 'GET', `/orgs/v1/${orgId}/billing`);
      return { available: body.available_usd_micros, held: body.held_usd_micros };
    },
  };
}

/** Waits until a job stands so. @returns it */
export const becomes = (owned: Owned, id: string, status: string): Promise<Any> =>
  until(async () => {
    const job = await owned.get(id);
    // What has ended otherwise is not waited for.
    if (job.status === status || job.completed_at !== undefined) return job;
    throw new Error(JSON.stringify(job));
  }).then((job) => {
    expect(job, JSON.stringify(job)).toMatchObject({ status });
    return job;
  });
