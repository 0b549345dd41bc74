/**
 * The group whose members alone read and write the tables of `auth`: the gateway's own login is in it, and no role that
 * tenant SQL can become.
 */
export const authGroup = 'svc_auth';

/**
 * Sign-in of a project's users. Tenant SQL reaches none of these tables: the common
 * roles may use the schema for its helper functions, and have no right on anything else in it. Of every secret there is
 * a hash alone, and of signing keys a sealed form.
 */
export const authStatements: readonly string[] = [
  `create table auth.users (
    id uuid primary key default gen_random_uuid(),
    -- Trimmed and in lower case: compared as it is.
    email text not null unique check (octet_length(email) between 3 and 254),
    -- Argon2id in the PHC form; null for who signs in otherwise.
    password_hash text,
    display_name text,
    avatar_url text,
    email_verified_at timestamptz,
    is_admin boolean not null default false,
    -- Raised when the role changes: tokens that carry an older one have lost it.
    authz_version integer not null default 1,
    is_test boolean not null default false,
    last_sign_in_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  `create table auth.identities (
    provider text not null,
    provider_sub text not null,
    user_id uuid not null references auth.users on delete cascade,
    provider_email text,
    created_at timestamptz not null default now(),
    primary key (provider, provider_sub)
  )`,
  'create index identities_user_idx on auth.identities (user_id)',
  `create table auth.passkeys (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references auth.users on delete cascade,
    credential_id bytea not null unique,
    public_key bytea not null,
    sign_count bigint not null default 0,
    rp_id text not null,
    created_origin text not null,
    last_used_origin text,
    transports text[] not null default '{}',
    label text,
    credential_device_type text,
    credential_backed_up boolean,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  'create index passkeys_user_idx on auth.passkeys (user_id)',
  `create table auth.sessions (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references auth.users on delete cascade,
    created_at timestamptz not null default now(),
    -- The last primary authentication; a refresh keeps it.
    auth_time timestamptz not null default now(),
    amr text[] not null,
    aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
    -- Whose identity it began with, for social sign-in.
    provider text,
    passkey_id uuid references auth.passkeys on delete set null,
    -- Of the secret in a hosted cookie.
    secret_hash text,
    is_test boolean not null default false,
    last_refreshed_at timestamptz,
    expires_at timestamptz not null,
    hard_expires_at timestamptz not null,
    revoked_at timestamptz
  )`,
  'create index sessions_user_idx on auth.sessions (user_id)',
  `create table auth.refresh_tokens (
    token_hash text primary key,
    session_id uuid not null references auth.sessions on delete cascade,
    created_at timestamptz not null default now(),
    -- Kept once used: whoever shows it again ends the session.
    used_at timestamptz
  )`,
  'create index refresh_tokens_session_idx on auth.refresh_tokens (session_id)',
  `create table auth.challenges (
    id uuid primary key default gen_random_uuid(),
    email text not null,
    intent text not null check (intent in ('signin', 'invite', 'claim', 'recovery')),
    delivery text not null check (delivery in ('link', 'code', 'both')),
    redirect_url text,
    client_state text,
    state_source text not null check (state_source in ('anonymous', 'service_key')),
    -- Null until the mail is written.
    link_hash text unique,
    code_hash text,
    attempts integer not null default 0,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    -- Link and code are one challenge: using either uses both.
    used_at timestamptz
  )`,
  'create index challenges_expiry_idx on auth.challenges (expires_at)',
  `create table auth.throttles (
    key text primary key,
    count integer not null,
    window_ends timestamptz not null
  )`,
  'create index throttles_window_idx on auth.throttles (window_ends)',
  `create table auth.settings (
    singleton boolean primary key default true check (singleton),
    allow_password_set boolean not null default false,
    preferred_sign_in_method text,
    public_signup text not null default 'open' check (public_signup in ('open', 'known_email', 'invite_only')),
    require_passkey_for_project_admin boolean not null default false,
    allowed_email_domains text[] not null default '{}'
  )`,
  'insert into auth.settings default values',
  `create table auth.signing_keys (
    kid text primary key,
    public_jwk jsonb not null,
    sealed bytea not null,
    created_at timestamptz not null default now(),
    retired_at timestamptz
  )`,
  // One key signs; those before it are kept for tokens that are still good.
  'create unique index signing_keys_active_uq on auth.signing_keys ((true)) where retired_at is null',
  `create function auth.svc_user_id() returns text language sql stable as $$ select auth.claims()->>'sub' $$`,
  `grant usage on schema auth to ${authGroup}`,
  `grant select, insert, update, delete on all tables in schema auth to ${authGroup}`,
];
