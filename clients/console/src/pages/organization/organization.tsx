import './organization.css';
import { Lock, Plus, UserPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge, enumName, StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { type TabPage, Tabs } from '../../design/tabs.tsx';
import { When } from '../../design/when.tsx';
import { useCommands } from '../../frame/commands.ts';
import { organizationName } from '../../frame/names.ts';
import { useLiveQuery } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import { AuditTrail } from './audit.tsx';
import { Members } from './members.tsx';
import { NewProject } from './new-project.tsx';
import { FollowOrganizationDocument, OrganizationDocument } from './organization.graphql.ts';
import type { Organization, OrganizationProps } from './parts.ts';
import { Projects } from './projects.tsx';
import { Settings } from './settings.tsx';
import { Usage } from './usage.tsx';

/** Interval at which the organization is asked for again, in milliseconds: no feed tells of changed roles and names. */
const everyMs = 30_000;

/** An organization: its projects, members, use, audit trail and settings, a tab each. */
export default function OrganizationPage({ org }: { readonly org: string }) {
  // Everything is asked for anew after a refusal, the feed included.
  const [attempt, setAttempt] = useState(0);
  return <Attempt key={attempt} org={org} again={() => setAttempt(attempt + 1)} />;
}

interface AttemptProps {
  readonly org: string;
  readonly again: () => void;
}

function Attempt({ org, again }: AttemptProps) {
  const answer = useLiveQuery(OrganizationDocument, { org }, FollowOrganizationDocument, {
    following: { org },
    from: ({ organization }) => organization?.events?.cursor,
    everyMs,
  });
  const isRefused = answer.error?.code === 'NOT_AUTHORIZED';
  // What was shown goes with the right to see it.
  const organization = isRefused ? undefined : (answer.data?.organization ?? undefined);
  const [tab, select] = useSearch('tab', 'projects');
  const [created, setCreated] = useSearch('new', '');
  const close = () => setCreated('', { replace: true });
  const mayProject = may(organization?.role, 'project:create');
  const mayMember = may(organization?.role, 'org:members:write') || may(organization?.role, 'org:invites:write');
  const addMember = () => {
    select('members');
    setCreated('member');
  };
  useCommands(
    mayMember ? [{ id: 'add member', name: 'Add member', icon: UserPlus, words: 'invite', act: addMember }] : [],
  );
  return (
    <Page
      title={organization === undefined ? 'Organization' : organizationName(organization)}
      crumbs={[['Organizations', '/orgs']]}
      lead={organization !== undefined && <Standing organization={organization} />}
      actions={
        <>
          {tab === 'projects' && mayProject && (
            <Button variant="primary" icon={Plus} onPress={() => setCreated('project')}>
              New project
            </Button>
          )}
          {tab === 'members' && mayMember && (
            <Button variant="primary" icon={UserPlus} onPress={() => setCreated('member')}>
              Add member
            </Button>
          )}
        </>
      }
    >
      {isRefused ? (
        <div role="alert">
          <State
            icon={Lock}
            title="You have no access to this organization"
            action={<Button onPress={again}>Try again</Button>}
          >
            It does not exist, or you are not one of its members, or no longer one. An owner can invite you.
          </State>
        </div>
      ) : (
        <Loaded answer={answer}>
          {() =>
            organization !== undefined && (
              <Tabs
                label="Organization"
                selected={shownTab(tab, organization)}
                select={select}
                pages={tabsOf(organization)}
              />
            )
          }
        </Loaded>
      )}
      {created === 'project' && mayProject && organization !== undefined && (
        <NewProject organizations={[{ id: org, name: organizationName(organization) }]} close={close} />
      )}
    </Page>
  );
}

function Standing({ organization: { role, tier, lifecycleState, leasePerpetual, leaseExpiresAt } }: OrganizationProps) {
  return (
    <span className="standing">
      {role !== null && <StateBadge value={role} mood="plain" />}
      <Badge>{enumName(tier)} tier</Badge>
      {lifecycleState !== 'ACTIVE' && <StateBadge value={lifecycleState} />}
      {!leasePerpetual && leaseExpiresAt !== null && (
        <span className="small quiet">
          {Date.parse(leaseExpiresAt) < Date.now() ? 'the lease ended' : 'the lease ends'} <When at={leaseExpiresAt} />
        </span>
      )}
    </span>
  );
}

/** The tabs that the caller's role opens. */
function tabsOf(organization: Organization): readonly TabPage[] {
  const tab = (id: string, name: string, content: ReactNode): TabPage => ({ id, name, content });
  const { orgId, role } = organization;
  return [
    tab('projects', 'Projects', <Projects organization={organization} />),
    tab('members', 'Members', <Members organization={organization} />),
    tab('usage', 'Usage and tier', <Usage organization={organization} />),
    ...(may(role, 'org:audit:read') ? [tab('audit', 'Audit', <AuditTrail org={orgId} />)] : []),
    tab('settings', 'Settings', <Settings organization={organization} />),
  ];
}

/** A tab that the address names and the role does not open gives way to the first one. */
const shownTab = (asked: string, organization: Organization): string =>
  tabsOf(organization).some(({ id }) => id === asked) ? asked : 'projects';
