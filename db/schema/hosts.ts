import { bytea, createdAt, id, moment } from '../columns.ts';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

/**
 * Names that projects are served under beside their generated one: subdomains of the platform domain that were claimed,
 * and domains of their own. A row is there for as long as the name is the project's for certain: a domain is entered
 * once it has been verified. Keyed by the name alone, since a name is one project's and requests know nothing else.
 */
export const hostNames = pgTable(
  'host_names',
  {
    /** The whole host name in lower case (Punycode), without a port or a final dot. */
    name: text('name').primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('host_names_project_idx').on(t.orgId, t.projectId)],
);

/**
 * Names below the platform's domain that projects have claimed, and those that were given up and rest: for some days only
 * the organization that had a name may claim it again, so that nobody inherits the links and cookies of another's visitors.
 */
export const subdomains = pgTable(
  'subdomains',
  {
    /** The one label before the platform's domain, in lower case. */
    name: text('name').primaryKey(),
    orgId: uuid('org_id').notNull(),
    /** Null while the name rests. */
    projectId: id('project_id'),
    /** The deployment that the name was last pointed to, `dpl_…`. */
    deploymentId: text('deployment_id'),
    /** Set while the name rests: from then on anybody may claim it. */
    restsUntil: moment('rests_until'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('subdomains_project_idx').on(t.orgId, t.projectId),
    // Housekeeping removes names that have rested.
    index('subdomains_rests_idx').on(t.restsUntil).where(sql`${t.restsUntil} is not null`),
    check('subdomains_rests', sql`(${t.projectId} is null) = (${t.restsUntil} is not null)`),
  ],
);

/** What the owner of a domain wants of it. Contract 03, section 5.3. */
export interface DesiredDomain {
  readonly authority: 'manual_dns';
  readonly web: { readonly enabled: boolean; readonly target?: string | undefined; readonly role: 'primary' | 'alias' };
  /** Absent before anything of mail was wanted. */
  readonly email?: DesiredMail;
}

/** How mail comes in below a domain. Contract 03, section 5.3. */
export type ReceiveStrategy = 'outbound_only' | 'forwarding_mode' | 'subdomain_mode' | 'full_receive_takeover';

/** What is wanted of mail below a domain, as clients send it. */
export interface DesiredMail {
  readonly send: { readonly enabled: boolean };
  readonly receive: {
    readonly enabled: boolean;
    readonly strategy: ReceiveStrategy | 'auto';
    /** What `auto` comes to; absent before the domain was looked at. */
    readonly resolved_strategy?: ReceiveStrategy;
    /** Of the mail servers that the domain had when that was decided; absent where it had none. */
    readonly observed_mx_fingerprint?: string;
    /** The label below which addresses are in `subdomain_mode`. */
    readonly mail_subdomain: string;
  };
  readonly mailbox_addresses: {
    readonly mode: 'primary' | 'alias' | 'managed' | 'none';
    readonly addresses: readonly { readonly local_part: string; readonly mailbox_slug: string }[];
  };
  readonly activation: 'automatic_when_ready' | 'manual';
}

/** What the domain name system said of a domain, the last time that it answered all that was asked. */
export interface ObservedDomain {
  /** Moment of the look, ISO 8601. */
  readonly at: string;
  /** Texts at the name that proves who owns the domain. */
  readonly texts: readonly string[];
  /** Where the domain is an alias of. */
  readonly alias: string | null;
  readonly addresses: readonly string[];
  /** Where the domain has to lead. */
  readonly targetAddresses: readonly string[];
  /** Whether a zone begins at the domain. */
  readonly beginsZone: boolean;
  /** Absent where nothing of mail was wanted. */
  readonly mail?: ObservedMail;
}

/** What name servers said of the mail of a domain. */
export interface ObservedMail {
  /** Mail servers of the domain, and of its subdomain for mail. */
  readonly exchangers: { readonly domain: readonly string[]; readonly subdomain: readonly string[] };
  /** Texts at the name of the project's key. */
  readonly dkim: readonly string[];
  /** Texts that begin like a policy of their kind. */
  readonly spf: readonly string[];
  readonly dmarc: readonly string[];
}

/** Why a domain does not serve before it is repaired. */
export type DomainFailure = 'ownership_lost' | 'taken_over';

/**
 * Domains that projects want to be served under. Several may want one; it is in {@link hostNames} for the project that has
 * proven, by a record that only the domain's owner can set, that it is its own.
 */
export const projectDomains = pgTable(
  'project_domains',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** In lower case (Punycode). */
    name: text('name').notNull(),
    desired: jsonb('desired').$type<DesiredDomain>().notNull(),
    /** What the owner puts into the domain to prove that it is its own; no secret. */
    token: text('token').notNull(),
    observed: jsonb('observed').$type<ObservedDomain>(),
    /** Whether the last look that was answered saw it lead to the gateway: a certificate is ordered for no other. */
    leadsHere: boolean('leads_here').notNull().default(false),
    /** When it was looked at last, whatever was answered. */
    checkedAt: moment('checked_at'),
    /** Set when the last look was not answered, so that `observed` is older. */
    unanswered: boolean('unanswered').notNull().default(false),
    /** Since when it is in `host_names` for the project. */
    boundAt: moment('bound_at'),
    /** When all that is wanted was right for the first time: what is wrong after that has drifted. */
    activeAt: moment('active_at'),
    /** Since when the proof of a bound domain is gone. */
    unprovenSince: moment('unproven_since'),
    failure: text('failure').$type<DomainFailure>(),
    /** What mail of the domain is signed with: the public half, base64 of its SubjectPublicKeyInfo. Null before it sends. */
    dkimPublicKey: text('dkim_public_key'),
    /** The private half in PEM, sealed under the key ring for this project and domain. */
    sealedDkimKey: bytea('sealed_dkim_key'),
    /** When the gateway looks again by itself. */
    nextCheckAt: moment('next_check_at').notNull().defaultNow(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.name] }),
    // The background check takes `where next_check_at <= now() order by next_check_at`.
    index('project_domains_due_idx').on(t.nextCheckAt),
    // Who else wants a name.
    index('project_domains_name_idx').on(t.name),
  ],
);

