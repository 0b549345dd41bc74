import type { Logger } from 'pino';
import type { IdPrefix } from '../../core/ids.ts';
import type { KeyRing } from '../../core/keys.ts';
import type { ResponseBackpressure } from '../../core/response-backpressure.ts';
import type { Database } from '../../db/pool.ts';
import type { ProjectDatabases } from '../../db/project-databases.ts';
import type { ProjectPools } from '../../db/project-pools.ts';
import type { Archives } from '../../engines/bundles/archives.ts';
import type { Chains } from '../../engines/chains/chains.ts';
import type { CiIssuer } from '../../engines/ci/subject-token.ts';
import type { PackageStore } from '../../engines/functions/packages/install-packages.ts';
import type { Images } from '../../engines/images/images.ts';
import type { Signer } from '../../engines/licences/signer.ts';
import type { ObjectStore } from '../../engines/objects/object-store.ts';
import type { PasswordHasher } from '../../engines/passwords/hasher.ts';
import type { SqlReader } from '../../engines/reading/sql-reader.ts';
import type { SchemaCaches } from '../../engines/rows/schema-caches.ts';
import type { IdentityProviders } from '../../engines/sign-in/identity-providers.ts';
import type { Auditor } from '../../engines/site-audit/auditor.ts';
import type { NetworkName } from '../../engines/x402/networks.ts';
import type { PaymentProcessor } from '../../engines/x402/payment-processor.ts';
import type { AuthorityWatch } from '../access/authority-watch.ts';
import type { Caller } from '../access/caller.ts';
import type { Credentials } from '../access/credentials.ts';
import type { Gates } from '../access/gates.ts';
import type { FeedHub } from '../feeds/feeds.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { UsageCounter } from '../limits/usage-counter.ts';
import type { Subject } from '../traffic/subject.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { IncidentWatch } from './correlation.ts';
import type { PaymentContext } from './payment-context.ts';

/**
 * Everything that lives as long as the process, handed down so that nothing below reaches for a global. A domain adds
 * what it keeps itself by declaring it in this module, so that the kernel need not know the domain.
 */
export interface Services {
  readonly db: Database;
  readonly keys: KeyRing;
  readonly log: Logger;
  readonly projectDatabases: ProjectDatabases;
  /** Connections for what is done inside project databases. */
  readonly projectPools: ProjectPools;
  /** Connections to the sign-in tables of project databases, as a login that no tenant can become. */
  readonly authPools: ProjectPools;
  readonly passwords: PasswordHasher;
  /** Who the users of projects sign in with, besides the gateway itself. */
  readonly identityProviders: IdentityProviders;
  /** Whose tokens workflows of CI show. */
  readonly ciIssuer: CiIssuer;
  readonly sqlReader: SqlReader;
  /** Bytes by their digest. */
  readonly objects: ObjectStore;
  /** Looks at images, and makes smaller ones of them. */
  readonly images: Images;
  /** Audits sites of others. */
  readonly auditor: Auditor;
  /** Reads what transactions on chains paid. */
  readonly chains: Chains;
  /** What licences and orders are signed with; undefined: the installation has no key for it. */
  readonly signer: Promise<Signer> | undefined;
  /** What is sold of the gateway itself. */
  readonly archives: Archives;
  /** Takes payments on chains. */
  readonly paymentProcessor: PaymentProcessor;
  /** What project databases hold, as the row routes see it. */
  readonly schemaCaches: SchemaCaches;
  /** Large answers that wait for their readers. */
  readonly responseBackpressure: ResponseBackpressure;
  readonly feeds: FeedHub;
  readonly authority: AuthorityWatch;
  /** Projects whose data is closed while their migrations run. */
  readonly gates: Gates;
  /** Faults of the platform's own that are open. */
  readonly incidents: IncidentWatch;
  readonly rateLimiter: RateLimiter;
  /** Counts requests made with projects' own keys. */
  readonly usage: UsageCounter;
  /** Counts requests of projects at every door, and keeps the latest. */
  readonly traffic: Traffic;
  readonly settings: ServiceSettings;
  /** Called after every operation that ran: its name, `OK` or the code of its refusal, and how long it took in seconds. */
  readonly observe: (operation: string, code: string, seconds: number) => void;
  readonly now: () => Date;
  readonly newId: (prefix: IdPrefix) => string;
}

