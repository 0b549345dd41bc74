import type { Org, Tier } from '../../db/schema/orgs.ts';
import type { Limits } from './tier-limits.ts';
import { tiers } from './tier-table.ts';

export const tierLimits: Readonly<Record<Tier, Limits>> = {
  prototype: tiers.prototype.limits,
  hobby: tiers.hobby.limits,
  team: tiers.team.limits,
};

export const limitNames = Object.keys(tierLimits.prototype) as readonly (keyof Limits)[];

/** Names of limits as documented JSON and inputs spell them. */
export const limitWireNames = {
  readsPerSecond: 'reads_per_second',
  readsBurst: 'reads_burst',
  writesPerSecond: 'writes_per_second',
  writesBurst: 'writes_burst',
  projects: 'projects',
  members: 'members',
  grantsPerProject: 'grants_per_project',
  delegatesPerProject: 'delegates_per_project',
  liveConnectionsPerProject: 'live_connections_per_project',
  apiCalls: 'api_calls',
  storageBytes: 'storage_bytes',
  secrets: 'secrets',
  messagesPerDay: 'messages_per_day',
  eventsPerDay: 'events_per_day',
  emailsPerDay: 'emails_per_day',
  mailRecipients: 'mail_recipients',
} as const satisfies Record<keyof Limits, string>;

/** Free organizations one owner may hold. Contract 01, section 6.2. */
export const freeOrgsPerOwner = 3;

/** What a caller may do outside any organization, and how often it may be refused inside one. */
export const outsideRate = { perSecond: 20, burst: 200 };

/**
 * What may come from one address without an organization whose limits count it: a caller is charged before its
 * credential is looked at, and gets the token back once admitted.
 */
export const addressRate = { perSecond: 1_000, burst: 10_000 };

/** What a wallet signature that does not hold costs its address: to refuse one takes 3 ms of a processor. */
export const badSignatureTokens = 20;

/** Wallets that one address may show for the first time: each leaves a principal behind for good. */
export const newcomerRate = { perSecond: 10, burst: 10_000 };

/** Mails with invitations that one organization may cause: they go to people who never asked for any. */
export const inviteMailRate = { perSecond: 0.05, burst: 200 };

/** Mails with offers of projects that one organization may cause, for the same reason. */
export const offerMailRate = { perSecond: 0.01, burst: 50 };

/** Hours until an invitation expires, unless told, and at most. Contract 01, section 6.5. */
export const inviteHours = { usual: 168, most: 8_760 } as const;

/** Pages that one principal may cause on one day in UTC, wherever. Contract 02, section 3.2. */
export const escalationsPerDay = 5;

/** Escalations of one organization that wait for an answer. */
export const openEscalations = 20;

/** Contacts of one organization. Contract 02, section 3.6. */
export const escalationContactsMax = 50;

/** Branches that one project may have at a time. Contract 03, section 7. */
export const branchesPerProject = 5;

/** Credentials of one project that are not revoked. */
export const credentialsPerProject = 50;

/** How often one organization may send feedback in a day. */
export const feedbackPerDay = 50;

/** Versions of one project that are published at a time. */
export const appVersionsPerProject = 50;

/** Names below the platform's domain that one project may have, and domains of its own. */
export const subdomainsPerProject = 10;
export const domainsPerProject = 25;

/**
 * Days for which a name that was given up rests. With the days until an organization is purged they make the 118 of
 * contract 03, section 5.2.
 */
export const subdomainRestDays = 14;

/** Mailboxes of one project, and days for which the address of a deleted one rests. Contract 02, section 6.2. */
export const mailboxesPerProject = 5;
export const mailboxRestDays = 30;

/** Mails that one mailbox may send in a minute. Contract 02, section 6.3. */
export const mailboxSendsPerMinute = 60;

/** Seconds between two tests of one address below an own domain: each is a mail of the platform's. */
export const receiveTestPauseSeconds = 60;

/** Webhooks of one mailbox. */
export const webhooksPerMailbox = 20;

/** Chats that a principal has notices told in, and rules of what is. */
export const chatBindingsMax = 20;
export const noticeRulesMax = 100;

/** Saved queries of one project, and what their SQL may amount to in bytes. */
export const savedQueriesMax = 500;
export const savedQueryBytesMax = 16 * 1024 * 1024;

/** How long a page waits for an answer before it climbs, in seconds. Contract 02, section 3.5. */
export const pageDeadlineSeconds = { normal: 7_200, high: 1_800 } as const;

/** How often the top of the ladder is paged again before an escalation rests open. */
export const topRepeats = 3;

/** Days for which the link in a page acknowledges. */
export const ackLinkDays = 30;

/** Mails that verify an operator's address: to one address, and on behalf of one principal. */
export const contactMails = { perHour: 5, pauseSeconds: 60 } as const;

/** Hours for which a mailed link verifies an address. */
export const contactLinkHours = 24;

/** Minutes between two mails with an invitation to the same address in one organization. */
export const inviteMailMinutes = 5;

