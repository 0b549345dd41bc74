import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { onProject } from '../../kernel/access/access.ts';
import type { Action } from '../../kernel/access/permissions.ts';
import { moment, projectId } from '../../kernel/input/fields.ts';
import { credentialKinds } from './credential-wire.ts';

/** An action on the project that every input of this family names. */
export const onItsProject = (action: Action) => onProject(action, ({ project }: { project: string }) => project);

export const kindInput = z.enum(credentialKinds);

/** Any text is an id that no credential has. */
export const onCredential = {
  project: projectId,
  credential: z.string().min(1).max(64).describe('Credential, for example `pcr_0kz3m`.'),
};

export const expiresAtInput = moment.nullish();

/** @throws VALIDATION_FAILED for an end that has come, or is more than a year away */
export function requireEnd(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null) return;
  if (expiresAt <= now) throw invalidField('expires_at', 'must be in the future');
  const most = new Date(now);
  most.setUTCFullYear(most.getUTCFullYear() + 1);
  if (expiresAt > most) throw invalidField('expires_at', 'must be a year away at most');
}
