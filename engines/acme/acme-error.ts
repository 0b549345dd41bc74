/** A refusal of the certificate authority, or an answer that is none of the protocol's. RFC 8555, section 6.7. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError';
  /** The type of the problem without its prefix, for example `rateLimited`; `malformedAnswer` for what is no answer. */
  readonly type: string;
  /** When the authority is to be asked again at the soonest; undefined: it did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(type: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.type = type;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const prefix = 'urn:ietf:params:acme:error:';
const detailMax = 300;

/** Reads the problem document of a refusal. */
export function problemOf(status: number, body: unknown, retryAfterSeconds: number | undefined): AcmeError {
  const { type, detail } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const known =
    typeof type === 'string' && type.startsWith(prefix) ? type.slice(prefix.length, prefix.length + 64) : '';
  const said = typeof detail === 'string' ? detail.replace(/\p{Cc}+/gu, ' ').slice(0, detailMax) : '';
  return new AcmeError(
    known === '' ? 'malformedAnswer' : known,
    said === '' ? `The authority answered ${status}.` : said,
    retryAfterSeconds,
  );
}

/** Seconds of a `Retry-After` header, at most a day. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), 86_400) : undefined;
}
