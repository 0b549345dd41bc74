import { ServiceError } from '../../core/errors.ts';
import { parseInput } from '../../kernel/run/parse-input.ts';
import { type LiveParams, liveParams } from '../../resolvers/live/live-input.ts';
import { openLiveDoor } from '../../resolvers/live/open-door.ts';
import { parseQuery } from '../../rest-compat/body.ts';
import { type Exchange, type HttpOptions, requireMethod } from '../exchange.ts';
import { contextOf } from '../exchange-context.ts';
import { jsonType, send } from '../respond.ts';
import { readLiveChanges } from './live-changes.ts';
import { streamLive } from './live-stream.ts';

/** `GET /live/v1`. Contract 01, sections 4.3 to 4.7. */
export async function answerLive(options: HttpOptions, exchange: Exchange): Promise<void> {
  requireMethod(exchange, 'GET');
  const ctx = contextOf(options, exchange);
  const { live } = ctx.services;
  const caller = await openLiveDoor(ctx, projectIn(exchange));
  await streamLive(exchange, caller, liveParamsOf(exchange), { live, draining: options.draining });
}

/** `GET /live/v1/changes`. Contract 01, section 4.6. */
export async function answerLiveChanges(options: HttpOptions, exchange: Exchange): Promise<void> {
  requireMethod(exchange, 'GET');
  const ctx = contextOf(options, exchange);
  const { live } = ctx.services;
  const { signal } = ctx;
  const caller = await openLiveDoor(ctx, projectIn(exchange));
  const text = await readLiveChanges(caller, liveParamsOf(exchange), { live, draining: options.draining, signal });
  if (!exchange.response.destroyed) send(exchange.response, 200, jsonType, text);
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
