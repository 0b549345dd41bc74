import { Lru } from '../../../core/lru.ts';
import { sql } from '../../../db/drizzle.ts';
import { hostNames } from '../../../db/schema/hosts.ts';
import { projects } from '../../../db/schema/projects.ts';
import { releases } from '../../../db/schema/releases.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** The project that a host name belongs to. */
export interface HostedProject {
  readonly projectId: string;
  readonly name: string;
  /** The release that the host is for, where it is one deployment's own. */
  readonly releaseId?: string;
}

interface Remembered {
  readonly project: HostedProject | undefined;
  readonly until: number;
}

/** How long a name is remembered as it was, in milliseconds; that it was nobody's, too. */
const rememberedMs = 1_000;
/** Longest name of a host. RFC 1035. */
const nameMax = 253;

const remembered = new WeakMap<Services, Lru<Remembered>>();
/** The latest change on this node: what was asked for before it may not be remembered after it. */
const changes = new WeakMap<Services, number>();

/** Forgets whose the names of hosts were, because one was claimed or given up here. */
export function forgetHostNames(services: Services): void {
  remembered.delete(services);
  changes.set(services, (changes.get(services) ?? 0) + 1);
}

/** Rises whenever this node forgets the names of hosts. */
export const hostNamesVersion = (services: Services): number => changes.get(services) ?? 0;

/** The names that a project is served under from the start, as far as they stand before the platform's domain. */
const generated = /^pr?-([0-9a-z]+)$/;
/** The name of one deployment, likewise. */
const ofDeployment = /^dpl-([0-9a-z]+)\.sites$/;

/**
 * The project that is served under a name, however it stands; undefined when the name is nobody's.
 *
 * @param name in lower case, without a port
 * @param charge called before the database is asked. @throws RATE_LIMITED
 */
export async function findHost(
  services: Services,
  name: string,
  charge: () => void,
): Promise<HostedProject | undefined> {
  if (name.length > nameMax) return undefined;
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 10_000, bytes: 10_000 })));
  const found = known.get(name);
  const now = performance.now();
  if (found !== undefined && found.until > now) return found.project;
  charge();
  const asked = changes.get(services);
  const suffix = `.${services.settings.platformDomain}`;
  const label = name.endsWith(suffix) ? name.slice(0, -suffix.length) : '';
  const project = await find(services, name, label);
  if (changes.get(services) === asked) known.set(name, { project, until: now + rememberedMs }, 1);
  return project;
}

async function find({ db }: Services, name: string, label: string): Promise<HostedProject | undefined> {
  const [, publicId] = generated.exec(label) ?? [];
  const [, deployment] = ofDeployment.exec(label) ?? [];
  if (deployment !== undefined) {
    const [row] = await db.rows(deploymentStatement.with({ deploymentId: `dpl_${deployment}` }));
    return row === undefined ? undefined : { projectId: row.id, name: row.name, releaseId: row.releaseId };
  }
  const [row] = await (publicId === undefined
    ? db.rows(claimedStatement.with({ name }))
    : db.rows(generatedStatement.with({ publicId })));
  return row === undefined ? undefined : { projectId: row.id, name: row.name };
}

const deploymentStatement = statement(
  'hosts.deployment',
  {
    params: pick(releases, 'deploymentId'),
    row: { ...pick(projects, 'id', 'name'), releaseId: releases.id },
    pipelined: true,
  },
  ({ deploymentId }, row) => sql`select ${row} from ${releases}
    join ${projects} on ${projects.orgId} = ${releases.orgId} and ${projects.id} = ${releases.projectId}
    where ${releases.deploymentId} = ${deploymentId} and ${projects.deletedAt} is null`,
);

const generatedStatement = statement(
  'hosts.generated',
  { params: pick(projects, 'publicId'), row: pick(projects, 'id', 'name'), pipelined: true },
  ({ publicId }, row) => sql`select ${row} from ${projects}
    where ${projects.publicId} = ${publicId} and ${projects.deletedAt} is null`,
);

const claimedStatement = statement(
  'hosts.claimed',
  { params: pick(hostNames, 'name'), row: pick(projects, 'id', 'name'), pipelined: true },
  ({ name }, row) => sql`select ${row} from ${hostNames}
    join ${projects} on ${projects.orgId} = ${hostNames.orgId} and ${projects.id} = ${hostNames.projectId}
    where ${hostNames.name} = ${name} and ${projects.deletedAt} is null`,
);