/** Days after the end of its lease at which an organization enters each state. Contract 01, section 1.19. */
export const lifecycleDays = { past_due: 0, frozen: 14, dormant: 44, purged: 104 } as const;

/** Days an organization is dormant before it is purged, however long ago its lease ended: time to notice, and to undo. */
export const dormantDaysMin = 7;

/**
 * Slugs that rest for one organization at most. Each keeps a word from everybody else, and only the first claim costs
 * anything.
 */
export const restingSlugs = 3;

/** The limits that hold for an organization. Few have limits of their own, so most share their tier's. */
export function limitsOf({ tier, limitOverrides }: Pick<Org, 'tier' | 'limitOverrides'>): Limits {
  for (const _ in limitOverrides) return { ...tierLimits[tier], ...limitOverrides };
  return tierLimits[tier];
}

/** How often something may be tried in a project, counted in its database, so that it holds across nodes. */
export interface Throttle {
  readonly times: number;
  readonly seconds: number;
}

/** Tries of a project's users, by what is counted. Contract 01, section 1.20. */
export const signInThrottles = {
  /** Passwords tried for one address; a right one begins the count anew. */
  password: { times: 10, seconds: 900 },
  /** Passwords of all users tried from one network, right ones too: each takes a processor for a while. */
  passwordOfNetwork: { times: 300, seconds: 900 },
  /** Users that sign up from one network, and tries to. */
  signupOfNetwork: { times: 300, seconds: 900 },
  /** Refreshes of one session. */
  refresh: { times: 60, seconds: 900 },
  /** Sign-in mails to one address. */
  mailToAddress: { times: 5, seconds: 3_600 },
  /** Sign-in mails of one project that strangers ask for; and as many that its service key does. */
  mailOfProject: { times: 30, seconds: 3_600 },
  /** Sign-in mails of one project that are asked for where their users have signed in of late. */
  mailOfKnown: { times: 300, seconds: 3_600 },
  /** Codes entered on a project's own pages, from one network; and wrong ones entered for an address alone. */
  codeOfNetwork: { times: 30, seconds: 900 },
  /** Assertions tried with one passkey; a right one begins the count anew. */
  passkey: { times: 10, seconds: 900 },
  /** Registrations of passkeys that one user begins. */
  passkeyRegistration: { times: 30, seconds: 900 },
  /** Social sign-ins that one address may begin: each is kept until it ends or expires. */
  socialStart: { times: 300, seconds: 600 },
} as const satisfies Record<string, Throttle>;

/** Tries of people who sign in to the platform itself, counted in the control database. */
export const peopleThrottles = {
  /** Sign-in mails to one address. */
  mailToAddress: { times: 5, seconds: 3_600 },
  /** Sign-in mails that one network asks for. */
  mailOfNetwork: { times: 100, seconds: 3_600 },
  /** Passkey challenges that one network asks for. */
  passkeyOfNetwork: { times: 300, seconds: 900 },
  /** Assertions tried with one passkey from one network; a right one begins the count anew. */
  passkey: { times: 10, seconds: 900 },
  /** Codes tried from one network: of recovery, of a loopback, of an approval. */
  codeOfNetwork: { times: 60, seconds: 900 },
  /** Codes of devices that one person types in. */
  userCode: { times: 20, seconds: 900 },
  /** Device authorizations and loopback sign-ins that one network begins. */
  flowOfNetwork: { times: 300, seconds: 900 },
} as const satisfies Record<string, Throttle>;

/** Lifetimes of what a sign-in waits for, in minutes. Contract 01, section 5.14. */
export const signInMinutes = { link: 15, passkey: 5, flow: 10, code: 5, claim: 10, device: 10 } as const;

/** Seconds between two polls of a device, and what each that comes too soon adds. RFC 8628, section 3.5. */
export const devicePollSeconds = { usual: 5, more: 5 } as const;

/** Codes of recovery that are issued together. */
export const recoveryCodesIssued = 10;

/** How long a write approval lives, in minutes. Contract 01, section 1.10. */
export const approvalMinutes = { idle: 30, absolute: 240 } as const;

/** Passkeys of one user of a project. */
export const passkeysPerUser = 20;

/**
 * Requests of all clients to one project's own routes. Contract 01, section 1.20. It holds two reserves beyond one
 * second's requests, so that a caller who is alone has a second's worth at once in any case.
 */
export const reservedTokens = 20;
export const projectRate = { perSecond: 100, burst: 100 + 2 * reservedTokens };

/** Looks at the hosts of one project from outside: each asks a few pages of servers that may be others'. */
export const edgeRate = { perSecond: 2, burst: 20 };

/** What one network asks of a project before it gives way to others. */
export const networkShare = { perSecond: 20, burst: 40 };

/** Objects that one plan of content names. Contract 03, section 2.1. */
export const contentPerPlan = 10_000;

/** What may be uploaded to one project at a time with its anon key, which everybody has, in bytes. */
export const anonStagedBytes = 64 * 1024 * 1024;
