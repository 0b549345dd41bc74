import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject, toJson } from '../../db/json.ts';
import { named, socialFlows } from '../../db/project-schema/auth.ts';
import { allOf, computed, insertInto, pick, setOf, typed } from '../../db/sql.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import { swept } from './swept.ts';

/** How long a user may take at the provider, in seconds. Contract 01, section 3.5. */
export const flowSeconds = 600;
/** How long the application may take to trade the code, in seconds. Contract 01, section 3.3. */
const codeSeconds = 60;

const flowColumns = (of: typeof socialFlows) => asKept(allOf(of, ['stateHash', 'codeHash', 'person']));
const taken = named(socialFlows, 'taken');
const flowJson = jsonObject(flowColumns(socialFlows));
const returnedFlowJson = jsonObject({
  ...flowColumns(taken),
  person: computed<Person>('jsonb', sql`${taken.person}`),
});

/** A social sign-in that has begun. A user who links a social account is signed in; for a sign-in there is no user yet. */
export type SocialFlow = Answer<typeof flowJson>;

/** A social sign-in whose code was traded. */
export type ReturnedFlow = Answer<typeof returnedFlowJson>;

/** What a social sign-in begins with. */
export type NewFlow = Omit<SocialFlow, 'id' | 'created_at' | 'expires_at' | 'returned_at'>;

/** Begins a social sign-in. */
export async function beginFlow(
  services: Services,
  target: ProjectTarget,
  stateHash: string,
  flow: NewFlow,
): Promise<void> {
  const begin = beginStatement.with({
    stateHash,
    provider: flow.provider,
    redirectUri: flow.redirect_uri,
    redirectUrl: flow.redirect_url,
    mode: flow.mode,
    codeChallenge: flow.code_challenge,
    clientState: flow.client_state,
    userId: flow.user_id,
    sessionId: flow.session_id,
  });
  await authRow(services, target, begin);
}

/** Uses up the state that a provider brought back, once however many try at once. */
export const returnFlow = (
  services: Services,
  target: ProjectTarget,
  { provider, stateHash }: { readonly provider: string; readonly stateHash: string },
): Promise<SocialFlow | undefined> => authRow(services, target, returnStatement.with({ stateHash, provider }));

/** Stores the identity that the provider confirmed, for the holder of the code. */
export async function keepPerson(
  services: Services,
  target: ProjectTarget,
  id: string,
  { codeHash, person }: { readonly codeHash: string; readonly person: Person },
): Promise<void> {
  await authRow(services, target, keepStatement.with({ id, codeHash, person: JSON.stringify(person) }));
}

/** Takes the identity of a code and deletes it. */
export const takeFlow = (
  services: Services,
  target: ProjectTarget,
  codeHash: string,
): Promise<ReturnedFlow | undefined> => authRow(services, target, takeStatement.with({ codeHash }));

const beginStatement = authStatement(
  'social_begin',
  {
    params: pick(
      socialFlows,
      'stateHash',
      'provider',
      'redirectUri',
      'redirectUrl',
      'mode',
      'codeChallenge',
      'clientState',
      'userId',
      'sessionId',
    ),
    answer: toJson(socialFlows.id),
  },
  // Each start deletes a few that were abandoned.
  (given, answer) => sql`with ${swept(socialFlows, sql`${socialFlows.expiresAt}`)}
    ${insertInto(socialFlows, {
      ...given,
      expiresAt: sql`now() + interval '${sql.raw(String(flowSeconds))} seconds'`,
    })}
    returning ${answer}`,
);

const returnStatement = authStatement(
  'social_return',
  { params: pick(socialFlows, 'stateHash', 'provider'), answer: flowJson },
  ({ stateHash, provider }, answer) => sql`update ${socialFlows} ${setOf(socialFlows, { returnedAt: sql`now()` })}
    where ${socialFlows.stateHash} = ${stateHash} and ${socialFlows.provider} = ${provider}
      and ${socialFlows.returnedAt} is null and ${socialFlows.expiresAt} > now() returning ${answer}`,
);

const keepStatement = authStatement(
  'social_keep',
  {
    params: { id: socialFlows.id, codeHash: typed<string>('text'), person: typed<string>('jsonb') },
    answer: toJson(socialFlows.id),
  },
  ({ id, codeHash, person }, answer) => sql`update ${socialFlows} ${setOf(socialFlows, {
    codeHash,
    person,
    expiresAt: sql`now() + interval '${sql.raw(String(codeSeconds))} seconds'`,
  })}
    where ${socialFlows.id} = ${id} returning ${answer}`,
);

const takeStatement = authStatement(
  'social_take',
  { params: { codeHash: typed<string>('text') }, answer: returnedFlowJson },
  ({ codeHash }, answer) => sql`with taken as (
      delete from ${socialFlows} where ${socialFlows.codeHash} = ${codeHash} returning *)
    select ${answer} from taken where ${taken.expiresAt} > now()`,
);
