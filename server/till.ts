import type { Till } from '../resolvers/payments/price.ts';
import type { Exchange } from './exchange.ts';

/** Longest search of an address that a challenge repeats, in characters: it has to fit into a header. */
const searchMax = 2_048;

/**
 * Where a request over HTTP pays. Whoever only looks, by HEAD, pays nothing: there would be no answer to have.
 *
 * @param baseUrl where clients reach this server
 */
export function tillOf({ request, response, path, search }: Exchange, baseUrl: string): Till {
  const { method, headers } = request;
  const one = (name: string) => (method === 'HEAD' ? undefined : headers[name]?.toString());
  return {
    signature: one('payment-signature'),
    legacy: one('x-payment'),
    get resource() {
      return `${baseUrl}${path}${resourceSearch(search)}`;
    },
    path,
    looksOnly: method === 'HEAD',
    sent: (act) => {
      // Whoever has hung up meanwhile is told nothing any more.
      if (response.destroyed) act(false);
      else response.once('close', () => act(response.writableFinished && response.statusCode < 400));
    },
  };
}

/** The search as it was called, without a payment in it. */
function resourceSearch(search: string): string {
  if (search === '' || search.length > searchMax * 4) return '';
  const kept = search
    .split('&')
    .filter((part) => !/^payment_proof(=|$)/i.test(part))
    .join('&');
  return kept === '' || kept.length > searchMax ? '' : `?${kept}`;
}