/** Certificates that the gateway has ordered, or is to order, for hosts. */
export const hostCertificates = pgTable(
  'host_certificates',
  {
    host: text('host').primaryKey(),
    /** In PEM, with those that it rests on; null before the first. */
    chain: text('chain'),
    /** The private key, sealed under the key ring for this host. */
    sealedKey: bytea('sealed_key'),
    notAfter: moment('not_after'),
    /** Orders that have failed since the last that did not. */
    failures: integer('failures').notNull().default(0),
    /** Why the last one failed, in words of the authority. */
    problem: text('problem'),
    /** When the next one is begun at the soonest: for what is there, its renewal. */
    nextOrderAt: moment('next_order_at').notNull().defaultNow(),
    /** When the last one was begun. */
    orderedAt: moment('ordered_at'),
    /** Until when a node works on it. */
    leaseUntil: moment('lease_until'),
    createdAt: createdAt(),
  },
  (t) => [
    // The job takes `where next_order_at <= now() order by next_order_at`.
    index('host_certificates_due_idx').on(t.nextOrderAt),
    // How many were ordered lately.
    index('host_certificates_ordered_idx').on(t.orderedAt),
  ],
);

/** The installation's accounts with certificate authorities. */
export const acmeAccounts = pgTable('acme_accounts', {
  directoryUrl: text('directory_url').primaryKey(),
  /** The private key, sealed under the key ring for this directory. */
  sealedKey: bytea('sealed_key').notNull(),
  /** Where the authority keeps the account; null before it is registered. */
  accountUrl: text('account_url'),
  /** No order is begun before: the authority has asked for patience. */
  pausedUntil: moment('paused_until'),
  createdAt: createdAt(),
});

/** Proofs that authorities look for at hosts, whichever node they reach. */
export const acmeChallenges = pgTable(
  'acme_challenges',
  {
    token: text('token').primaryKey(),
    host: text('host').notNull(),
    /** What is answered under the token. */
    answer: text('answer').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('acme_challenges_expires_idx').on(t.expiresAt)],
);
