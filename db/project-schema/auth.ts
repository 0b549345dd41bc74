import type { JWK } from 'jose';
import {
  alias,
  bigint,
  boolean,
  customType,
  integer,
  jsonb,
  type PgTable,
  pgSchema,
  text,
  timestamp,
  uuid,
} from '../drizzle.ts';

/**
 * Users of a project and what signs them in: the tables of `auth` in every project database, for statements that run there.
 *
 * The statements of `db/project-template` make them, version by version, and hold their keys, indexes and comments. A
 * test compares the columns here with those of a database that was made from the template.
 */
const auth = pgSchema('auth');

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const moment = <const Name extends string>(name: Name) => timestamp(name, { withTimezone: true });
const createdAt = () => moment('created_at').notNull().defaultNow();
const id = () => uuid('id').primaryKey().defaultRandom();

/** A table under another name in one statement. Its columns keep their types. */
export const named = <Of extends PgTable>(table: Of, name: string): Of => alias(table, name) as unknown as Of;

export const signInMethods = ['password', 'magic_link', 'oauth_google', 'passkey'] as const;
export const signupPolicies = ['open', 'known_email', 'invite_only'] as const;
export const intents = ['signin', 'invite', 'claim', 'recovery'] as const;
export const deliveries = ['link', 'code', 'both'] as const;
export const flowModes = ['redirect', 'popup'] as const;

export const users = auth.table('users', {
  id: id(),
  email: text('email').notNull(),
  passwordHash: text('password_hash'),
  displayName: text('display_name'),
  avatarUrl: text('avatar_url'),
  emailVerifiedAt: moment('email_verified_at'),
  isAdmin: boolean('is_admin').notNull().default(false),
  authzVersion: integer('authz_version').notNull().default(1),
  isTest: boolean('is_test').notNull().default(false),
  lastSignInAt: moment('last_sign_in_at'),
  createdAt: createdAt(),
  userMetadata: jsonb('user_metadata').$type<Readonly<Record<string, unknown>>>().notNull().default({}),
});

export const identities = auth.table('identities', {
  provider: text('provider').notNull(),
  providerSub: text('provider_sub').notNull(),
  userId: uuid('user_id').notNull(),
  providerEmail: text('provider_email'),
  createdAt: createdAt(),
});

export const passkeys = auth.table('passkeys', {
  id: id(),
  userId: uuid('user_id').notNull(),
  credentialId: bytea('credential_id').notNull(),
  publicKey: bytea('public_key').notNull(),
  signCount: bigint('sign_count', { mode: 'number' }).notNull().default(0),
  rpId: text('rp_id').notNull(),
  createdOrigin: text('created_origin').notNull(),
  lastUsedOrigin: text('last_used_origin'),
  transports: text('transports').array().notNull().default([]),
  label: text('label'),
  credentialDeviceType: text('credential_device_type'),
  credentialBackedUp: boolean('credential_backed_up'),
  createdAt: createdAt(),
  lastUsedAt: moment('last_used_at'),
});

export const sessions = auth.table('sessions', {
  id: id(),
  userId: uuid('user_id').notNull(),
  createdAt: createdAt(),
  authTime: moment('auth_time').notNull().defaultNow(),
  amr: text('amr').array().notNull(),
  aal: text('aal', { enum: ['aal1', 'aal2'] })
    .notNull()
    .default('aal1'),
  provider: text('provider'),
  passkeyId: uuid('passkey_id'),
  secretHash: text('secret_hash'),
  isTest: boolean('is_test').notNull().default(false),
  lastRefreshedAt: moment('last_refreshed_at'),
  expiresAt: moment('expires_at').notNull(),
  hardExpiresAt: moment('hard_expires_at').notNull(),
  revokedAt: moment('revoked_at'),
  passkeyTime: moment('passkey_time'),
});

export const refreshTokens = auth.table('refresh_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  sessionId: uuid('session_id').notNull(),
  createdAt: createdAt(),
  usedAt: moment('used_at'),
});

export const challenges = auth.table('challenges', {
  id: id(),
  email: text('email').notNull(),
  intent: text('intent', { enum: intents }).notNull(),
  delivery: text('delivery', { enum: deliveries }).notNull(),
  redirectUrl: text('redirect_url'),
  clientState: text('client_state'),
  stateSource: text('state_source', { enum: ['anonymous', 'service_key'] }).notNull(),
  linkHash: text('link_hash'),
  codeHash: text('code_hash'),
  attempts: integer('attempts').notNull().default(0),
  createdAt: createdAt(),
  expiresAt: moment('expires_at').notNull(),
  usedAt: moment('used_at'),
  createsUser: boolean('creates_user').notNull().default(true),
});

export const passkeyChallenges = auth.table('passkey_challenges', {
  id: id(),
  purpose: text('purpose', { enum: ['register', 'login'] }).notNull(),
  challenge: text('challenge').notNull(),
  rpId: text('rp_id').notNull(),
  origin: text('origin').notNull(),
  sessionId: uuid('session_id'),
  email: text('email'),
  createdAt: createdAt(),
  expiresAt: moment('expires_at').notNull(),
  usedAt: moment('used_at'),
});

export const socialFlows = auth.table('social_flows', {
  id: id(),
  provider: text('provider').notNull(),
  stateHash: text('state_hash').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  redirectUrl: text('redirect_url').notNull(),
  mode: text('mode', { enum: flowModes }).notNull(),
  codeChallenge: text('code_challenge').notNull(),
  clientState: text('client_state'),
  userId: uuid('user_id'),
  sessionId: uuid('session_id'),
  createdAt: createdAt(),
  expiresAt: moment('expires_at').notNull(),
  returnedAt: moment('returned_at'),
  codeHash: text('code_hash'),
  person: jsonb('person').$type<unknown>(),
});

export const throttles = auth.table('throttles', {
  key: text('key').primaryKey(),
  count: integer('count').notNull(),
  windowEnds: moment('window_ends').notNull(),
});

/** One row: what the project decides about sign-in. Answers list the settings in the order of these columns. */
export const settings = auth.table('settings', {
  singleton: boolean('singleton').primaryKey().default(true),
  publicSignup: text('public_signup', { enum: signupPolicies }).notNull().default('open'),
  allowPasswordSet: boolean('allow_password_set').notNull().default(false),
  allowedEmailDomains: text('allowed_email_domains').array().notNull().default([]),
  allowedRedirectUrls: text('allowed_redirect_urls').array().notNull().default([]),
  preferredSignInMethod: text('preferred_sign_in_method', { enum: signInMethods }),
  requirePasskeyForProjectAdmin: boolean('require_passkey_for_project_admin').notNull().default(false),
});

export const signingKeys = auth.table('signing_keys', {
  kid: text('kid').primaryKey(),
  publicJwk: jsonb('public_jwk').$type<JWK>().notNull(),
  sealed: bytea('sealed').notNull(),
  createdAt: createdAt(),
  retiredAt: moment('retired_at'),
});
