import { Megaphone, Plus } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import { useOrg } from '../use-org.ts';
import { type ChannelRowFragment, ChannelsDocument, type ChannelsQuery } from './channels.graphql.ts';
import { ConfigureChannel } from './configure-channel.tsx';

type Community = NonNullable<NonNullable<ChannelsQuery['organization']>['channelCommunities']>[number];

/** How often the lists are read again, in milliseconds. */
const everyMs = 15_000;

/** Channels of chat communities that events of an organization's projects are told in. The address holds the dialog. */
export default function ChannelsPage({ org }: { readonly org: string }) {
  const { role, crumbs } = useOrg(org);
  const [dialog, setDialog] = useSearch('dialog', '');
  const answer = useAsk(ChannelsDocument, { org });
  useWhileVisible(everyMs, answer.again);
  const communities = answer.data?.organization?.channelCommunities ?? [];
  const active = communities.filter(({ status }) => status === 'ACTIVE');
  const mayWrite = may(role, 'channel:routes:write') && active.length > 0;
  const close = () => {
    setDialog('', { replace: true });
    answer.again();
  };
  return (
    <Page
      title="Channels"
      lead="Channels of chat communities that are told of deploys, errors and incidents, by signed messages."
      crumbs={crumbs}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} onPress={() => setDialog('configure')}>
            New channel
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {({ organization }) => (
          <>
            <Section title="Channels">
              <Channels org={org} routes={organization?.channelRoutes ?? []} />
            </Section>
            <Section title="Communities" about="Install one with svc channel-community create.">
              <Communities communities={communities} />
            </Section>
          </>
        )}
      </Loaded>
      {dialog === 'configure' && mayWrite && (
        <ConfigureChannel
          org={org}
          communities={active.map(({ installationId, relayUrl }) => ({
            id: installationId,
            name: relayUrl ?? installationId,
          }))}
          close={close}
        />
      )}
    </Page>
  );
}

function Channels({ org, routes }: { readonly org: string; readonly routes: readonly ChannelRowFragment[] }) {
  return (
    <Table
      label="Channels"
      rows={routes}
      keyOf={({ routeId }) => routeId}
      columns={[
        {
          id: 'name',
          name: 'Name',
          grows: true,
          cell: ({ routeId, routeName }) => <Link to={`/orgs/${org}/channels/${routeId}`}>{routeName}</Link>,
        },
        { id: 'channel', name: 'Channel', cell: ({ channelId }) => <code>{breakable(channelId)}</code> },
        { id: 'status', name: 'Status', cell: ({ status }) => <StateBadge value={status} /> },
        {
          id: 'projects',
          name: 'Projects',
          cell: ({ projectScope, projectIds }) => (projectScope === 'ORG' ? 'All' : projectIds.length),
        },
        {
          id: 'types',
          name: 'Events',
          isExtra: true,
          cell: ({ eventTypes }) => (eventTypes === null ? 'All that may be told' : eventTypes.join(', ')),
        },
      ]}
      empty={
        <State icon={Megaphone} title="No channel is told of events">
          Install a community, then have one of its channels told of what happens.
        </State>
      }
    />
  );
}

function Communities({ communities }: { readonly communities: readonly Community[] }) {
  return (
    <Table
      label="Communities"
      rows={communities}
      keyOf={({ installationId }) => installationId}
      columns={[
        {
          id: 'relay',
          name: 'Relay',
          grows: true,
          cell: ({ relayUrl, communitySubject }) => <code>{breakable(relayUrl ?? communitySubject)}</code>,
        },
        { id: 'status', name: 'Status', cell: ({ status }) => <StateBadge value={status} /> },
        { id: 'id', name: 'Installation', cell: ({ installationId }) => <code>{breakable(installationId)}</code> },
        {
          id: 'until',
          name: 'Approval by',
          isExtra: true,
          cell: ({ status, expiresAt }) => status === 'PENDING' && <When at={expiresAt} />,
        },
      ]}
      empty={
        <State icon={Megaphone} title="No community is installed">
          Whoever runs its relay has to approve: <code>svc channel-community create</code> begins.
        </State>
      }
    />
  );
}
