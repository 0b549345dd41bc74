import type { RouteEntry } from '../../engines/release/model.ts';
import type { Context } from '../../kernel/run/context.ts';
import { type AskedFunction, callFunction, type FunctionRequest } from '../../resolvers/functions/call-function.ts';
import type { FunctionReply } from '../../resolvers/functions/function-host.ts';
import { type PricedCall, sellCall } from '../../resolvers/payments/sell-call.ts';

/** A route that has a price. */
export type PricedRoute = RouteEntry & Required<Pick<RouteEntry, 'pricing'>>;

export const isPriced = (route: RouteEntry | null): route is PricedRoute => route?.pricing !== undefined;

/**
 * Calls a function by a route whose price is paid first. The payment itself stays with the platform: the function is told of it.
 *
 * @param place where it was asked for
 * @throws what `sellCall` and `callFunction` do
 */
export function callPaid(
  ctx: Context,
  called: AskedFunction,
  asked: FunctionRequest,
  { pattern, pricing }: PricedRoute,
  place: Pick<PricedCall, 'host' | 'target'>,
): Promise<FunctionReply> {
  const { target, site, name, headers } = called;
  let read: Promise<Buffer> | undefined;
  const body = () => {
    read ??= asked.body();
    return read;
  };
  const rawHeaders = withoutProofs(asked.rawHeaders);
  return sellCall(ctx, {
    ...place,
    orgId: target.orgId,
    projectId: target.projectId,
    releaseId: site.releaseId,
    pattern,
    pricing,
    functionName: name,
    method: asked.method,
    requestId: asked.requestId,
    body,
    run: (payment) =>
      callFunction(ctx, { ...called, headers: { ...headers, ...payment } }, { ...asked, rawHeaders, body }),
  });
}

/** @param raw names and values by turns */
const withoutProofs = (raw: readonly string[]): readonly string[] =>
  raw.filter((_one, at) => !/^(?:payment-signature|x-payment)$/i.test(raw[at - (at % 2)]!));
