import { CircleDollarSign, Gauge, InfinityIcon, SearchX, X } from 'lucide-react';
import { useState } from 'react';
import { bytes } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Panel } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { CreditDialog } from './credit-dialog.tsx';
import { LeaseDialog } from './lease-dialog.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import type { OpenOrganization } from './organization-types.ts';
import { OneOrganizationDocument } from './organizations.graphql.ts';
import { Usage } from './usage.tsx';
import { dollarsText, full, labelOfLimit, limitText } from './words.ts';

interface OrganizationPanelProps {
  readonly org: string;
  readonly close: () => void;
}

/** One organization beside the list: what it uses, its limits, its lease and its balance. */
export function OrganizationPanel({ org, close }: OrganizationPanelProps) {
  const answer = useAsk(OneOrganizationDocument, { org });
  const found = answer.data?.installation?.organization;
  const title = found?.displayName ?? found?.slug ?? 'Organization';
  return (
    <Panel title={title} actions={<IconButton small icon={X} label="Close" onPress={close} />}>
      <Loaded answer={answer}>
        {({ installation }) =>
          installation?.organization == null ? (
            answer.error === undefined && <State icon={SearchX} title="No such organization" />
          ) : (
            <Shown organization={installation.organization} leases={installation.leases} />
          )
        }
      </Loaded>
    </Panel>
  );
}

interface ShownProps {
  readonly organization: OpenOrganization;
  /** Whether organizations of this installation have leases that end. */
  readonly leases: boolean;
}

function Shown({ organization, leases }: ShownProps) {
  const [dialog, setDialog] = useState<'limits' | 'credit' | 'lease'>();
  const close = () => setDialog(undefined);
  const { orgId, slug, tier, lifecycleState, leasePerpetual, leaseExpiresAt, createdAt, limits, overrides } =
    organization;
  return (
    <>
      <Facts
        facts={[
          [
            'Id',
            <span key="id" className="org-id">
              <code>{orgId}</code>
              <CopyButton what="the id" text={orgId} isIcon />
            </span>,
          ],
          ['Slug', slug],
          ['State', <StateBadge key="state" value={lifecycleState} />],
          ['Tier', <StateBadge key="tier" value={tier} mood="plain" />],
          ['Lease', leasePerpetual ? 'Never ends' : <When key="lease" at={leaseExpiresAt} exact />],
          ['Balance', dollarsText(organization.balanceUsdMicros)],
          ['Created', <When key="created" at={createdAt} exact />],
        ]}
      />
      <div className="usages">
        <Usage label="API calls" used={organization.apiCalls} limit={limits.apiCalls} format={full} />
        <Usage label="Storage" used={organization.storageBytes ?? 0} limit={limits.storageBytes} format={bytes} />
        <Usage label="Projects" used={organization.projects} limit={limits.projects} format={full} />
        <Usage label="Members" used={organization.members} limit={limits.members} format={full} />
      </div>
      <div className="own-limits">
        <h3>Limits of its own</h3>
        {overrides.length === 0 ? (
          <p className="quiet small">None. All limits are those of the tier.</p>
        ) : (
          <Facts facts={overrides.map(({ name, value }) => [labelOfLimit(name), limitText(name, value)])} />
        )}
      </div>
      <div className="panel-actions">
        <Button icon={Gauge} onPress={() => setDialog('limits')}>
          Set limits
        </Button>
        <Button icon={CircleDollarSign} onPress={() => setDialog('credit')}>
          Add credit
        </Button>
        {(leases || !leasePerpetual) && (
          <Button icon={InfinityIcon} onPress={() => setDialog('lease')}>
            {leasePerpetual ? 'Have its lease count' : 'Keep it for ever'}
          </Button>
        )}
      </div>
      {dialog === 'limits' && <LimitsDialog organization={organization} close={close} />}
      {dialog === 'credit' && <CreditDialog organization={organization} close={close} />}
      {dialog === 'lease' && <LeaseDialog organization={organization} close={close} />}
    </>
  );
}
