import { randomBytes } from 'node:crypto';
import { projectIdPattern } from '../../core/ids.ts';
import type { Passage } from '../../engines/sign-in/identity-providers.ts';
import type { Services } from '../context.ts';

/**
 * What the provider brings back: the project, since all projects share one address there, and a secret that names the
 * sign-in.
 */
export const newState = (projectId: string): string => `${projectId}.${randomBytes(32).toString('base64url')}`;

/** The project that a state names; whether it ever began there is for the project to say. */
export function projectOfState(state: string): string | undefined {
  const [, projectId] = /^([^.]{1,80})\.[A-Za-z0-9_-]{43}$/.exec(state) ?? [];
  return projectId !== undefined && projectIdPattern.test(projectId) ? projectId : undefined;
}

/** What the application trades for a session. */
export const newFlowCode = (): string => `svco_${randomBytes(32).toString('base64url')}`;

/** Made from the state and a key that never leaves the server, so that neither has to be kept anywhere. */
export function passageOf({ keys }: Pick<Services, 'keys'>, state: string, redirectUri: string): Passage {
  const derived = (use: string) => keys.mac('social-sign-in', `${use}:${state}`).toString('base64url');
  return { redirectUri, state, nonce: derived('nonce'), codeVerifier: derived('code_verifier') };
}
