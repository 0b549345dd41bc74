import './overview.css';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { organizationName } from '../../frame/names.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { may, mayChange } from '../../session/may.ts';
import { NewProject } from '../organization/new-project.tsx';
import { NewOrganization } from '../organizations/new-organization.tsx';
import { type Attention, AttentionList } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { OrganizationBlock } from './organization-block.tsx';
import { OverviewDocument, type OverviewQuery } from './overview.graphql.ts';
import { PasskeyEntries, usePasskeyNeeds } from './passkey-entries.tsx';

type Identity = NonNullable<OverviewQuery['whoami']>;

/** Memberships that count: in an organization that the caller may see. */
const organizationsOf = (identity: Identity | null | undefined) =>
  (identity?.memberships.edges ?? []).flatMap(({ node }) =>
    node.status === 'ACTIVE' && node.organization !== null ? [node.organization] : [],
  );

/** The first page: what to look at, and the organizations with their projects. */
export default function Overview() {
  const answer = useAsk(OverviewDocument, {});
  const [created, setCreated] = useSearch('new', '');
  const close = () => setCreated('', { replace: true });
  const organizations = organizationsOf(answer.data?.whoami);
  const open = organizations.filter(({ role }) => may(role, 'project:create'));
  return (
    <Page
      title="Overview"
      actions={
        organizations.length > 0 &&
        mayChange() && (
          <>
            <Button icon={Plus} onPress={() => setCreated('organization')}>
              New organization
            </Button>
            {open.length > 0 && (
              <Button variant="primary" icon={Plus} onPress={() => setCreated('project')}>
                New project
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded answer={answer}>
        {({ whoami }) => whoami !== null && <Mine identity={whoami} start={() => setCreated('organization')} />}
      </Loaded>
      {created === 'organization' && mayChange() && <NewOrganization close={close} />}
      {created === 'project' && open.length > 0 && (
        <NewProject organizations={open.map((one) => ({ id: one.orgId, name: organizationName(one) }))} close={close} />
      )}
    </Page>
  );
}

function Mine({ identity, start }: { readonly identity: Identity; readonly start: () => void }) {
  const organizations = organizationsOf(identity);
  const needs = usePasskeyNeeds();
  const [told, setTold] = useState<Readonly<Record<string, readonly Attention[]>>>({});
  const report = (orgId: string, items: readonly Attention[]) => setTold((all) => ({ ...all, [orgId]: items }));
  const isNew = organizations.length === 0 && needs.waiting.length === 0;
  const hasOwn = needs.waiting.length > 0 || needs.hasNone;
  return (
    <>
      {(!isNew || hasOwn) && (
        <AttentionList
          items={organizations.flatMap(({ orgId }) => told[orgId] ?? [])}
          hasOwn={hasOwn}
          isComplete={organizations.every(({ orgId }) => told[orgId] !== undefined)}
        >
          <PasskeyEntries needs={needs} />
        </AttentionList>
      )}
      {isNew && <FirstSteps start={start} />}
      {organizations.length > 0 && (
        <div className="organization-blocks">
          {organizations.map((organization) => (
            <OrganizationBlock key={organization.orgId} organization={organization} report={report} />
          ))}
        </div>
      )}
      {identity.memberships.pageInfo.hasNextPage && (
        <p>
          These are your first 50 organizations. <Link to="/orgs">All organizations</Link>
        </p>
      )}
    </>
  );
}
