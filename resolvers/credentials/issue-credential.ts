import { z } from 'zod';
import { ownerOf } from '../../kernel/access/access.ts';
import { givenName, projectId } from '../../kernel/input/fields.ts';
import { credentialsPerProject } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { expiresAtInput, kindInput, onItsProject, requireEnd } from './credential-input.ts';
import { type IssuedCredential, IssuedCredentialWire, issuedToWire } from './credential-wire.ts';
import { credentialActions } from './shared/actions.ts';
import { addCredential, countStatement } from './write-credential.ts';

/** `POST /projects/v1/:id/credentials`. Contract 01, section 5.10. */
export const issueCredential = mutation({
  name: 'credentials.issue',
  tool: 'issue_project_credential',
  command: 'credentials issue',
  path: 'POST /projects/v1/:project_id/credentials 201',
  summary: 'Make a further key of a project, which can be rotated and revoked by itself. It is shown this once.',
  credentialBound: true,
  access: onItsProject(credentialActions['project:credentials:write']),
  stepUp: 'project.keys',
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    kind: kindInput.describe('What it grants: what the anon key does, or what the service key does.'),
    name: givenName(100).trim().min(1).describe('Name for people, at most 100 characters; unique while not revoked.'),
    expires_at: expiresAtInput.describe('When it ends, with a time zone, a year away at most; never when absent.'),
  }),
  async handler(work, { kind, name, expires_at = null }): Promise<IssuedCredential> {
    requireEnd(expires_at, work.services.now());
    const project = await lockProjectFor(work, credentialActions['project:credentials:write']);
    await refuseOverQuota(work, countStatement.with(ownerOf(work)), quota, credentialsPerProject);
    return addCredential(work, project, { kind, name, expiresAt: expires_at, replacementOf: null });
  },
  audit: ({ credential }) => ({
    action: 'credential.issued',
    object: { kind: 'credential', id: credential.id },
    details: {
      project_id: credential.projectId,
      kind: credential.kind,
      name: credential.name,
      expires_at: credential.expiresAt?.toISOString() ?? null,
    },
  }),
  wire: IssuedCredentialWire,
  toWire: issuedToWire,
});

const quota = { scope: 'project', metric: 'credentials' } as const;
