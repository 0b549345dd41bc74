import type { GuardedFetch } from '../../core/guarded-fetch.ts';
import type { DnsResolver } from '../../engines/dns/resolver.ts';

/** The authority that certificates of hosts are ordered from. */
export interface CertificateAuthority {
  readonly directoryUrl: string;
  /** Whom the authority may write to. */
  readonly email: string | undefined;
  readonly fetch: GuardedFetch;
}

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Asks the domain name system about domains of projects. */
    readonly dns: DnsResolver;
    /** Undefined: the gateway orders none, since something in front of it holds the certificates. */
    readonly certificateAuthority: CertificateAuthority | undefined;
  }

  interface ServiceSettings {
    /** Where own domains have to lead; undefined: where the project’s own host leads. */
    readonly hostAddresses: readonly string[] | undefined;
  }
}
