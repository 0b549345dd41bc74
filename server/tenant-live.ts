import { ServiceError } from '../core/errors.ts';
import type { Context } from '../resolvers/context.ts';
import { claimsOf, findVisitor } from '../resolvers/hosted/visitor.ts';
import type { Host } from '../rest-compat/hosted/call.ts';
import type { Exchange, HttpOptions } from './exchange.ts';

/**
 * `GET /_svc/live` and `/_svc/live/changes`: hints of changes for pages of a project's host, by its cookie or a bearer.
 * Who asks is found out here; the stream itself is the one of `/live/v1`. Contract 01, sections 4.3 and 4.5.
 */
export async function answerTenantLive(
  _options: HttpOptions,
  { request }: Exchange,
  ctx: Context,
  { target }: Host,
): Promise<void> {
  const { session } = await findVisitor(ctx, target, request.headers.cookie);
  const _user = session === undefined ? undefined : claimsOf(ctx, target, session);
  throw new ServiceError('NOT_IMPLEMENTED');
}
