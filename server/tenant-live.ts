import { decodeJwt } from 'jose';
import { ServiceError } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import { findVisitor } from '../resolvers/auth/hosted/visitor.ts';
import type { LiveCaller } from '../resolvers/live/authenticate-live.ts';
import type { Host } from '../rest-compat/hosted/call.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { liveParamsOf } from './live/answer-live.ts';
import { readLiveChanges } from './live/live-changes.ts';
import { streamLive } from './live/live-stream.ts';
import { jsonType, send } from './respond.ts';

/**
 * `GET /_svc/live` and `/_svc/live/changes`: hints of changes for pages of a project's host, by its cookie or a bearer,
 * or by nothing. Only the caller is resolved here; the rest is as at `/live/v1`. Contract 01, sections 4.3 to 4.7.
 */
export async function answerTenantLive(
  { draining }: HttpOptions,
  exchange: Exchange,
  ctx: Context,
  host: Host,
): Promise<void> {
  const { services, signal } = ctx;
  const caller = await callerOf(exchange, ctx, host);
  const params = liveParamsOf(exchange);
  if (params.project_id !== undefined && params.project_id !== host.target.projectId)
    throw new ServiceError('FORBIDDEN', {
      label: 'project_token_mismatch',
      message: 'The host is of another project than project_id.',
    });
  if (exchange.path === '/_svc/live') return streamLive(exchange, caller, params, { live: services.live, draining });
  const text = await readLiveChanges(caller, params, { live: services.live, draining, signal });
  if (!exchange.response.destroyed) send(exchange.response, 200, jsonType, text);
}

/** A cookie whose session has ended is cleared: its page goes on with what is public. */
async function callerOf({ request, response }: Exchange, ctx: Context, { target }: Host): Promise<LiveCaller> {
  const { session: live, via, cookie } = await findVisitor(ctx, target, request.headers.cookie);
  if (cookie !== undefined) response.setHeader('set-cookie', cookie);
  if (live === undefined) return { target, identity: { kind: 'anon' } };
  ctx.subject?.becomeUser();
  const { session, account } = live;
  // A cookie is good as long as its session, which its database is asked about.
  const expiresAt = via === 'bearer' ? expiryOf(ctx.credentials.authorization!) : undefined;
  return { target, identity: { kind: 'user', userId: account.id, sessionId: session.id, expiresAt } };
}

/** Of a bearer that was verified. */
const expiryOf = (authorization: string) => new Date(decodeJwt(authorization.replace(/^\S+\s+/, '')).exp! * 1000);
