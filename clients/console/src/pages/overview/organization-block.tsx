import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { bytes, count, counted } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { nearLimit } from '../../design/meter.tsx';
import { Avatar, Skeleton } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { organizationName } from '../../frame/names.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { may } from '../../session/may.ts';
import type { Attention } from './attention.tsx';
import {
  OpenEscalationsDocument,
  type OpenEscalationsQuery,
  OverviewProjectsDocument,
  type OverviewProjectsQuery,
  type OverviewQuery,
} from './overview.graphql.ts';

export type Membership = NonNullable<OverviewQuery['whoami']>['memberships']['edges'][number]['node'];
type Organization = NonNullable<Membership['organization']>;

interface OrganizationBlockProps {
  readonly organization: Organization;
  /** Receives what to look at in the organization, once it is known and whenever it changes. */
  readonly report: (orgId: string, items: readonly Attention[]) => void;
}

/** An organization with its projects, as lines. */
export function OrganizationBlock({ organization, report }: OrganizationBlockProps) {
  const { orgId, role, tier, lifecycleState } = organization;
  const projects = useAsk(OverviewProjectsDocument, { org: orgId });
  const open = useAsk(OpenEscalationsDocument, { org: orgId });
  const settled = (one: typeof projects | typeof open) => one.data !== undefined || one.error !== undefined;
  const items = settled(projects) && settled(open) ? attentionOf(organization, projects.data, open.data) : undefined;
  const told = items === undefined ? undefined : JSON.stringify(items);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `told` changes when the items do.
  useEffect(() => {
    if (items !== undefined) report(orgId, items);
  }, [told]);
  const name = organizationName(organization);
  const found = projects.data?.organization?.projects;
  return (
    <section className="organization-block" aria-label={name}>
      <header>
        <Avatar name={name} square />
        <h2>
          <Link to={`/orgs/${orgId}`}>{name}</Link>
        </h2>
        {role !== null && <StateBadge value={role} mood="plain" />}
        <StateBadge value={tier} mood="plain" />
        {lifecycleState !== 'ACTIVE' && <StateBadge value={lifecycleState} />}
      </header>
      <ErrorNote error={projects.error} retry={projects.again} />
      {projects.fetching && <Skeleton lines={2} />}
      {found !== undefined && (
        <Table
          label={`Projects of ${name}`}
          rows={found.edges.map(({ node }) => node)}
          keyOf={({ projectId }) => projectId}
          linkOf={({ projectId }) => `/projects/${projectId}`}
          columns={[
            { id: 'name', name: 'Project', grows: true, cell: ({ name: project }) => <bdi>{project}</bdi> },
            {
              id: 'state',
              name: 'State',
              cell: ({ state, status }) => <StateBadge value={state === 'READY' ? status : state} />,
            },
            {
              id: 'requests',
              name: 'API calls',
              align: 'end',
              cell: ({ usage }) => count(usage.apiCalls),
            },
            {
              id: 'errors',
              name: 'New errors, 24 h',
              align: 'end',
              cell: ({ errors }) => (errors === null ? '–' : count(errors.verdict.newFingerprints)),
            },
          ]}
          empty={
            <p className="quiet no-projects">
              No project yet.{' '}
              {may(role, 'project:create') && (
                <Link to={`/orgs/${orgId}?new=project`}>
                  <Plus className="icon" aria-hidden="true" />
                  New project
                </Link>
              )}
            </p>
          }
        />
      )}
      {found?.pageInfo.hasNextPage === true && (
        <p>
          <Link to={`/orgs/${orgId}`}>All projects</Link>
        </p>
      )}
    </section>
  );
}

/** What there is to look at in an organization. */
function attentionOf(
  organization: Organization,
  standing: OverviewProjectsQuery | undefined,
  open: OpenEscalationsQuery | undefined,
): readonly Attention[] {
  const { orgId, lifecycleState } = organization;
  const name = organizationName(organization);
  const here = `/orgs/${orgId}`;
  const items: Attention[] = [];
  const add = (key: string, mood: Attention['mood'], text: string, to: string) =>
    items.push({ key: `${orgId} ${key}`, mood, text, to });
  if (lifecycleState !== 'ACTIVE')
    add(
      'lifecycle',
      'bad',
      `${name}: the lease has ended (${lifecycleState.toLowerCase().replace('_', ' ')})`,
      `${here}?tab=usage`,
    );
  for (const { node } of open?.escalations?.edges ?? [])
    add(
      node.escalationId,
      'bad',
      `${name}: open escalation “${node.reason}”`,
      `${here}/escalations/${node.escalationId}`,
    );
  for (const { node } of standing?.organization?.projects.edges ?? []) {
    const fresh = node.errors?.verdict.newFingerprints ?? 0;
    if (fresh > 0)
      add(
        `errors ${node.projectId}`,
        'bad',
        `${node.name}: ${counted(fresh, 'new error')} in the last 24 hours`,
        `/projects/${node.projectId}/errors`,
      );
    if (node.state === 'FAILED')
      add(
        `failed ${node.projectId}`,
        'bad',
        `${node.name}: the project could not be created`,
        `/projects/${node.projectId}`,
      );
  }
  const status = standing?.tierStatus;
  if (status == null) return items;
  if (status.platformStatus !== null)
    add('platform', 'warn', `${name}: an incident of the platform is open`, `${here}/events`);
  const { apiCalls, apiCallsLimit, storageBytes, storageBytesLimit, projects } = status.poolUsage;
  const projectsLimit = standing?.organization?.limits.projects ?? Number.POSITIVE_INFINITY;
  for (const [what, used, limit, format] of [
    ['requests', apiCalls, apiCallsLimit, count],
    ['storage', storageBytes, storageBytesLimit, bytes],
    ['projects', projects, projectsLimit, count],
  ] as const)
    if (used > 0 && used >= limit * nearLimit)
      add(
        `limit ${what}`,
        used >= limit ? 'bad' : 'warn',
        `${name}: ${format(used)} of ${format(limit)} ${what} used`,
        `${here}?tab=usage`,
      );
  if (!status.operatorReachable)
    add('notices', 'warn', `${name}: no owner or admin has a verified mail address for notices`, '/you');
  return items;
}
