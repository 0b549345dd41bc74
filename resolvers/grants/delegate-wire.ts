import { z } from 'zod';
import { type Delegate, delegates } from '../../db/schema/projects.ts';
import { allOf } from '../../db/sql.ts';

/** The columns of a {@link Delegate}: all but the hash of its token. */
export const delegateColumns = allOf(delegates, ['tokenHash']);

/** A delegate together with its token, which is shown this once. */
export interface IssuedDelegate {
  readonly delegate: Delegate;
  /** Null for kinds that prove themselves otherwise. */
  readonly token: string | null;
}

/** Contract 01, section 6.7. */
export const IssuedDelegateWire = z
  .object({
    status: z.literal('ok'),
    delegate_id: z.uuid(),
    token: z.string().meta({ secret: true }).optional(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'IssuedDelegate' });

export const issuedDelegateToWire = ({ delegate, token }: IssuedDelegate) => ({
  status: 'ok' as const,
  delegate_id: delegate.id,
  ...(token === null ? {} : { token }),
  expires_at: delegate.expiresAt?.toISOString() ?? null,
});

const amount = z.number().optional();

export const DelegateWire = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    principal_id: z.string(),
    kind: z.string(),
    scope: z.object({
      v: z.literal(1),
      capabilities: z.array(z.string()),
      projects: z.array(z.string()).optional(),
      binding: z.string().optional().describe('The binding of CI that it acts for.'),
    }),
    spend_cap: z
      .object({
        v: z.literal(1),
        currency: z.literal('usd_micros'),
        period: z.enum(['day', 'week', 'month']).optional(),
        per_period: amount,
        per_tx: amount,
      })
      .nullable(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Delegate' });

export const delegateToWire = (delegate: Delegate): z.output<typeof DelegateWire> => ({
  id: delegate.id,
  project_id: delegate.projectId,
  principal_id: delegate.principalId,
  kind: delegate.kind,
  scope: delegate.scope as z.output<typeof DelegateWire>['scope'],
  spend_cap: delegate.spendCap as z.output<typeof DelegateWire>['spend_cap'],
  expires_at: delegate.expiresAt?.toISOString() ?? null,
  revoked_at: delegate.revokedAt?.toISOString() ?? null,
  created_at: delegate.createdAt.toISOString(),
});
