import { authGroup } from './auth.ts';

/**
 * Social sign-ins under way. A row is made at the start, gets who came back from the
 * provider, and goes when the application trades its code. Of state and code there are hashes alone.
 */
export const socialStatements: readonly string[] = [
  `create table auth.social_flows (
    id uuid primary key default gen_random_uuid(),
    provider text not null,
    -- Of the state that the provider brings back.
    state_hash text not null unique,
    -- Where the provider sends the browser back to: told twice, and the same each time.
    redirect_uri text not null,
    -- Where the application gets its code.
    redirect_url text not null,
    mode text not null check (mode in ('redirect', 'popup')),
    code_challenge text not null,
    client_state text,
    -- Who links a social account, and in which session; null for a sign-in.
    user_id uuid references auth.users on delete cascade,
    session_id uuid references auth.sessions on delete cascade,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    -- Once the provider has sent somebody back.
    returned_at timestamptz,
    code_hash text unique,
    person jsonb,
    check ((user_id is null) = (session_id is null))
  )`,
  'create index social_flows_expiry_idx on auth.social_flows (expires_at)',
  'create index social_flows_user_idx on auth.social_flows (user_id) where user_id is not null',
  'create index social_flows_session_idx on auth.social_flows (session_id) where session_id is not null',
  `grant select, insert, update, delete on auth.social_flows to ${authGroup}`,
];
