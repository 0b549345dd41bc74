import { createdAt, id, moment } from '../columns.ts';
import { index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from '../drizzle.ts';

/** Who acts: a human, an agent or a CI job. Authority is never here, only in memberships and grants. */
export const principals = pgTable('principals', {
  id: id().primaryKey(),
  type: text('type').$type<'human' | 'agent' | 'ci'>().notNull(),
  displayName: text('display_name'),
  createdAt: createdAt(),
  /** Set: the principal fails every later authentication. */
  disabledAt: moment('disabled_at'),
});

/** How a principal proves itself: by a wallet, or as people do by a mail address, a passkey or a social account. */
export const authenticators = pgTable(
  'authenticators',
  {
    id: uuid('id').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    kind: text('kind').$type<'wallet' | 'email' | 'passkey' | 'oauth' | 'delegate'>().notNull(),
    /** The public half: a wallet's lower-case address, a mail address, a credential id, `provider:subject`. */
    publicSubject: text('public_subject').notNull(),
    createdAt: createdAt(),
    /** When the principal proved that the subject is its own; null for an address that was only invited. */
    verifiedAt: moment('verified_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    // One wallet is one principal; also the look-up of every signed request.
    uniqueIndex('authenticators_subject_uq').on(t.kind, t.publicSubject),
    index('authenticators_principal_idx').on(t.principalId),
  ],
);

/** Nonces that a wallet has spent on a change; kept until the signature could no longer be valid. */
export const walletNonces = pgTable(
  'wallet_nonces',
  {
    address: text('address').notNull(),
    nonce: text('nonce').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.address, t.nonce] }), index('wallet_nonces_expiry_idx').on(t.expiresAt)],
);

/** Human sessions: control plane (may write) and operator (reads only). The bearer is a JWT that names the row. */
export const sessions = pgTable(
  'sessions',
  {
    id: id().primaryKey(),
    kind: text('kind').$type<'control_plane' | 'operator'>().notNull(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    email: text('email'),
    provenance: text('provenance').notNull(),
    /** Sign-in method to the second of its last proof, for step-up: `{ "passkey": 1741340000 }`. */
    amrTimes: jsonb('amr_times').$type<Record<string, number>>().notNull(),
    createdAt: createdAt(),
    absoluteExpiresAt: moment('absolute_expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** SHA-256 of what its cookie holds besides its id; null for a session without one. */
    secretHash: text('secret_hash'),
    /** Noted once a minute at most. Idle life counts from here. */
    lastUsedAt: moment('last_used_at').notNull().defaultNow(),
    /** Authenticators that it was begun or made fresh with: it ends with any of them. Null when that was not noted. */
    provenBy: text('proven_by').array(),
    /** What it is used from, in words for its person: `Firefox on Linux`, the name of a device; null for no word. */
    client: text('client'),
  },
  (t) => [
    index('sessions_principal_idx').on(t.principalId),
    // What retention looks for.
    index('sessions_ends_idx').on(t.absoluteExpiresAt),
  ],
);

/** Approvals of exactly one (action, target), bound to the session that asked. Only the token's hash is kept. */
export const writeApprovals = pgTable(
  'write_approvals',
  {
    id: id().primaryKey(),
    sessionId: id('session_id')
      .notNull()
      .references(() => sessions.id),
    tokenHash: text('token_hash').notNull(),
    action: text('action').notNull(),
    targetId: text('target_id').notNull(),
    createdAt: createdAt(),
    /** Idle life counts from here. */
    lastUsedAt: moment('last_used_at').notNull().defaultNow(),
    absoluteExpiresAt: moment('absolute_expires_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    uniqueIndex('write_approvals_token_uq').on(t.tokenHash),
    // What a person's list of them asks for.
    index('write_approvals_session_idx').on(t.sessionId),
    // What retention looks for.
    index('write_approvals_ends_idx').on(t.absoluteExpiresAt),
  ],
);

export type Principal = typeof principals.$inferSelect;
