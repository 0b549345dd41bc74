import { authGroup } from './auth.ts';

/** Ceremonies with passkeys that are under way: what an authenticator was asked to sign, for whom and where. */
export const passkeyStatements: readonly string[] = [
  `create table auth.passkey_challenges (
    id uuid primary key default gen_random_uuid(),
    purpose text not null check (purpose in ('register', 'login')),
    challenge text not null,
    rp_id text not null,
    origin text not null,
    -- Whose passkey is being registered, and in which session; null for a sign-in.
    session_id uuid references auth.sessions on delete cascade,
    -- Whose sign-in it is to be, where that was told; it need not be the address of anybody.
    email text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    check ((purpose = 'register') = (session_id is not null))
  )`,
  'create index passkey_challenges_expiry_idx on auth.passkey_challenges (expires_at)',
  'create index passkey_challenges_session_idx on auth.passkey_challenges (session_id)',
  // When the passkey of a session was shown: a later proof of another kind moves `auth_time`, and not this.
  'alter table auth.sessions add column passkey_time timestamptz',
  'create index sessions_passkey_idx on auth.sessions (passkey_id)',
  `grant select, insert, update, delete on auth.passkey_challenges to ${authGroup}`,
];
