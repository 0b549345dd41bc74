import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { ciBindings } from '../../db/schema/ci.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { delegates, projectGrants, projects } from '../../db/schema/projects.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Capability } from '../../kernel/access/permissions.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { writeAudit } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { endServiceCredentials } from '../credentials/shared/end-service-credentials.ts';
import { type ProjectKeys, projectKeysOf } from '../identity/shared/project-keys.ts';
import { isProject, projectColumns } from '../projects/shared/load-projects.ts';
import { requireRoomForProject } from '../projects/shared/room-for-project.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';
import { resealSecrets } from '../secrets/shared/reseal-secrets.ts';
import { transferEvents } from './event-types.ts';
import { type Move, moveProject } from './move-project.ts';
import { refuseRestless } from './refuse-restless.ts';

/** A project in the hands of another organization. */
export interface HandedOver {
  readonly project: ProjectRow;
  readonly keys: ProjectKeys;
  readonly secretNames: readonly string[];
  /** Whether workflows of CI may no longer deploy to it. */
  readonly bindingsEnded: boolean;
}

/** What a developer who stays may do. */
const developer = [
  'project:write',
  'deploy',
  'functions:write',
  'secrets:write',
  'domains:write',
  'mailbox:write',
] as const satisfies readonly Capability[];

/**
 * Locks the organization that is to get a project, and sees that it can: before the project's own row, as everywhere.
 *
 * @throws RECIPIENT_ORGANIZATION_NOT_ACTIVE, QUOTA_EXCEEDED, NOT_AUTHORIZED
 */
export async function lockRecipient(work: Work, org: Pick<Org, 'id'>): Promise<Org> {
  const locked = await requireRoomForProject(work, org).catch((refusal: unknown) => {
    throw refusal instanceof ServiceError && closed.has(refusal.code) ? notActive(org.id) : refusal;
  });
  if (locked.lifecycleState !== 'active') throw notActive(org.id);
  return locked;
}

/** The refusals of an organization that is closed to changes. */
const closed: ReadonlySet<string> = new Set(['PROJECT_FROZEN', 'PROJECT_DORMANT', 'RESOURCE_NOT_FOUND']);

const notActive = (orgId: string) =>
  new ServiceError('RECIPIENT_ORGANIZATION_NOT_ACTIVE', { details: { org_id: orgId } });

/**
 * Makes a project another organization's, in one transaction: its rows move, its service key is another one, whoever was let
 * in by the former organization is out. Both rows are locked.
 *
 * @param retained the principal that stays as a developer
 */
export async function handOver(
  work: Work,
  project: ProjectRow,
  { transferId, to, retained }: { readonly transferId: string; readonly to: Org; readonly retained: string | null },
): Promise<HandedOver> {
  await refuseRestless(work, project);
  const move: Move = { projectId: project.id, from: project.orgId, to: to.id };
  const key = { orgId: move.from, projectId: move.projectId };
  const secretNames = await resealSecrets(work, move);
  const bindings = await work.rows(endBindings.with(key));
  await work.rows(endDelegates.with(key));
  await work.rows(endGrants.with(key));
  await endServiceCredentials(work, key);
  await moveProject(work, move);
  await work.rows(moveStatement.with({ orgId: move.from, id: project.id, to: to.id }));
  if (retained !== null)
    for (const capability of developer)
      await work.rows(
        retainStatement.with({
          orgId: to.id,
          id: randomUUID(),
          projectId: project.id,
          principalId: retained,
          capability,
        }),
      );
  const payload = { transfer_id: transferId, from_org_id: move.from, to_org_id: move.to };
  for (const orgId of [move.from, move.to])
    work.append(
      appendEvent({ orgId, projectId: project.id, type: transferEvents.project_transfer_completed, payload }),
    );
  work.authorityChanged(move.from);
  work.authorityChanged(move.to);
  await tellNodes(work, move);
  await note(work, move, transferId);
  const [moved] = await work.rows(movedStatement.with({ orgId: to.id, id: project.id }));
  return {
    project: moved!,
    keys: await projectKeysOf(work.services.keys, moved!),
    secretNames,
    bindingsEnded: bindings.length > 0,
  };
}