/** The few settings that operations depend on. */
export interface ServiceSettings {
  /** Where clients reach this server, without a trailing slash; undefined: as each request names it. */
  readonly publicBaseUrl: string | undefined;
  /**
   * Where links of mails lead, without a trailing slash: never where a request says, since a stranger reads the mail.
   * Without a public base URL, which only development may lack, this machine.
   */
  readonly mailBaseUrl: string;
  /** Domain under which project hosts live. */
  readonly platformDomain: string;
  /** Origins that may embed the sites of projects, by the key that a release names. */
  readonly embeddingOrigins: ReadonlyMap<string, readonly string[]>;
  readonly adminKey: string | undefined;
  /** Whether mail goes out; else it waits in the outbox. */
  readonly sendsMail: boolean;
  /** Whether mail comes in: mailboxes then receive what answers their mail. */
  readonly receivesMail: boolean;
  /** The wallet that payments to this installation go to; undefined: one of its own. */
  readonly settlementAddress: string | undefined;
  /** The same on TON; undefined: there is none. */
  readonly tonSettlementAddress: string | undefined;
  /** What jobs of marketplaces of agents are signed with; undefined: they come unsigned. */
  readonly nearAgentsSecret: string | undefined;
  /** Who sells the gateway's source; undefined: its operator. */
  readonly sellerName: string | undefined;
  readonly governingLaw: string | undefined;
  /** What is audited when nothing is named. */
  readonly auditDefaultUrl: string;
  /** Whether organizations have leases that end, and tiers prices. */
  readonly leases: boolean;
  /** `optional`: functions run without isolation where the machine offers none. */
  readonly functionsIsolation: 'required' | 'optional';
  /** Where the packages of functions come from, and are kept. */
  readonly packages: PackageStore;
  /** Whom tokens of CI have to be for; undefined: where clients reach this server. */
  readonly ciAudience: string | undefined;
  /** Where leases of tiers are paid for. */
  readonly tierNetwork: NetworkName;
  /** Blocks that a transaction needs which is presented by its hash, its own among them. */
  readonly proofConfirmations: number;
  /** Folder whose archives whoever may make a project may import; undefined: there is none. */
  readonly archiveDir: string | undefined;
  /** How long a step operation is believed to be worked on, in seconds. */
  readonly stepLeaseSeconds: number;
}

/** What one request brings along. */
export interface RequestFacts {
  readonly traceId: string;
  /** The request or run that a function answered as it sent this one, `req_…` or `fnrun_…`, as its library says. */
  readonly causedBy?: string | undefined;
  /** Address of the client, for limits on callers without a credential. */
  readonly address: string;
  /** Scheme and host of the request, without a trailing slash. */
  readonly baseUrl: string;
  /** The host that a wallet signature has to name; undefined: the client named one that is not this server's. */
  readonly signedHost?: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Bearer of `X-Svc-Write-Auth`. */
  readonly writeApproval: string | undefined;
}

/** How far the work of a request has come, in steps of its own. */
export interface WorkProgress {
  readonly done: number;
  readonly of: number;
  /** What is done, or under way, in words. */
  readonly what: string;
}

/** What surfaces hand to operations: one per request, and one per event on a socket. */
export interface Context {
  readonly services: Services;
  readonly request: RequestFacts;
  /**
   * The caller; resolved on first use, then remembered.
   *
   * @param presuming told, at most once, which principal a credential names that has yet to prove to hold: whatever is
   * looked up for it meanwhile counts only once the caller is there
   * @throws the refusal of a bad credential
   */
  readonly caller: (presuming?: (principalId: string) => void) => Promise<Caller>;
  /** Whether the request brings no credential at all. */
  readonly anonymous?: boolean;
  /** Set where others cause what is asked, as for an event of a subscription: no rate of the caller's pays for it. */
  readonly causedByOthers?: true;
  /** The credential headers as they came, for doors that read them in an order of their own. */
  readonly credentials: Credentials;
  /** The same request with these credentials alone, for doors where one of them decides whatever else came. */
  readonly withCredentials?: (credentials: Credentials) => Context;
  /** Charges the client's address, which every look at a credential has to be paid with. @throws RATE_LIMITED */
  readonly chargeAddress: () => void;
  /** To be told that an organization's limits count this request, so that its address no longer does. */
  readonly onAdmitted?: () => void;
  /** To be told which project is addressed, once that is known: refusals tell of the platform's faults attributed to it. */
  readonly onProjectResolved?: (projectId: string) => void;
  /** To be told which project's the answer is: its large ones are counted together. */
  readonly onOwnerResolved?: (projectId: string) => void;
  /** Which project the request is counted for; absent where it is none of its own, as for an event of a subscription. */
  readonly subject?: Subject;
  /** Where the request can pay for what it asks; absent where it cannot, as on a socket. */
  readonly paymentContext?: PaymentContext;
  /** Sets a header of the answer, unless that has begun; absent where an answer has none, as on a socket. */
  readonly setHeader?: (name: string, value: string) => void;
  /** To be told how far the work has come, by what knows its steps; absent where no client listens. */
  readonly progress?: ((step: WorkProgress) => void) | undefined;
  /** What of SQL was answered so far: the fields of one request share what one answer may have. */
  readonly answered?: { bytes: number; values: number };
  /** Aborted when no client waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the caller has said that the answer is not wanted: what is made for others too, and for who comes back,
   * ends by this alone. Absent where that cannot be said.
   */
  readonly cancelled?: AbortSignal | undefined;
}
