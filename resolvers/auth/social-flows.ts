import type { Person } from '../../engines/sign-in/identity-provider.ts';
import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';

export const flowModes = ['redirect', 'popup'] as const;

/** How long a user may take at the provider, in seconds. Contract 01, section 3.5. */
export const flowSeconds = 600;
/** How long the application may take to trade the code, in seconds. Contract 01, section 3.3. */
const codeSeconds = 60;

/** A social sign-in under way. */
export interface SocialFlow {
  readonly id: string;
  readonly provider: string;
  readonly redirect_uri: string;
  readonly redirect_url: string;
  readonly mode: (typeof flowModes)[number];
  readonly code_challenge: string;
  readonly client_state: string | null;
  /** Who links a social account; null for a sign-in. */
  readonly user_id: string | null;
  readonly session_id: string | null;
}

/** A social sign-in whose code was traded. */
export interface ReturnedFlow extends SocialFlow {
  readonly person: Person;
}

/** Begins a social sign-in. */
export async function beginFlow(
  services: Services,
  target: ProjectTarget,
  stateHash: string,
  flow: Omit<SocialFlow, 'id'>,
): Promise<void> {
  await authRow(services, target, beginStatement, [stateHash, JSON.stringify(flow)]);
}

/** Uses up the state that a provider brought back, once however many try at once. */
export const returnFlow = (
  services: Services,
  target: ProjectTarget,
  { provider, stateHash }: { readonly provider: string; readonly stateHash: string },
): Promise<SocialFlow | undefined> => authRow<SocialFlow>(services, target, returnStatement, [stateHash, provider]);

/** Keeps who came back, for whoever shows the code. */
export async function keepPerson(
  services: Services,
  target: ProjectTarget,
  id: string,
  { codeHash, person }: { readonly codeHash: string; readonly person: Person },
): Promise<void> {
  await authRow(services, target, keepStatement, [id, codeHash, JSON.stringify(person)]);
}

/** Takes what a code stands for; nothing of it stays. */
export const takeFlow = (
  services: Services,
  target: ProjectTarget,
  codeHash: string,
): Promise<ReturnedFlow | undefined> => authRow<ReturnedFlow>(services, target, takeStatement, [codeHash]);

const flowJson = (alias: string) => `to_jsonb(${alias}) - 'state_hash' - 'code_hash'`;

const beginStatement: AuthStatement = {
  name: 'social_begin',
  // Whoever begins sweeps up a few of those that nobody will end.
  text: `with swept as (
      delete from auth.social_flows where id in (
        select id from auth.social_flows where expires_at < now() order by expires_at limit 10 for update skip locked)
    )
    insert into auth.social_flows
      (state_hash, provider, redirect_uri, redirect_url, mode, code_challenge, client_state, user_id, session_id, expires_at)
    select $1, f.provider, f.redirect_uri, f.redirect_url, f.mode, f.code_challenge, f.client_state, f.user_id,
      f.session_id, now() + interval '${flowSeconds} seconds'
    from jsonb_to_record($2::jsonb) as f(provider text, redirect_uri text, redirect_url text, mode text,
      code_challenge text, client_state text, user_id uuid, session_id uuid)
    returning to_json(id)`,
};

const returnStatement: AuthStatement = {
  name: 'social_return',
  text: `update auth.social_flows f set returned_at = now()
    where state_hash = $1 and provider = $2 and returned_at is null and expires_at > now() returning ${flowJson('f')}`,
};

const keepStatement: AuthStatement = {
  name: 'social_keep',
  text: `update auth.social_flows set code_hash = $2, person = $3::jsonb, expires_at = now() + interval '${codeSeconds} seconds'
    where id = $1::uuid returning to_json(id)`,
};

const takeStatement: AuthStatement = {
  name: 'social_take',
  text: `with taken as (delete from auth.social_flows where code_hash = $1 returning *)
    select ${flowJson('taken')} from taken where expires_at > now()`,
};