/** Both trails say so: each organization reads its own alone. */
async function note(work: Work, { projectId, from, to }: Move, transferId: string): Promise<void> {
  const caller = await work.caller();
  const object = { kind: 'project', id: projectId };
  const details = { transfer_id: transferId, from_org_id: from, to_org_id: to };
  await writeAudit(work.client, work, caller, {}, { action: 'project.handed_over', object, orgId: from, details });
  await writeAudit(work.client, work, caller, {}, { action: 'project.received', object, orgId: to, details });
}

/** What nodes remember of the project, they look up again: whoever visits its hosts notices nothing. */
async function tellNodes(work: Work, { projectId, to }: Move): Promise<void> {
  const feed = { orgId: to, kind: 'deploys', feedId: projectId } as const;
  const [head] = await work.rows(headStatement.with(feed));
  work.afterCommit(() => {
    forgetProjectTargets(work.services);
    work.services.feeds.publish(feed, head?.position ?? 0n);
  });
}

const ofProject = pick(projectGrants, 'orgId', 'projectId');

const endBindings = statement(
  'transfers.end-bindings',
  { params: ofProject, row: pick(ciBindings, 'id') },
  (given, row) => sql`update ${ciBindings} ${setOf(ciBindings, { revokedAt: sql`now()` })}
    where ${ciBindings.orgId} = ${given.orgId} and ${ciBindings.projectId} = ${given.projectId}
      and ${ciBindings.revokedAt} is null returning ${row}`,
);

const endDelegates = statement(
  'transfers.end-delegates',
  { params: ofProject },
  (given) => sql`update ${delegates} ${setOf(delegates, { revokedAt: sql`now()` })}
    where ${delegates.orgId} = ${given.orgId} and ${delegates.projectId} = ${given.projectId}
      and ${delegates.revokedAt} is null`,
);

const endGrants = statement(
  'transfers.end-grants',
  { params: ofProject },
  (given) => sql`update ${projectGrants} ${setOf(projectGrants, { revokedAt: sql`now()` })}
    where ${projectGrants.orgId} = ${given.orgId} and ${projectGrants.projectId} = ${given.projectId}
      and ${projectGrants.revokedAt} is null`,
);

// A key is told from an earlier one by its second, so that is another one in any case. Its repository stays with whoever has it.
const moveStatement = statement(
  'transfers.move-project',
  { params: { ...pick(projects, 'orgId', 'id'), to: typed<string>('uuid') } },
  ({ orgId, id, to }) =>
    sql`update ${projects} ${setOf(projects, {
      orgId: to,
      transferId: sql`null`,
      repoName: sql`null`,
      transferredAt: sql`greatest(now(),
      date_trunc('second', coalesce(${projects.transferredAt}, ${projects.createdAt})) + interval '1 second')`,
    })} where ${projects.orgId} = ${orgId} and ${projects.id} = ${id}`,
);

const movedStatement = statement(
  'transfers.moved-project',
  { params: pick(projects, 'orgId', 'id'), row: projectColumns },
  (key, row) =>
    sql`select ${row} from ${projects} join ${orgs} on ${orgs.id} = ${projects.orgId} where ${isProject(key)}`,
);

const retainStatement = statement(
  'transfers.retain',
  { params: pick(projectGrants, 'orgId', 'id', 'projectId', 'principalId', 'capability') },
  (given) => insertInto(projectGrants, given),
);

const headStatement = statement(
  'transfers.deploy-head',
  { params: pick(feedHeads, 'orgId', 'kind', 'feedId'), row: pick(feedHeads, 'position') },
  (given, row) => sql`select ${row} from ${feedHeads} where ${feedHeads.orgId} = ${given.orgId}
    and ${feedHeads.kind} = ${given.kind} and ${feedHeads.feedId} = ${given.feedId}`,
);
