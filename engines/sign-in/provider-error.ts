/** What went wrong with a provider, as applications are told. */
export type ProviderFault =
  /** It cannot be reached, or its own settings make no sense. */
  | 'provider_unavailable'
  /** It refused the code, or what it answered did not hold. */
  | 'token_exchange_failed'
  /** What it said itself, for example `access_denied`. */
  | (string & {});

/** A sign-in that a provider did not bring to its end. The words hold neither its answers nor any secret. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly fault: ProviderFault;
  /** For the log: what the client library calls it. */
  readonly reason: string;

  constructor(fault: ProviderFault, reason: string) {
    super(`${fault}: ${reason}`);
    this.fault = fault;
    this.reason = reason;
  }
}
