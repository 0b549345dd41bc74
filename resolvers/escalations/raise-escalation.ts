import { randomUUID } from 'node:crypto';
import { alias } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Escalation } from '../../db/schema/escalations.ts';
import { projectGrants } from '../../db/schema/projects.ts';
import { textOf } from '../../db/sql.ts';
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
import { escalationColumns } from './escalation-scope.ts';
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
    await work.rows(lockRaiserStatement, [raiser]);
    await lockOrg(work, work.org.id);
    await holdRight(work, escalationActions['escalation:raise']);
    const first = await findOriginal(work, raiser, input.idempotency_key);
    if (first !== undefined) return { escalation: first, deduplicated: true, willPage: await firstPaged(work, first) };
    if (input.project_id !== undefined) await requireProject(work, caller, input.project_id);
    await refuseOverQuotas(work, raiser);
    const contacts = await contactsOf(work, work.org.id);
    const level = staffedLevels(contacts)[0];
    const [escalation] = await work.rows<Escalation>(insertStatement, [
      work.org.id,
      randomUUID(),
      input.project_id ?? null,
      raiser,
      caller.kind === 'delegate' ? caller.delegateId : null,
      input.presence_name ?? null,
      input.severity,
      input.reason,
      JSON.stringify(input.details),
      level ?? 1,
      level !== undefined,
      pageDeadlineSeconds[input.severity],
      input.idempotency_key ?? null,
    ]);
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
  return (await work.rows<Escalation>(originalStatement, [work.org.id, raiser, key]))[0];
}

const firstPaged = (work: Work, { orgId: org, id }: Escalation) => work.rows<Paged>(firstPagedStatement, [org, id]);

/** A delegate, or whoever is let in by a grant, names projects of its own. @throws NOT_AUTHORIZED for all others alike */
async function requireProject(work: Work & OrgScope, caller: PrincipalBacked, project: string): Promise<void> {
  const [found] = await work.rows(projectStatement, [
    work.org.id,
    project,
    caller.kind === 'delegate' ? caller.projectIds : null,
    work.authority.kind === 'grant' ? caller.principal.id : null,
  ]);
  if (found === undefined) throw notAuthorized(escalationActions['escalation:raise'], 'project_not_found');
}

async function refuseOverQuotas(work: Work & OrgScope, raiser: string): Promise<void> {
  const daily = { scope: 'principal', metric: 'escalations_per_day' } as const;
  await refuseOverQuota(work, { statement: todayStatement, values: [raiser] }, daily, escalationsPerDay);
  const open = { scope: 'organization', metric: 'open_escalations' } as const;
  await refuseOverQuota(work, { statement: openStatement, values: [work.org.id] }, open, openEscalations);
}

const lockRaiserStatement: Statement = {
  name: 'escalations.lock-raiser',
  text: 'select 1 from principals where id = $1 for no key update',
};

const originalStatement: Statement = {
  name: 'escalations.original',
  text: `select ${escalationColumns} from escalations e
    where e.org_id = $1 and e.raised_by = $2 and e.idempotency_key = $3`,
};

const firstPagedStatement: Statement = {
  name: 'escalations.first-paged',
  text: `select email, display_name as "displayName" from escalation_pages
    where org_id = $1 and escalation_id = $2 and wave = 1 order by mail_id`,
};

const projectStatement: Statement = {
  name: 'escalations.project',
  text: `select 1 from projects p where p.org_id = $1 and p.id = $2 and p.deleted_at is null
    and ($3::text[] is null or p.id = any($3))
    and ($4::text is null or exists (
      select from project_grants g where g.org_id = p.org_id and g.project_id = p.id and g.principal_id = $4
        and ${textOf(grantHolds(alias(projectGrants, 'g')))}))`,
};

const todayStatement: Statement = {
  name: 'escalations.today',
  text: `select count(*)::int as used from escalations
    where raised_by = $1 and created_at >= date_trunc('day', clock_timestamp(), 'UTC')`,
};

const openStatement: Statement = {
  name: 'escalations.open-count',
  text: `select count(*)::int as used from escalations where org_id = $1 and status = 'open'`,
};

// Raised when it was its turn, which may be a while after the transaction began.
const insertStatement: Statement = {
  name: 'escalations.insert',
  text: `insert into escalations as e (org_id, id, project_id, raised_by, delegate_id, presence_name, severity, reason,
      details, level, waves, awaits_contact, created_at, deadline_at, due_at, idempotency_key)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, case when $11::boolean then 1 else 0 end, not $11, moment,
      moment + make_interval(secs => $12), case when $11 then moment + make_interval(secs => $12) end, $13
    from clock_timestamp() as moment
    returning ${escalationColumns}`,
};
