import { ServiceError } from '../../core/errors.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { authenticateLive } from '../../resolvers/live/authenticate-live.ts';
import { type LiveParams, liveParams } from '../../resolvers/live/live-input.ts';
import { parseQuery } from '../../rest-compat/body.ts';
import type { Exchange, HttpOptions } from '../exchange.ts';
import { jsonType, send } from '../respond.ts';
import { type Entry, ownPath } from '../routes/entry.ts';
import { readLiveChanges } from './live-changes.ts';
import { streamLive } from './live-stream.ts';

/** Hints of changes in a project, for a key of it. Contract 01, sections 4.3 to 4.7. */
export function liveEntries({ draining }: HttpOptions): Entry[] {
  const read = { ...ownPath, method: 'GET' } as const;
  return [
    {
      ...read,
      path: '/live/v1',
      auth: 'operation',
      body: 'unread',
      async run({ exchange, ctx }) {
        const { live } = ctx.services;
        const caller = await authenticateLive(ctx, projectIn(exchange));
        await streamLive(exchange, caller, liveParamsOf(exchange), { live, draining });
      },
    },
    {
      ...read,
      path: '/live/v1/changes',
      auth: 'operation',
      body: 'unread',
      async run({ exchange, ctx }) {
        const { services, signal } = ctx;
        const caller = await authenticateLive(ctx, projectIn(exchange));
        const text = await readLiveChanges(caller, liveParamsOf(exchange), { live: services.live, draining, signal });
        if (!exchange.response.destroyed) send(exchange.response, 200, jsonType, text);
      },
    },
  ];
}

const projectIn = ({ search }: Exchange) => new URLSearchParams(search).get('project_id') ?? undefined;

/** The parameters of a request for hints; the header of a client that resumes wins. @throws VALIDATION_FAILED */
export function liveParamsOf({ request, search }: Pick<Exchange, 'request' | 'search'>): LiveParams {
  const { project_id, tables, cursor, wait } = parseQuery(search);
  const given = request.headers['last-event-id'];
  if (Array.isArray(given)) throw new ServiceError('VALIDATION_FAILED');
  const resume = given === undefined || given === '' ? cursor : given;
  return parseInput({ input: liveParams }, dropAbsent({ project_id, tables, cursor: resume, wait }), (name) => name);
}

const dropAbsent = (given: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as { tables: string };
