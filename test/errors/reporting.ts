import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import type { CallOptions, Service } from '../helpers/service.ts';

/** One failure as a runtime reports it. */
export const failure = (over: Record<string, unknown> = {}) => ({
  function: 'checkout',
  kind: 'uncaught',
  sample_id: `req_${crypto.randomUUID()}`,
  name: 'TypeError',
  message: `Cannot read properties of undefined (reading 'id')`,
  stack: 'at chargeCard (file:///srv/a1/checkout.js:10:5)\n    at handler (file:///srv/a1/index.js:3:1)',
  ...over,
});

/** Some distinct failures, each of its own cause. */
export const failureNumbered = (index: number, over: Record<string, unknown> = {}) =>
  failure({ message: 'it broke', stack: `at cause${toLetters(index)} (file:///srv/a.js:1:1)`, ...over });

const toLetters = (index: number) =>
  [...String(index).padStart(5, '0')].map((digit) => String.fromCharCode(97 + Number(digit))).join('');

/** The doors of one project’s failures, as its own key opens them. */
export function reporter(service: Service, project: { readonly projectId: string; readonly serviceKey: string }) {
  const call = documentedCalls(service);
  const key = service.actors.apikey(project.serviceKey);
  const path = `/projects/v1/${project.projectId}/errors`;
  const post = (door: string, body: unknown, options: CallOptions = {}) =>
    call(key, 'POST', `${path}/${door}`, { body, ...options });
  return {
    path,
    key,
    report: (...occurrences: object[]) => post('occurrences', { occurrences }),
    activate: (release_id: string, at?: string) => post('activations', { release_id, ...(at && { at }) }),
    invoked: (...invocations: object[]) => post('invocations', { invocations }),
    fidelity: (...functions: object[]) => post('fidelity', { functions }),
    list: (query: Record<string, string> = {}, actor: Actor = key) =>
      call(actor, 'GET', `${path}?${new URLSearchParams(query)}`),
    detail: (id: string, actor: Actor = key) => call(actor, 'GET', `${path}/${id}`),
  };
}

/** A moment so many minutes ago. */
export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** All that counts over time come to. */
export const sumOf = ({ values }: { readonly values: readonly number[] }) =>
  values.reduce((sum, value) => sum + value, 0);
