import type { Cli } from './cli.ts';
import { local, runCommand } from './failure.ts';
import { keepKeys, keptKeys } from './files/project-keys.ts';
import { apiBase } from './net/api-base.ts';
import { bearer, type Credential } from './net/credential.ts';
import { call } from './net/gateway.ts';

export type KeyKind = 'anon' | 'service';

/**
 * A key of a project: of the environment, or kept on this machine. Nothing is asked of any gateway.
 *
 * @throws PROJECT_CREDENTIAL_NOT_FOUND
 */
export async function projectKey(cli: Cli, project: string, kind: KeyKind): Promise<string> {
  const { env } = cli;
  const named = kind === 'anon' ? env.SVC_ANON_KEY : env.SVC_SERVICE_KEY;
  if (named !== undefined && (env.SVC_PROJECT_ID === undefined || env.SVC_PROJECT_ID === project)) return named;
  const kept = (await keptKeys(cli, (await apiBase(cli)).url))[project];
  const key = kind === 'anon' ? kept?.anon_key : kept?.service_key;
  if (key !== undefined) return key;
  throw local('PROJECT_CREDENTIAL_NOT_FOUND', `No ${kind} key of ${project} is kept on this machine.`, {
    details: { project_id: project, kind },
    nextActions: [
      runCommand(
        `svc projects keys --project ${project}`,
        'It fetches the keys, for who may read them, and keeps them.',
      ),
    ],
  });
}

/** The service key as a credential of a path that takes a bearer. */
export const keyCredential = async (cli: Cli, project: string, kind: KeyKind): Promise<Credential> =>
  bearer('service_key', await projectKey(cli, project, kind));

/** A key in the header of the data plane, beside a user's token if there is one. */
export async function apikeyCredential(
  cli: Cli,
  project: string,
  kind: KeyKind,
  userToken?: string,
): Promise<Credential> {
  const headers: Record<string, string> = { apikey: await projectKey(cli, project, kind) };
  if (userToken !== undefined) headers.authorization = `Bearer ${userToken}`;
  return { kind: 'service_key', headers };
}

/** Asks the gateway for a project's keys, and keeps them. */
export async function fetchKeys(cli: Cli, project: string): Promise<{ anon_key: string; service_key: string }> {
  const { body } = await call<{ anon_key: string; service_key: string }>(cli, {
    method: 'GET',
    path: `/projects/v1/${project}/keys`,
    project,
  });
  const { anon_key, service_key } = body;
  await keepKeys(cli, (await apiBase(cli)).url, project, { anon_key, service_key });
  return { anon_key, service_key };
}

/** A key as it may be shown: enough to tell it from others. */
export const shownKey = (key: string | undefined): string | null =>
  key === undefined ? null : `${key.slice(0, 6)}…${key.slice(-4)}`;
