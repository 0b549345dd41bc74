import { z } from 'zod';
import type { RevokedBy } from '../../db/schema/project-credentials.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { expiresAtInput, onCredential, onItsProject, requireEnd } from './credential-input.ts';
import { type IssuedCredential, IssuedCredentialWire, issuedToWire } from './credential-wire.ts';
import { credentialActions } from './shared/actions.ts';
import { addCredential, endCredential } from './write-credential.ts';

/** `POST /projects/v1/:id/credentials/:credential_id/rotate`: never gated, since it also puts out a leaked key. */
export const rotateCredential = mutation({
  name: 'credentials.rotate',
  tool: 'rotate_project_credential',
  command: 'credentials rotate',
  path: 'POST /projects/v1/:project_id/credentials/:credential_id/rotate 201',
  effects: ['destructive'],
  summary: 'Put a new credential in the place of another, which ends at once. The new one is shown this once.',
  credentialBound: true,
  access: onItsProject(credentialActions['project:credentials:write']),
  stepUp: 'project.keys',
  input: z.object({
    ...onCredential,
    expires_at: expiresAtInput.describe('When the new one ends, with a time zone; when the old one did if absent.'),
  }),
  async handler(work, { credential: id, expires_at }): Promise<IssuedCredential> {
    const project = await lockProjectFor(work, credentialActions['project:credentials:write']);
    const { kind, name, expiresAt } = await endCredential(work, id, 'rotated' satisfies RevokedBy);
    const end = expires_at ?? expiresAt;
    requireEnd(end, work.services.now());
    return addCredential(work, project, { kind, name, expiresAt: end, replacementOf: id });
  },
  audit: ({ credential }) => ({
    action: 'credential.rotated',
    object: { kind: 'credential', id: credential.id },
    details: {
      project_id: credential.projectId,
      kind: credential.kind,
      name: credential.name,
      replacement_of: credential.replacementOf,
      expires_at: credential.expiresAt?.toISOString() ?? null,
    },
  }),
  wire: IssuedCredentialWire,
  toWire: issuedToWire,
});
