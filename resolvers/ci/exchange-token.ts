import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { delegates, projectGrants, projects } from '../../db/schema/projects.ts';
import { computed, pick, type RowOf, setOf, statement } from '../../db/sql.ts';
import { matchesSubject } from '../../engines/ci/scopes.ts';
import { IssuerAwayError, SubjectTokenError, type WorkflowClaims } from '../../engines/ci/subject-token.ts';
import { anyone } from '../../kernel/access/access.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { ciSeconds, signCiToken } from '../identity/shared/ci-token.ts';
import { audienceOf } from './verify-delegation.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const tokenType = 'urn:ietf:params:oauth:token-type:jwt';

/** A workflow that may deploy. */
interface Exchanged {
  readonly bindingId: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly delegateId: string;
  readonly subject: string;
  readonly expiresIn: number;
}

const denied = (label: string, message: string, details: Readonly<Record<string, unknown>> = {}) =>
  new ServiceError('FORBIDDEN', { label, message, details });

const input = z.object({
  project: projectId,
  grant_type: z.literal(grantType).default(grantType).describe('`urn:ietf:params:oauth:grant-type:token-exchange`.'),
  subject_token: z
    .string()
    .min(1)
    .max(16_384)
    .describe('The token that CI gave the workflow (OpenID Connect).')
    .meta({ secret: true }),
  subject_token_type: z.literal(tokenType).default(tokenType).describe('`urn:ietf:params:oauth:token-type:jwt`.'),
});

/** `POST /ci/v1/token-exchange`. RFC 8693, contract 03, section 9.2. */
export const exchangeToken = mutation({
  name: 'ci.exchangeToken',
  summary: 'Exchange the token of a workflow of CI for the right to deploy to a project, for 15 minutes.',
  access: anyone<z.output<typeof input>>(),
  credentialBound: true,
  input,
  async prepare(ctx, { subject_token: token }): Promise<WorkflowClaims> {
    try {
      return await ctx.services.ciIssuer.verify(token, audienceOf(ctx), ctx.services.now());
    } catch (error) {
      if (error instanceof SubjectTokenError)
        throw new ServiceError('INVALID_AUTH', {
          label: 'invalid_token',
          message: 'The token is none of the issuer’s for this gateway, or is over.',
          details: { reason: error.message, issuer: ctx.services.ciIssuer.issuer, audience: audienceOf(ctx) },
        });
      if (error instanceof IssuerAwayError)
        throw new ServiceError('CI_ISSUER_UNAVAILABLE', { cause: error, retryAfter: 5 });
      throw error;
    }
  },
  async handler(work, { project }, claims): Promise<Exchanged> {
    const all = await work.rows(bindingsStatement.with({ projectId: project }));
    const binding = theOne(all, claims);
    await work.rows(useStatement.with({ id: binding.id }));
    const { id: bindingId, orgId, projectId: ofProject, delegateId } = binding;
    return { bindingId, orgId, projectId: ofProject, delegateId, subject: claims.subject, expiresIn: ciSeconds };
  },
  audit: ({ bindingId, orgId, projectId: ofProject, subject }) => ({
    action: 'ci_binding.used',
    orgId,
    object: { kind: 'ci_binding', id: bindingId },
    details: { project_id: ofProject, subject },
  }),
  wire: z.object({
    access_token: z.string().meta({ secret: true }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds for which it is good.'),
    scope: z.literal('deploy'),
  }),
  toWire: async (one, { services }) => ({
    access_token: await signCiToken(services.keys, one, services.now()),
    token_type: 'Bearer' as const,
    expires_in: one.expiresIn,
    scope: 'deploy' as const,
  }),
});

type Binding = RowOf<typeof bindingRow>;

/** The one binding by which a workflow may deploy. @throws FORBIDDEN, CI_BINDING_AMBIGUOUS */
function theOne(all: readonly Binding[], { subject, event, repositoryId }: WorkflowClaims): Binding {
  const matching = all.filter(({ subjectMatch }) => matchesSubject(subjectMatch, subject));
  const holding = matching.filter(({ holds }) => holds);
  if (holding.length === 0)
    throw matching.length > 0
      ? denied('binding_revoked', 'The binding was revoked, or is over.', { subject })
      : denied('access_denied', 'No binding of the project matches the subject of the token.', { subject });
  const ofEvent = holding.filter(({ allowedEvents }) => event !== null && allowedEvents.includes(event));
  if (ofEvent.length === 0)
    throw denied('event_not_allowed', 'The binding does not allow the event that started the workflow.', {
      subject,
      event_name: event,
    });
  const ofRepository = ofEvent.filter(
    ({ githubRepositoryId: id }) => id === null || (repositoryId !== null && id === repositoryId),
  );
  if (ofRepository.length === 0)
    throw denied('repository_id_mismatch', 'The binding is for another repository of that name.', {
      subject,
      repository_id: repositoryId,
    });
  if (ofRepository.length > 1)
    throw new ServiceError('CI_BINDING_AMBIGUOUS', { label: 'ambiguous_binding', details: { subject } });
  return ofRepository[0]!;
}

const bindingRow = {
  ...pick(ciBindings, 'id', 'orgId', 'projectId', 'delegateId', 'subjectMatch', 'allowedEvents', 'githubRepositoryId'),
  holds: computed<boolean>(
    'boolean',
    sql`(${grantHolds(ciBindings)} and ${grantHolds(delegates)} and ${grantHolds(projectGrants)})`,
  ),
};

const bindingsStatement = statement(
  'ci.bindings-for-exchange',
  { params: pick(ciBindings, 'projectId'), row: bindingRow },
  ({ projectId: project }, row) => sql`select ${row} from ${ciBindings}
    join ${projects} on ${projects.orgId} = ${ciBindings.orgId} and ${projects.id} = ${ciBindings.projectId}
      and ${projects.deletedAt} is null
    join ${delegates} on ${delegates.orgId} = ${ciBindings.orgId} and ${delegates.id} = ${ciBindings.delegateId}
    join ${projectGrants} on ${projectGrants.orgId} = ${delegates.orgId} and ${projectGrants.id} = ${delegates.grantId}
    where ${ciBindings.projectId} = ${project}`,
);

const useStatement = statement(
  'ci.use',
  { params: pick(ciBindings, 'id') },
  ({ id }) =>
    sql`update ${ciBindings} ${setOf(ciBindings, {
      useCount: sql`${ciBindings.useCount} + 1`,
      lastUsedAt: sql`now()`,
    })} where ${ciBindings.id} = ${id}`,
);
