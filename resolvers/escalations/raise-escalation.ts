import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Escalation, escalationPages, escalations } from '../../db/schema/escalations.ts';
import { principals } from '../../db/schema/identity.ts';
import { projectGrants, projects } from '../../db/schema/projects.ts';
import { allOf, computed, insertSelect, pick, statement, typed, type Values } from '../../db/sql.ts';
import { type Access, notAuthorized, type OrgScope, onOrgByGrant } from '../../kernel/access/access.ts';
import { isPrincipal, type PrincipalBacked } from '../../kernel/access/caller.ts';
import { holdRight } from '../../kernel/access/hold-right.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId, projectId, properName, shows } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { escalationsPerDay, openEscalations, pageDeadlineSeconds } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';
import { escalationChanged } from './escalation-feed.ts';
import { escalationActions } from './shared/actions.ts';
import { contactsOf, pageContacts, scheduleSweep, staffedLevels } from './shared/page-level.ts';
import { EscalationWire, escalationToWire, severityWire } from './wire.ts';

const reasonBytesMax = 4 * 1024;

interface Paged {
  readonly email: string;
  readonly displayName: string | null;
}

export interface RaisedEscalation {
  readonly escalation: Escalation;
  /** An earlier one under the same key: nobody was paged again. */
  readonly deduplicated: boolean;
  /** Whom its first pages are for. */
  readonly willPage: readonly Paged[];
}

type RaiseInput = { readonly org: string; readonly project_id?: string | undefined };

const onOrganization = onOrgByGrant<RaiseInput>(escalationActions['escalation:raise']);

/** A project's own key speaks for nobody who could be asked: contract 02, section 3.2, has a refusal of its own for it. */
const access: Access<RaiseInput, OrgScope> = {
  ...onOrganization,
  addressed: ({ project_id: project }) => project,
  authorise: async (ctx, caller, input, ahead) => {
    if (caller.kind === 'project_key' && caller.role === 'service_role')
      throw notAuthorized(escalationActions['escalation:raise'], 'forbidden');
    return onOrganization.authorise(ctx, caller, input, ahead);
  },
};

