import { countedWindow, createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from '../drizzle.ts';
import { principals, sessions } from './identity.ts';
import { orgs } from './orgs.ts';

/** Passkeys of people. Those that sign in have a row of `authenticators` with the same id. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    /** `contact`: it proves that a human is behind an operator contact, and signs no person in. */
    use: text('use').$type<'sign_in' | 'contact'>().notNull(),
    /** In base64url, as browsers write it. */
    credentialId: text('credential_id').notNull(),
    /** COSE, in base64url. */
    publicKey: text('public_key').notNull(),
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    rpId: text('rp_id').notNull(),
    transports: jsonb('transports').$type<string[]>().notNull().default([]),
    deviceType: text('device_type').notNull(),
    backedUp: boolean('backed_up').notNull(),
    label: text('label'),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [uniqueIndex('passkeys_credential_uq').on(t.credentialId), index('passkeys_principal_idx').on(t.principalId)],
);

/** What an authenticator was asked to sign: answered once, within minutes. */
export const ceremonyChallenges = pgTable(
  'ceremony_challenges',
  {
    id: uuid('id').primaryKey(),
    /** In base64url: the answer names it. */
    challenge: text('challenge').notNull(),
    purpose: text('purpose').notNull(),
    rpId: text('rp_id').notNull(),
    origin: text('origin').notNull(),
    /** The session that began it; null for a sign-in. */
    sessionId: id('session_id').references(() => sessions.id),
    principalId: id('principal_id').references(() => principals.id),
    /** What it is about besides: the address that signs in, the approval, the link. */
    subject: text('subject'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [
    uniqueIndex('ceremony_challenges_challenge_uq').on(t.challenge),
    index('ceremony_challenges_expires_idx').on(t.expiresAt),
  ],
);

/** Links that were mailed: good once. */
export const mailedLinks = pgTable(
  'mailed_links',
  {
    /** SHA-256. */
    tokenHash: text('token_hash').primaryKey(),
    purpose: text('purpose').$type<'control_plane' | 'operator' | 'add_email' | 'contact_passkey'>().notNull(),
    /** Normalised. */
    email: text('email').notNull(),
    /** Who asked, where that is known; null for a sign-in. */
    principalId: id('principal_id').references(() => principals.id),
    /** Path of this server that the browser goes on to. */
    returnTo: text('return_to'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [index('mailed_links_expires_idx').on(t.expiresAt)],
);

/** Device authorizations (RFC 8628). */
export const deviceFlows = pgTable(
  'device_flows',
  {
    /** SHA-256 of the device code. */
    deviceHash: text('device_hash').primaryKey(),
    /** What a person types in; worth nothing without a session. */
    userCode: text('user_code').notNull(),
    clientName: text('client_name'),
    /** Seconds between two polls; grows with each that comes too soon. */
    intervalSeconds: integer('interval_seconds').notNull(),
    polledAt: moment('polled_at'),
    decision: text('decision').$type<'approve' | 'deny'>(),
    principalId: id('principal_id').references(() => principals.id),
    email: text('email'),
    amrTimes: jsonb('amr_times').$type<Record<string, number>>(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    redeemedAt: moment('redeemed_at'),
    /** Authenticators of the session that decided. */
    provenBy: text('proven_by').array(),
  },
  (t) => [uniqueIndex('device_flows_user_code_uq').on(t.userCode), index('device_flows_expires_idx').on(t.expiresAt)],
);

/** Sign-ins of a command line by way of a browser, with PKCE. */
export const loopbackFlows = pgTable(
  'loopback_flows',
  {
    id: uuid('id').primaryKey(),
    redirectUri: text('redirect_uri').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    state: text('state').notNull(),
    nonce: text('nonce'),
    /** Null until a person approved. */
    principalId: id('principal_id').references(() => principals.id),
    email: text('email'),
    amrTimes: jsonb('amr_times').$type<Record<string, number>>(),
    /** SHA-256; null until a person approved. */
    codeHash: text('code_hash'),
    codeExpiresAt: moment('code_expires_at'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    redeemedAt: moment('redeemed_at'),
    /** Authenticators of the session that decided. */
    provenBy: text('proven_by').array(),
  },
  (t) => [uniqueIndex('loopback_flows_code_uq').on(t.codeHash), index('loopback_flows_expires_idx').on(t.expiresAt)],
);

/** Write approvals on their way: asked for by a session, confirmed with a passkey, fetched with a code and PKCE. */
export const approvalChallenges = pgTable(
  'approval_challenges',
  {
    id: uuid('id').primaryKey(),
    sessionId: id('session_id')
      .notNull()
      .references(() => sessions.id),
    action: text('action').notNull(),
    targetId: text('target_id').notNull(),
    redirectUri: text('redirect_uri'),
    codeChallenge: text('code_challenge').notNull(),
    state: text('state').notNull(),
    codeHash: text('code_hash'),
    codeExpiresAt: moment('code_expires_at'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    redeemedAt: moment('redeemed_at'),
  },
  (t) => [
    uniqueIndex('approval_challenges_code_uq').on(t.codeHash),
    index('approval_challenges_session_idx').on(t.sessionId),
    index('approval_challenges_expires_idx').on(t.expiresAt),
  ],
);

/** Codes for a person who has lost every other way to sign in. Each is good once, and until new ones are issued. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    /** SHA-256. */
    codeHash: text('code_hash').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    createdAt: createdAt(),
    usedAt: moment('used_at'),
  },
  (t) => [index('recovery_codes_principal_idx').on(t.principalId)],
);

/** A person's claim to what a wallet owns: the wallet signs the nonce. */
export const walletClaims = pgTable(
  'wallet_claims',
  {
    id: uuid('id').primaryKey(),
    sessionId: id('session_id')
      .notNull()
      .references(() => sessions.id),
    wallet: text('wallet').notNull(),
    nonce: text('nonce').notNull(),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [uniqueIndex('wallet_claims_nonce_uq').on(t.nonce), index('wallet_claims_expires_idx').on(t.expiresAt)],
);

/** Sign-ins of people by a social account that are under way. */
export const oauthFlows = pgTable(
  'oauth_flows',
  {
    /** SHA-256. */
    stateHash: text('state_hash').primaryKey(),
    provider: text('provider').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    returnTo: text('return_to'),
    /** SHA-256 of what the cookie of the browser holds that began it. */
    browserHash: text('browser_hash').notNull(),
    /** The session that links the account to its principal; null for a sign-in. */
    sessionId: id('session_id').references(() => sessions.id),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (t) => [index('oauth_flows_expires_idx').on(t.expiresAt)],
);

/** How often something was tried, in windows that hold across nodes. */
export const signInTries = pgTable('sign_in_tries', countedWindow(), (t) => [
  index('sign_in_tries_ends_idx').on(t.windowEnds),
]);

/** Whether an owner who loses access could recover it, as last reported. */
export const orgRecoveryPostures = pgTable('org_recovery_postures', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  controlPlaneConfigured: boolean('control_plane_configured').notNull(),
  sourceBackupConfigured: boolean('source_backup_configured').notNull(),
  custodyLegacyPresent: boolean('custody_legacy_present').notNull(),
  changedAt: moment('changed_at').notNull().defaultNow(),
});
