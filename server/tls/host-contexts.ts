import { createSecureContext, type SecureContext } from 'node:tls';
import { Lru } from '../../core/lru.ts';
import { type Rate, RateLimiter } from '../../kernel/limits/rate-limit.ts';
import type { Services } from '../../kernel/run/context.ts';
import { findCertificate } from '../../resolvers/hosts/certificates/certificate-rows.ts';
import { hostPattern } from '../request-context.ts';

/** How long a certificate is used without a look at the database, and how long its absence is believed, in milliseconds. */
const heldMs = 10_000;
const absentMs = 2_000;
/** Each context takes some tens of kilobytes outside the heap. */
const contextsMax = 2_000;
/** Looks at the database that names which are not held may cause, by all connections together. */
const lookRate: Rate = { perSecond: 500, burst: 2_000 };

interface Held {
  readonly context: SecureContext;
  readonly chain: string;
  readonly until: number;
}

/** Certificates of hosts, as connections use them: loaded from the database, and again once they were renewed. */
export class HostContexts {
  readonly #services: Pick<Services, 'db' | 'keys' | 'log'>;
  readonly #held = new Lru<Held>({ entries: contextsMax, bytes: contextsMax });
  /** Until when hosts are believed to have none: apart, so that names which strangers make up push nothing out. */
  readonly #absent = new Lru<number>({ entries: contextsMax, bytes: contextsMax });
  /** Connections that name one host at once share a look. */
  readonly #looks = new Map<string, Promise<SecureContext | undefined>>();
  readonly #limiter = new RateLimiter();

  constructor(services: Pick<Services, 'db' | 'keys' | 'log'>) {
    this.#services = services;
  }

  /** The certificate of a host; undefined: it has none, or too many strangers ask. */
  async find(host: string): Promise<SecureContext | undefined> {
    if (!hostPattern.test(host) || host.length > 253) return undefined;
    const held = this.#held.get(host);
    const now = performance.now();
    if (held !== undefined && held.until > now) return held.context;
    let look = this.#looks.get(host);
    if (look === undefined) {
      if ((this.#absent.get(host) ?? 0) > now) return undefined;
      if (held === undefined && this.#limiter.take('hosts', lookRate) > 0) return undefined;
      look = this.#look(host, held).finally(() => this.#looks.delete(host));
      this.#looks.set(host, look);
    }
    return look;
  }

  async #look(host: string, before: Held | undefined): Promise<SecureContext | undefined> {
    try {
      const found = await findCertificate(this.#services, host);
      if (found === undefined) {
        this.#absent.set(host, performance.now() + absentMs, 1);
        return undefined;
      }
      const { chain, privateKey } = found;
      const context =
        chain === before?.chain
          ? before.context
          : createSecureContext({ cert: chain, key: privateKey, minVersion: 'TLSv1.2' });
      this.#held.set(host, { context, chain, until: performance.now() + heldMs }, 1);
      return context;
    } catch (error) {
      // With the database away, what was there serves on.
      this.#services.log.warn({ err: error, host }, 'The certificate of a host could not be loaded.');
      return before?.context;
    }
  }
}
