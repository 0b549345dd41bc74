/** The credential headers of a request, under their lower-case names; also the members of `connectionParams`. */
export interface Credentials {
  readonly authorization?: string | undefined;
  readonly 'sign-in-with-x'?: string | undefined;
  readonly apikey?: string | undefined;
  readonly 'x-admin-key'?: string | undefined;
  /** Only where none of the others came along. */
  readonly browser?: BrowserProof | undefined;
}

/** What a page of this server shows to act as the person whose cookie its browser has. */
export interface BrowserProof {
  /** The header `Cookie`. */
  readonly cookie: string;
  /** The session's own word, of `X-Svc-Csrf`. */
  readonly csrf: string;
  readonly origin: string | undefined;
  /** Browsers name no origin where a page reads from its own, and say that it is its own instead. */
  readonly sameOrigin: boolean;
}
