import { z } from 'zod';
import { projectId, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { makeProjectKey } from '../identity/shared/project-keys.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { kindInput, onItsProject } from './credential-input.ts';
import { CredentialWire, credentialToWire, type IssuedCredential } from './credential-wire.ts';
import { credentialActions } from './shared/actions.ts';
import { roleOf } from './write-credential.ts';

/** A token with its secret, which is shown this once. */
export interface IssuedToken extends IssuedCredential {
  /** Seconds for which it holds. */
  readonly expiresIn: number;
}

/**
 * `POST /projects/v1/:id/tokens`. Contract 01, section 5.10. Nothing is kept of a token but its row of the trail: it ends
 * by itself, with the project, or for the kind `service` with a transfer.
 */
export const createToken = mutation({
  name: 'credentials.token',
  tool: 'issue_project_token',
  command: 'credentials token',
  path: 'POST /projects/v1/:project_id/tokens 201',
  summary: 'Make a key of a project that ends by itself within a day and cannot be revoked. It is shown this once.',
  credentialBound: true,
  access: onItsProject(credentialActions['project:credentials:write']),
  stepUp: 'project.keys',
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    kind: kindInput
      .default('service')
      .describe('What it grants: what the anon key does, or what the service key does; `service` when absent.'),
    expires_in: wholeNumberFrom(60, 86_400).default(3_600).describe('Seconds for which it holds: 60 to 86400.'),
  }),
  async handler(work, { kind, expires_in }): Promise<IssuedToken> {
    const project = await lockProjectFor(work, credentialActions['project:credentials:write']);
    const { services } = work;
    const id = services.newId('pcr');
    const createdAt = services.now();
    const expiresAt = new Date(Math.floor(createdAt.getTime() / 1000 + expires_in) * 1000);
    const none = { lastUsedAt: null, revokedAt: null, revokedReason: null, replacementOf: null };
    return {
      credential: { id, projectId: project.id, kind, name: 'token', createdAt, expiresAt, ...none },
      secret: await makeProjectKey(services.keys, project, roleOf(kind), { tokenId: id, expiresAt }),
      expiresIn: expires_in,
    };
  },
  audit: ({ credential }) => ({
    action: 'credential.token_issued',
    object: { kind: 'credential', id: credential.id },
    details: {
      project_id: credential.projectId,
      kind: credential.kind,
      expires_at: credential.expiresAt?.toISOString() ?? null,
    },
  }),
  wire: CredentialWire.extend({
    secret: z.string().meta({ secret: true }),
    expires_in: z.int().describe('Seconds for which it holds.'),
  }).meta({ id: 'ProjectToken' }),
  toWire: ({ credential, secret, expiresIn }) => ({ ...credentialToWire(credential), secret, expires_in: expiresIn }),
});
