import type { PaymentContext } from '../kernel/run/payment-context.ts';
import type { Exchange } from './exchange.ts';
import type { Answer } from './respond.ts';

/** Longest search of an address that a challenge repeats, in characters: it has to fit into a header. */
const searchMax = 2_048;

/**
 * Where a request over HTTP pays. A HEAD request pays nothing: there would be no answer to have.
 *
 * A class, since an object literal with a getter is of a shape of its own each time, and the engine keeps shapes, and with
 * them the requests, until its next full collection.
 */
class HttpTill implements PaymentContext {
  readonly signature: string | undefined;
  readonly legacy: string | undefined;
  readonly path: string;
  readonly looksOnly: boolean;
  readonly #baseUrl: string;
  readonly #search: string;
  readonly #response: Answer;

  constructor({ request: { method, headers }, response, path, search }: Exchange, baseUrl: string) {
    this.looksOnly = method === 'HEAD';
    this.signature = this.looksOnly ? undefined : headers['payment-signature']?.toString();
    this.legacy = this.looksOnly ? undefined : headers['x-payment']?.toString();
    this.path = path;
    this.#baseUrl = baseUrl;
    this.#search = search;
    this.#response = response;
  }

  get resource(): string {
    return `${this.#baseUrl}${this.path}${resourceSearch(this.#search)}`;
  }

  sent(act: (written: boolean) => void): void {
    const response = this.#response;
    // A client that has hung up meanwhile gets nothing.
    if (response.destroyed) act(false);
    else response.once('close', () => act(response.writableFinished && response.statusCode < 400));
  }
}

/** @param baseUrl where clients reach this server */
export const paymentContextOf = (exchange: Exchange, baseUrl: string): PaymentContext =>
  new HttpTill(exchange, baseUrl);

/** The search as it was called, without a payment in it. */
function resourceSearch(search: string): string {
  if (search === '' || search.length > searchMax * 4) return '';
  const kept = /payment_proof/i.test(search) ? withoutProof(search) : search;
  return kept === '' || kept.length > searchMax ? '' : `?${kept}`;
}

const withoutProof = (search: string): string =>
  search
    .split('&')
    .filter((part) => !/^payment_proof(=|$)/i.test(part))
    .join('&');