/** `POST /orgs/v1/:org_id/escalations`. Contract 02, section 3.2. */
export const raiseEscalation = mutation({
  name: 'escalations.raise',
  tool: 'raise_escalation',
  command: 'escalations raise',
  effects: ['openWorld'],
  summary: 'Page the humans of an organization. It changes nothing else.',
  access,
  input: z.object({
    org: orgId,
    reason: z
      .string()
      .refine((reason) => shows.test(reason), 'must not be blank')
      .refine((reason) => Buffer.byteLength(reason) <= reasonBytesMax, 'at most 4 KiB')
      .describe('Why somebody is asked for, at most 4 KiB; a longer reason is refused, never cut.'),
    severity: severityWire.default('normal').describe('`high` climbs sooner; `normal` unless told.'),
    project_id: projectId.optional().describe('Project of the organization that it is about.'),
    presence_name: properName(64).min(1).optional().describe('Name of the presence that raises it; for display.'),
    details: jsonObject({ kib: 16, depth: 16 })
      .default({})
      .describe('Whatever else is to be kept with it: at most 16 KiB of JSON.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('The same key of the same principal pages once, and answers with the original.'),
  }),
  async handler(work, input): Promise<RaisedEscalation> {
    const caller = await work.caller();
    if (!isPrincipal(caller)) throw notAuthorized(escalationActions['escalation:raise'], 'forbidden');
    const raiser = caller.principal.id;
    // One after the other, of a principal and in an organization: what is counted below stays true until the commit.
    await work.rows(lockRaiserStatement.with({ id: raiser }));
    await lockOrg(work, work.org.id);
    await holdRight(work, escalationActions['escalation:raise']);
    const first = await findOriginal(work, raiser, input.idempotency_key);
    if (first !== undefined) return { escalation: first, deduplicated: true, willPage: await firstPaged(work, first) };
    if (input.project_id !== undefined) await requireProject(work, caller, input.project_id);
    await refuseOverQuotas(work, raiser);
    const contacts = await contactsOf(work, work.org.id);
    const level = staffedLevels(contacts)[0];
    const inserted = insertStatement.with({
      orgId: work.org.id,
      id: randomUUID(),
      projectId: input.project_id ?? null,
      raisedBy: raiser,
      delegateId: caller.kind === 'delegate' ? caller.delegateId : null,
      presenceName: input.presence_name ?? null,
      severity: input.severity,
      reason: input.reason,
      details: JSON.stringify(input.details),
      level: level ?? 1,
      staffed: level !== undefined,
      seconds: pageDeadlineSeconds[input.severity],
      idempotencyKey: input.idempotency_key ?? null,
    });
    const [escalation] = await work.rows(inserted);
    if (level !== undefined) {
      await pageContacts(work, work.org, escalation!, contacts);
      await scheduleSweep(work, work.org.id, [escalation!.id]);
    }
    work.append(escalationChanged(escalation!));
    return {
      escalation: escalation!,
      deduplicated: false,
      willPage: contacts.filter((contact) => contact.level === level),
    };
  },
  audit: ({ escalation: { id, severity, projectId: project }, deduplicated }) =>
    deduplicated
      ? undefined
      : {
          action: 'escalation.raised',
          object: { kind: 'escalation', id },
          details: { severity, project_id: project },
        },
  wire: EscalationWire.extend({
    delivery: z.object({
      status: z.literal('queued'),
      level: z.int(),
      will_page: z.array(z.object({ email: z.string(), display_name: z.string().nullable() })),
      deadline_at: z.iso.datetime(),
    }),
    deduplicated: z.boolean(),
    warnings: z.array(z.string()).optional(),
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string() })),
  }),
  toWire: (raised) => {
    const wire = escalationToWire(raised.escalation);
    const warnings = warningsOf(raised);
    return {
      ...wire,
      delivery: {
        status: 'queued' as const,
        level: wire.level,
        will_page: raised.willPage.map(({ email, displayName }) => ({ email, display_name: displayName })),
        deadline_at: wire.deadline_at,
      },
      deduplicated: raised.deduplicated,
      ...(warnings.length === 0 ? {} : { warnings }),
      next_actions: raisedActions(raised),
    };
  },
});

/** How to hear how one stands that was raised. */
export const raisedActions = ({ escalation: { orgId, id } }: Pick<RaisedEscalation, 'escalation'>) => [
  { type: 'poll', method: 'GET', path: `/orgs/v1/${orgId}/escalations/${id}` },
];

/** What a raiser has to know. */
export const warningsOf = ({ willPage }: Pick<RaisedEscalation, 'willPage'>): string[] =>
  willPage.length === 0 ? ['no escalation contacts are configured, nobody was paged'] : [];

async function findOriginal(work: Work & OrgScope, raiser: string, key: string | undefined) {
  if (key === undefined) return undefined;
  return (await work.rows(originalStatement.with({ orgId: work.org.id, raisedBy: raiser, idempotencyKey: key })))[0];
}

const firstPaged = (work: Work, { orgId: org, id }: Escalation) =>
  work.rows(firstPagedStatement.with({ orgId: org, escalationId: id }));

/** A delegate, or whoever is let in by a grant, names projects of its own. @throws NOT_AUTHORIZED for all others alike */
async function requireProject(work: Work & OrgScope, caller: PrincipalBacked, project: string): Promise<void> {
  const asked = {
    orgId: work.org.id,
    id: project,
    named: caller.kind === 'delegate' ? caller.projectIds : null,
    granted: work.authority.kind === 'grant' ? caller.principal.id : null,
  };
  const [found] = await work.rows(projectStatement.with(asked));
  if (found === undefined) throw notAuthorized(escalationActions['escalation:raise'], 'project_not_found');
}

