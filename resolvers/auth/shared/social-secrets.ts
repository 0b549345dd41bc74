import { randomBytes } from 'node:crypto';
import { projectIdPattern } from '../../../core/ids.ts';
import type { Passage } from '../../../engines/sign-in/identity-provider.ts';
import type { Services } from '../../../kernel/run/context.ts';

/**
 * What the provider brings back: the project, since all projects share one address there, and a secret that names the
 * sign-in.
 */
export function newState({ keys }: Pick<Services, 'keys'>, projectId: string): string {
  const secret = randomBytes(24);
  return `${projectId}.${Buffer.concat([secret, keys.mac('social-sign-in', secret).subarray(0, tagBytes)]).toString('base64url')}`;
}

/** Bytes of a state by which it is known under which root it was made. */
const tagBytes = 8;

/** The project that a state names; whether it ever began there is for the project to say. */
export function projectOfState(state: string): string | undefined {
  const [, projectId] = /^([^.]{1,80})\.[A-Za-z0-9_-]{43}$/.exec(state) ?? [];
  return projectId !== undefined && projectIdPattern.test(projectId) ? projectId : undefined;
}

/** What the application trades for a session. */
export const newFlowCode = (): string => `svco_${randomBytes(32).toString('base64url')}`;

/**
 * Made from the state and a key that never leaves the server, so that neither has to be kept anywhere: the key of the
 * root under which the state was made, which may have been rotated since.
 */
export function passageOf({ keys }: Pick<Services, 'keys'>, state: string, redirectUri: string): Passage {
  const bytes = Buffer.from(state.slice(state.indexOf('.') + 1), 'base64url');
  const tag = bytes.subarray(-tagBytes);
  const tags = keys.macs('social-sign-in', bytes.subarray(0, -tagBytes));
  const root = Math.max(
    0,
    tags.findIndex((mac) => mac.subarray(0, tagBytes).equals(tag)),
  );
  const derived = (use: string) => keys.macs('social-sign-in', `${use}:${state}`)[root]!.toString('base64url');
  return { redirectUri, state, nonce: derived('nonce'), codeVerifier: derived('code_verifier') };
}
