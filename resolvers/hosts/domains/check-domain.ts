import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { setOf, statement } from '../../../db/sql.ts';
import { ownerOf } from '../../../kernel/access/access.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation, type OperationNames } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { domainColumns, domainKey, findDomain, lockNamedDomain, type ProjectDomain, standing } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { onDomainsOf } from './on-domains.ts';
import { settleLook } from './settle-look.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

/** How long one look serves all who ask, in milliseconds: clients that wait ask again and again, and name servers are others'. */
const freshMs = 2_000;

interface Looked {
  /** Null: the last look is young enough. */
  readonly observed: ObservedDomain | undefined | null;
}

/** Looks at a domain, and does what follows. Contract 03, section 5.3. */
const looking = (
  texts: OperationNames,
  { action, anew }: { readonly action: string /** Whether a failure is forgotten first. */; readonly anew: boolean },
) =>
  mutation({
    ...texts,
    effects: ['idempotent', 'openWorld'],
    duration: 'long',
    access: onDomainsOf(hostActions['project:domains:write']),
    lifecycle: 'gated',
    input: z.object({
      project: projectId,
      domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
    }),
    async prepare(ctx, { domain }): Promise<Looked> {
      const { services, project } = ctx;
      const row = await findDomain(services.db.rows, ctx, domain);
      const { checkedAt, failure } = row;
      const age = checkedAt === null ? Number.POSITIVE_INFINITY : services.now().getTime() - checkedAt.getTime();
      if (age < freshMs && !(anew && failure !== null)) return { observed: null };
      return { observed: await lookAt(services, row, targetOf(services, project.publicId)) };
    },
    async handler(work, { domain }, { observed }: Looked): Promise<ProjectDomain> {
      const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
      const row = await lockNamedDomain(work, domain);
      if (observed === null) return standing(work.services, row, publicId);
      if (!anew || row.failure === null) return settleLook(work, row, publicId, observed);
      const [forgiven] = await work.rows(forgiveStatement.with({ ...ownerOf(work), name: row.name }));
      return settleLook(work, forgiven!, publicId, observed);
    },
    audit: ({ name }, _input, { project }) => ({
      action,
      object: { kind: 'domain', id: name },
      details: { project_id: project.id },
    }),
    wire: ProjectDomainWire,
    toWire: domainToWire,
  });

/** `POST /projects/v1/:project_id/domains/:domain/actions/check`. */
export const checkDomain = looking(
  {
    name: 'domains.check',
    tool: 'domains_check',
    command: 'domains check',
    summary: 'Look at the records of a domain now, and bind it once its owner has proven to be that.',
  },
  { action: 'domain.checked', anew: false },
);

/** `POST /projects/v1/:project_id/domains/:domain/actions/apply`. */
export const applyDomain = looking(
  {
    name: 'domains.apply',
    tool: 'domains_apply',
    command: 'domains apply',
    summary: 'Do what the gateway itself can do for a domain; its records are set by its owner.',
  },
  { action: 'domain.applied', anew: false },
);

/** `POST /projects/v1/:project_id/domains/:domain/actions/repair`. */
export const repairDomain = looking(
  {
    name: 'domains.repair',
    tool: 'domains_repair',
    command: 'domains repair',
    summary: 'Begin anew with a domain that failed or drifted, once its records are right.',
  },
  { action: 'domain.repaired', anew: true },
);

const forgiveStatement = statement(
  'domains.forgive',
  { params: domainKey, row: domainColumns },
  (given, row) => sql`update ${projectDomains} ${setOf(projectDomains, { failure: sql`null`, updatedAt: sql`now()` })}
    where ${projectDomains.orgId} = ${given.orgId} and ${projectDomains.projectId} = ${given.projectId}
      and ${projectDomains.name} = ${given.name} returning ${row}`,
);