async function refuseOverQuotas(work: Work & OrgScope, raiser: string): Promise<void> {
  const daily = { scope: 'principal', metric: 'escalations_per_day' } as const;
  await refuseOverQuota(work, todayStatement.with({ raisedBy: raiser }), daily, escalationsPerDay);
  const open = { scope: 'organization', metric: 'open_escalations' } as const;
  await refuseOverQuota(work, openStatement.with({ orgId: work.org.id }), open, openEscalations);
}

const lockRaiserStatement = statement(
  'escalations.lock-raiser',
  { params: pick(principals, 'id') },
  ({ id }) => sql`select from ${principals} where ${principals.id} = ${id} for no key update`,
);

const originalStatement = statement(
  'escalations.original',
  { params: pick(escalations, 'orgId', 'raisedBy', 'idempotencyKey'), row: allOf(escalations) },
  (given, row) => sql`select ${row} from ${escalations} where ${escalations.orgId} = ${given.orgId}
    and ${escalations.raisedBy} = ${given.raisedBy} and ${escalations.idempotencyKey} = ${given.idempotencyKey}`,
);

const firstPagedStatement = statement(
  'escalations.first-paged',
  { params: pick(escalationPages, 'orgId', 'escalationId'), row: pick(escalationPages, 'email', 'displayName') },
  (given, row) => sql`select ${row} from ${escalationPages} where ${escalationPages.orgId} = ${given.orgId}
    and ${escalationPages.escalationId} = ${given.escalationId} and ${escalationPages.wave} = 1
    order by ${escalationPages.mailId}`,
);

const projectStatement = statement(
  'escalations.project',
  {
    params: {
      ...pick(projects, 'orgId', 'id'),
      named: typed<readonly string[] | null>('text[]'),
      granted: typed<string | null>('text'),
    },
    row: pick(projects, 'id'),
  },
  ({ orgId: org, id, named, granted }, row) => sql`select ${row} from ${projects}
    where ${projects.orgId} = ${org} and ${projects.id} = ${id} and ${projects.deletedAt} is null
      and (${named}::text[] is null or ${projects.id} = any(${named}))
      and (${granted}::text is null or exists (
        select from ${projectGrants} where ${projectGrants.orgId} = ${projects.orgId}
          and ${projectGrants.projectId} = ${projects.id} and ${projectGrants.principalId} = ${granted}
          and ${grantHolds(projectGrants)}))`,
);

const used = { used: computed<number>('integer', sql`count(*)::int`) };

const todayStatement = statement(
  'escalations.today',
  { params: pick(escalations, 'raisedBy'), row: used },
  ({ raisedBy }, row) => sql`select ${row} from ${escalations} where ${escalations.raisedBy} = ${raisedBy}
    and ${escalations.createdAt} >= date_trunc('day', clock_timestamp(), 'UTC')`,
);

const openStatement = statement(
  'escalations.open-count',
  { params: pick(escalations, 'orgId'), row: used },
  (given, row) => sql`select ${row} from ${escalations}
    where ${escalations.orgId} = ${given.orgId} and ${escalations.status} = 'open'`,
);

// Raised when it was its turn, which may be a while after the transaction began.
const insertStatement = statement(
  'escalations.insert',
  {
    params: {
      ...pick(escalations, 'orgId', 'id', 'projectId', 'raisedBy', 'delegateId', 'presenceName', 'severity', 'reason'),
      ...pick(escalations, 'details', 'level', 'idempotencyKey'),
      staffed: typed<boolean>('boolean'),
      seconds: typed<number>('double precision'),
    },
    row: allOf(escalations),
  },
  ({ staffed, seconds, ...given }, row) => {
    const deadline = sql`moment + make_interval(secs => ${seconds})`;
    const values: Values<typeof escalations> = {
      ...given,
      details: sql`${given.details}::jsonb`,
      waves: sql`case when ${staffed}::boolean then 1 else 0 end`,
      awaitsContact: sql`not ${staffed}::boolean`,
      createdAt: sql`moment`,
      deadlineAt: deadline,
      dueAt: sql`case when ${staffed}::boolean then ${deadline} end`,
    };
    return sql`${insertSelect(escalations, values, sql`from clock_timestamp() as moment`)} returning ${row}`;
  },
);
