import { networkOf } from '../core/network-of.ts';
import type { Context } from '../kernel/run/context.ts';
import { causeOf } from '../kernel/run/request-id.ts';
import { clientAddress } from './client-address.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { paymentContextOf } from './payment-context.ts';
import { createContext, credentialsOf, destinationOf, type RequestInfo, writeApprovalOf } from './request-context.ts';
import type { Keeping } from './respond.ts';

/** Made once: a `DOMException` with its stack for each request would cost more than many a query. */
const clientGone = new Error('The client has gone.');

/** The context of a request, made and counted once. @throws RATE_LIMITED when too many of this address are under way */
export const contextOf = (options: HttpOptions, exchange: Exchange): Context =>
  (exchange.ctx ??= createContext(options.services, arrivalOf(options, exchange)));

/**
 * What is known of a request before anything is decided; counts it among those under way, so once for each.
 *
 * @throws RATE_LIMITED when too many requests of this address are under way
 */
export function arrivalOf(
  { services, connections, trustedProxies, host }: HttpOptions,
  exchange: Exchange,
): RequestInfo {
  const { request, response, traceId } = exchange;
  const address = clientAddress(request, trustedProxies);
  const destination = destinationOf(request, host);
  const leave = connections.enter(networkOf(address));
  const gone = new AbortController();
  response.on('close', () => {
    leave();
    // An answer that was given in full leaves nothing to break off.
    if (!response.writableFinished) gone.abort(clientGone);
  });
  const { method } = request;
  const keeping: Keeping = {
    held: services.responseBackpressure,
    owner: networkOf(address),
    mayRefuse: method === 'GET' || method === 'HEAD',
  };
  response.keeping = keeping;
  const key = request.headers['idempotency-key'];
  return {
    credentials: credentialsOf(request.headers),
    traceId,
    causedBy: causeOf(request.headers),
    address,
    ...destination,
    idempotencyKey: Array.isArray(key) ? key[0] : key,
    writeApproval: writeApprovalOf(request.headers['x-svc-write-auth']),
    signal: gone.signal,
    subject: exchange.subject,
    onProjectResolved: (projectId) => {
      exchange.projectId = projectId;
      exchange.subject.name(projectId);
    },
    setHeader: (name, value) => {
      if (!response.headersSent) response.setHeader(name, value);
    },
    paymentContext: paymentContextOf(exchange, services.settings.publicBaseUrl ?? destination.baseUrl),
    onOwnerResolved: (projectId) => {
      keeping.owner = projectId;
    },
  };
}
