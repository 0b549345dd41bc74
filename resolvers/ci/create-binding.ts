import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type CiSignature, ciBindings } from '../../db/schema/ci.ts';
import { principals } from '../../db/schema/identity.ts';
import { delegates, projectGrants } from '../../db/schema/projects.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import { type Delegation, normalised } from '../../engines/ci/delegation.ts';
import { routeScopesFault } from '../../engines/ci/scopes.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { moment, oneLine, projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { grantActions } from '../grants/shared/actions.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { bindingColumns, bindingToWire, type CiBinding, CiBindingWire } from './binding-row.ts';
import { audienceOf, verifyDelegation } from './verify-delegation.ts';

const action = grantActions['project:delegates:write'];

/** `POST /ci/v1/bindings`. Contract 03, section 9.1. */
export const createBinding = mutation({
  name: 'ci.createBinding',
  tool: 'ci_create_binding',
  command: 'ci link github',
  summary: 'Let workflows of CI deploy to a project, by what a wallet of an owner or admin has signed for it.',
  access: onProject(action, ({ project }: { readonly project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    provider: z.literal('github-actions').default('github-actions').describe('Whose workflows they are.'),
    subject_match: oneLine(256)
      .min(1)
      .refine(
        (text) => text !== '*' && !text.slice(0, -1).includes('*'),
        'has at most one *, at its end, and is not * alone',
      )
      .describe(
        'The subject of their tokens, such as `repo:acme/shop:ref:refs/heads/main`, or what it begins with, and `*`.',
      ),
    allowed_actions: z.array(z.literal('deploy')).length(1).default(['deploy']).describe('What they may do: `deploy`.'),
    allowed_events: z
      .array(oneLine(64).min(1))
      .min(1)
      .max(50)
      .default(['push', 'workflow_dispatch'])
      .describe('Events that start them.'),
    route_scopes: z
      .array(z.string())
      .max(100)
      .default([])
      .describe('Routes that they may change: paths, and prefixes such as `/admin/*`.'),
    github_repository_id: oneLine(64)
      .min(1)
      .nullish()
      .describe('The number of the one repository that they may be of; any whose subject matches when absent.'),
    expires_at: moment.nullish().describe('When the binding ends; never when absent.'),
    nonce: z
      .string()
      .regex(/^[0-9a-f]{16,64}$/, 'must be 16 to 64 lower-case hexadecimal digits')
      .describe('Made for this binding alone.'),
    signed_delegation: z
      .string()
      .min(1)
      .max(32_768)
      .describe('What the wallet signed, encoded as `SIGN-IN-WITH-X` is.')
      .meta({ secret: true }),
  }),
  async handler(work, input): Promise<CiBinding> {
    const { services, project } = work;
    await lockProjectFor(work, action);
    const caller = await work.caller();
    const routeScopes = normalised(input.route_scopes);
    const fault =
      input.route_scopes.length === routeScopes.length ? routeScopesFault(routeScopes) : 'one is there twice';
    if (fault !== undefined)
      throw new ServiceError('CI_DELEGATION_INVALID', {
        label: 'invalid_route_scopes',
        message: `The scopes of routes cannot be: ${fault}.`,
        details: { field: 'route_scopes', reason: fault },
      });
    const delegation: Delegation = {
      projectId: project.id,
      issuer: services.ciIssuer.issuer,
      audience: audienceOf(work),
      subjectMatch: input.subject_match,
      allowedEvents: normalised(input.allowed_events),
      routeScopes,
      expiresAt: input.expires_at?.toISOString() ?? null,
      githubRepositoryId: input.github_repository_id ?? null,
      nonce: input.nonce,
    };
    const signature = await verifyDelegation(work, caller, delegation, input.signed_delegation);
    await refuseRepeated(work, delegation);
    return insertBinding(work, delegation, signature, caller.kind === 'wallet' ? caller.principal.id : null);
  },
  audit: ({ id, projectId: ofProject, subjectMatch, allowedEvents, routeScopes, expiresAt }) => ({
    action: 'ci_binding.created',
    object: { kind: 'ci_binding', id },
    details: {
      project_id: ofProject,
      subject_match: subjectMatch,
      allowed_events: allowedEvents,
      route_scopes: routeScopes,
      expires_at: expiresAt?.toISOString() ?? null,
    },
  }),
  wire: CiBindingWire,
  toWire: bindingToWire,
});

/** @throws CI_NONCE_USED, CI_BINDING_EXISTS */
async function refuseRepeated(work: Work & ProjectScope, one: Delegation): Promise<void> {
  const [used] = await work.rows(nonceStatement.with({ nonce: one.nonce }));
  if (used !== undefined) throw new ServiceError('CI_NONCE_USED', { label: 'nonce_replay' });
  const [same] = await work.rows(
    sameStatement.with({
      projectId: one.projectId,
      subjectMatch: one.subjectMatch,
      githubRepositoryId: one.githubRepositoryId,
    }),
  );
  if (same !== undefined)
    throw new ServiceError('CI_BINDING_EXISTS', { label: 'duplicate', details: { binding_id: same.id } });
}

/** Workflows act as a principal of their own, by a grant that ends with the binding. */
async function insertBinding(
  work: Work & ProjectScope,
  one: Delegation,
  signature: CiSignature,
  createdBy: string | null,
): Promise<CiBinding> {
  const { services, org, project } = work;
  const owner = { orgId: org.id, projectId: project.id };
  const id = services.newId('bnd');
  const ids = { principal: services.newId('prn'), grant: randomUUID(), delegate: randomUUID() };
  const expiresAt = one.expiresAt === null ? null : new Date(one.expiresAt);
  await work.rows(principalStatement.with({ id: ids.principal, displayName: `CI: ${one.subjectMatch}` }));
  await work.rows(grantStatement.with({ ...owner, id: ids.grant, principalId: ids.principal, expiresAt, createdBy }));
  await work.rows(
    delegateStatement.with({
      ...owner,
      id: ids.delegate,
      grantId: ids.grant,
      principalId: ids.principal,
      // No token has this hash: its sessions name the binding.
      tokenHash: `ci:${id}`,
      scope: JSON.stringify({ v: 1, capabilities: ['deploy'], projects: [project.id], binding: id }),
      publicSubject: one.subjectMatch.slice(0, 255),
      expiresAt,
      createdBy,
    }),
  );
  const [binding] = await work.rows(
    insertStatement.with({
      ...owner,
      id,
      delegateId: ids.delegate,
      issuer: one.issuer,
      subjectMatch: one.subjectMatch,
      allowedEvents: [...one.allowedEvents],
      routeScopes: [...one.routeScopes],
      githubRepositoryId: one.githubRepositoryId,
      nonce: one.nonce,
      createdSig: JSON.stringify(signature),
      createdBy,
      expiresAt,
    }),
  );
  work.authorityChanged(org.id);
  return binding!;
}

const nonceStatement = statement(
  'ci.used-nonce',
  { params: pick(ciBindings, 'nonce'), row: pick(ciBindings, 'id') },
  ({ nonce }, row) => sql`select ${row} from ${ciBindings} where ${ciBindings.nonce} = ${nonce}`,
);

const sameStatement = statement(
  'ci.same-binding',
  { params: pick(ciBindings, 'projectId', 'subjectMatch', 'githubRepositoryId'), row: pick(ciBindings, 'id') },
  (given, row) => sql`select ${row} from ${ciBindings} where ${ciBindings.projectId} = ${given.projectId}
    and ${ciBindings.subjectMatch} = ${given.subjectMatch}
    and ${ciBindings.githubRepositoryId} is not distinct from ${given.githubRepositoryId} and ${grantHolds(ciBindings)}`,
);

const principalStatement = statement(
  'ci.insert-principal',
  { params: pick(principals, 'id', 'displayName') },
  (given) => insertInto(principals, { ...given, type: sql`'ci'` }),
);

const grantStatement = statement(
  'ci.insert-grant',
  { params: pick(projectGrants, 'orgId', 'projectId', 'id', 'principalId', 'expiresAt', 'createdBy') },
  (given) => insertInto(projectGrants, { ...given, capability: sql`'deploy'` }),
);

const delegateStatement = statement(
  'ci.insert-delegate',
  {
    params: {
      ...pick(delegates, 'orgId', 'projectId', 'id', 'grantId', 'principalId', 'tokenHash', 'scope'),
      ...pick(delegates, 'publicSubject', 'expiresAt', 'createdBy'),
    },
  },
  (given) => insertInto(delegates, { ...given, kind: sql`'ci_oidc'` }),
);

const insertStatement = statement(
  'ci.insert',
  {
    params: {
      ...pick(ciBindings, 'orgId', 'projectId', 'id', 'delegateId', 'issuer', 'subjectMatch', 'allowedEvents'),
      ...pick(ciBindings, 'routeScopes', 'githubRepositoryId', 'nonce', 'createdSig', 'createdBy', 'expiresAt'),
    },
    row: bindingColumns,
  },
  (given, row) => sql`${insertInto(ciBindings, given)} returning ${row}`,
);
