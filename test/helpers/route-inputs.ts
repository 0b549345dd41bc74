import type { Context } from '../../kernel/run/context.ts';
import type { RestRequest } from '../../rest-compat/rest-request.ts';
import type { Route } from '../../rest-compat/route.ts';

export interface RouteInput {
  readonly from: keyof RestRequest;
  readonly name: string;
}

/** What a route reads of a request, by asking it with one that has nothing. */
export async function inputsOf(route: Route): Promise<RouteInput[]> {
  const read: RouteInput[] = [];
  const recorder = (from: keyof RestRequest) =>
    new Proxy({}, { get: (_target, name) => void (typeof name === 'string' && read.push({ from, name })) });
  const request = { params: recorder('params'), query: recorder('query'), body: recorder('body') } as RestRequest;
  const nobody = { services: { observe: () => undefined }, caller: async () => ({ kind: 'nobody' }) };
  await route.run(nobody as unknown as Context, request).catch(() => undefined);
  const names = new Set(read.map(({ from, name }) => `${from}.${name}`));
  return read.filter(({ from, name }) => names.delete(`${from}.${name}`));
}
