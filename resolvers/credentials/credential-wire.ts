import { z } from 'zod';
import { type ProjectCredential, projectCredentials } from '../../db/schema/project-credentials.ts';
import { allOf } from '../../db/sql.ts';

export const credentialKinds = ['anon', 'service'] as const;

/** The columns of a {@link CredentialRecord}. */
export const credentialColumns = allOf(projectCredentials, ['orgId', 'createdBy']);

/** A credential as it is shown: never with its secret, which is kept nowhere. */
export type CredentialRecord = Omit<ProjectCredential, 'orgId' | 'createdBy'>;

/** A credential with its secret, which is shown this once. */
export interface IssuedCredential {
  readonly credential: CredentialRecord;
  readonly secret: string;
}

/** Contract 04, section 3.5. */
export const CredentialWire = z
  .object({
    credential_id: z.string(),
    project_id: z.string(),
    kind: z.enum(credentialKinds),
    name: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    revoked_reason: z.string().nullable(),
    replacement_of: z.string().nullable(),
  })
  .meta({ id: 'ProjectCredential' });

export const credentialToWire = (credential: CredentialRecord): z.output<typeof CredentialWire> => ({
  credential_id: credential.id,
  project_id: credential.projectId,
  kind: credential.kind,
  name: credential.name,
  created_at: credential.createdAt.toISOString(),
  last_used_at: credential.lastUsedAt?.toISOString() ?? null,
  expires_at: credential.expiresAt?.toISOString() ?? null,
  revoked_at: credential.revokedAt?.toISOString() ?? null,
  revoked_reason: credential.revokedReason,
  replacement_of: credential.replacementOf,
});

const secret = z.string().meta({ secret: true });

export const IssuedCredentialWire = CredentialWire.extend({ secret }).meta({ id: 'IssuedProjectCredential' });

export const issuedToWire = ({ credential, secret }: IssuedCredential) => ({ ...credentialToWire(credential), secret });
