import { z } from 'zod';
import { oneLine } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { onCredential, onItsProject } from './credential-input.ts';
import { type CredentialRecord, CredentialWire, credentialToWire } from './credential-wire.ts';
import { credentialActions } from './shared/actions.ts';
import { endCredential } from './write-credential.ts';

/** `DELETE /projects/v1/:id/credentials/:credential_id`. Contract 01, section 5.10. */
export const revokeCredential = mutation({
  name: 'credentials.revoke',
  tool: 'revoke_project_credential',
  command: 'credentials revoke',
  effects: ['destructive', 'idempotent'],
  summary: 'End a credential of a project at once, with all that is open by it.',
  access: onItsProject(credentialActions['project:credentials:write']),
  stepUp: 'project.keys',
  input: z.object({
    ...onCredential,
    reason: oneLine(200).trim().min(1).nullish().describe('Why, in at most 200 characters.'),
  }),
  async handler(work, { credential: id, reason = null }): Promise<CredentialRecord> {
    await lockProjectFor(work, credentialActions['project:credentials:write']);
    return endCredential(work, id, reason);
  },
  audit: (credential) => ({
    action: 'credential.revoked',
    object: { kind: 'credential', id: credential.id },
    details: {
      project_id: credential.projectId,
      kind: credential.kind,
      name: credential.name,
      reason: credential.revokedReason,
    },
  }),
  wire: CredentialWire.extend({ revoked: z.literal(true) }).meta({ id: 'RevokedProjectCredential' }),
  toWire: (credential) => ({ ...credentialToWire(credential), revoked: true as const }),
});
