import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import type { DelegateScope } from '../../db/schema/projects.ts';
import { coveredBy } from '../../kernel/access/permissions.ts';
import { oneLine, properName, shows, walletAddress } from '../../kernel/input/fields.ts';

/** What a delegate may be. Only an agent's key gets a token; the others prove themselves by something public. */
export const delegateKinds = [
  'svc_agent_key',
  'ci_oidc',
  'tempo_access_key',
  'base_disposable_eoa',
  'erc7710',
] as const;

export type DelegateKind = (typeof delegateKinds)[number];

const listed = z.array(z.string().max(1024)).max(50);

/**
 * The form of a scope; anything else becomes null, which {@link scopeWithin} refuses by its own code. Contract 01,
 * section 6.7.
 */
export const scopeInput = z
  .strictObject({
    v: z.literal(1),
    capabilities: listed.describe('Capabilities of its grant; at least one.'),
    projects: listed.optional().describe('Native ids of projects: the grant’s own alone.'),
  })
  .nullable()
  .catch(null);

/**
 * The scope as it is kept, once it lies within its grant.
 *
 * @throws INVALID_DELEGATE_SCOPE
 */
export function scopeWithin(
  scope: z.output<typeof scopeInput>,
  grant: { readonly capability: string; readonly projectId: string },
): DelegateScope {
  const refusal = (reason: string) =>
    new ServiceError('INVALID_DELEGATE_SCOPE', {
      message: `The scope ${reason}. Its grant covers ${coveredBy(grant.capability).join(', ')}.`,
      details: { field: 'scope', reason, capabilities: coveredBy(grant.capability), projects: [grant.projectId] },
    });
  if (scope === null) throw refusal('must be {v: 1, capabilities: [...], projects?: [...]} and nothing else');
  const capabilities = [...new Set(scope.capabilities)];
  if (capabilities.length === 0) throw refusal('must name a capability');
  const covered = coveredBy(grant.capability);
  if (!capabilities.every((one) => covered.includes(one))) throw refusal('names a capability that the grant has not');
  if (scope.projects === undefined) return { v: 1, capabilities };
  if (scope.projects.length === 0) throw refusal('must name a project, or leave projects out');
  if (scope.projects.some((id) => id !== grant.projectId)) throw refusal('names a project that the grant is not on');
  return { v: 1, capabilities, projects: [grant.projectId] };
}

const microDollars = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();

/** Held to when paying, not at the door. An amount for each period goes with the period; a cap has some amount. */
export const spendCapInput = z
  .strictObject({
    v: z.literal(1, 'must be 1'),
    currency: z.literal('usd_micros', 'must be `usd_micros`'),
    period: z.enum(['day', 'week', 'month']).optional().describe('How often `per_period` begins anew.'),
    per_period: microDollars.describe('At most in each period; goes with `period`.'),
    per_tx: microDollars.describe('At most in each payment.'),
  })
  .refine(({ period, per_period }) => (period === undefined) === (per_period === undefined), {
    error: 'goes with `per_period`',
    path: ['period'],
  })
  .refine(({ per_period, per_tx }) => per_period !== undefined || per_tx !== undefined, 'must limit something');

const subjects: Readonly<Record<DelegateKind, z.ZodType<string> | undefined>> = {
  svc_agent_key: undefined,
  ci_oidc: properName(255).refine((text) => shows.test(text), 'must show something'),
  tempo_access_key: walletAddress,
  base_disposable_eoa: walletAddress,
  erc7710: undefined,
};

export const publicSubjectInput = oneLine(255);

/**
 * What a delegate of a kind is known by: nothing for an agent's key, an address for keys that sign, the subject of its
 * tokens for a build.
 *
 * @throws NOT_IMPLEMENTED, VALIDATION_FAILED
 */
export function subjectOf(kind: DelegateKind, given: string | null): string | null {
  if (kind === 'erc7710') throw new ServiceError('NOT_IMPLEMENTED', { details: { field: 'kind', reason: kind } });
  const form = subjects[kind];
  if (form === undefined) {
    if (given === null) return null;
    throw badSubject(`does not go with the kind ${kind}`);
  }
  if (given === null) throw badSubject(`is required for the kind ${kind}`);
  const subject = form.safeParse(given);
  if (!subject.success) throw badSubject(subject.error.issues[0]!.message);
  return subject.data;
}

const badSubject = (reason: string) => invalidField('public_subject', reason);
