import { Ban, Megaphone, Pause, Play, Send } from 'lucide-react';
import { useState } from 'react';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { may } from '../../session/may.ts';
import { useOrg } from '../use-org.ts';
import {
  ChannelDocument,
  type ChannelQuery,
  PauseChannelDocument,
  ResumeChannelDocument,
  RevokeChannelDocument,
  TestChannelDocument,
} from './channels.graphql.ts';

type Route = NonNullable<ChannelQuery['channelRoute']>;
type Delivery = NonNullable<Route['deliveries']>['edges'][number]['node'];

/** How often it is read again, in milliseconds: no feed tells of messages. */
const everyMs = 5_000;

/** A channel that is told of events, with what it was told. */
export default function ChannelPage({ org, route: id }: { readonly org: string; readonly route: string }) {
  const { role, crumbs } = useOrg(org);
  const pages = usePages(id);
  const answer = useAsk(ChannelDocument, { route: id, after: pages.after });
  useWhileVisible(everyMs, answer.again);
  const route = answer.data?.channelRoute;
  const mayWrite = may(role, 'channel:routes:write') && route != null && route.status !== 'REVOKED';
  return (
    <Page
      title={route?.routeName ?? 'Channel'}
      crumbs={[...crumbs, ['Channels', `/orgs/${org}/channels`]]}
      lead={route != null && <StateBadge value={route.detail.health} />}
      actions={mayWrite && <Actions route={route} changed={answer.again} />}
    >
      <Loaded answer={answer}>
        {({ channelRoute: found }) =>
          found === null ? (
            <State icon={Megaphone} title="Channel not found">
              It does not exist, or you have no access to it.
            </State>
          ) : (
            <>
              <Standing route={found} />
              <Section title="Messages" about="Of the last 90 days, newest first.">
                <Deliveries rows={found.deliveries?.edges.map(({ node }) => node) ?? []} />
                <Pager pages={pages} info={found.deliveries?.pageInfo} list="messages" />
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface ActionsProps {
  readonly route: Route;
  readonly changed: () => void;
}

function Actions({ route: { routeId, status }, changed }: ActionsProps) {
  const test = useChange(TestChannelDocument);
  const pause = useChange(PauseChannelDocument);
  const resume = useChange(ResumeChannelDocument);
  const revoke = useChange(RevokeChannelDocument);
  const [asks, setAsks] = useState(false);
  const input = { channelRouteId: routeId };
  const after = (done: unknown, said: string) => {
    announce(done === undefined ? 'It was refused. Look at the channel again.' : said);
    changed();
  };
  return (
    <>
      <Button
        icon={Send}
        isPending={test.busy}
        onPress={async () => after(await test.run(input), 'A test is on its way.')}
      >
        Send a test
      </Button>
      {status === 'PAUSED' ? (
        <Button
          icon={Play}
          isPending={resume.busy}
          onPress={async () => after(await resume.run(input), 'The channel is told of events again.')}
        >
          Resume
        </Button>
      ) : (
        <Button
          icon={Pause}
          isPending={pause.busy}
          onPress={async () => after(await pause.run(input), 'The channel is told nothing for now.')}
        >
          Pause
        </Button>
      )}
      <Button variant="quiet" icon={Ban} onPress={() => setAsks(true)}>
        Revoke
      </Button>
      {asks && (
        <Confirm
          title="Revoke this channel?"
          isOpen
          close={() => setAsks(false)}
          act="Revoke channel"
          error={revoke.error}
          run={async () => {
            const done = await revoke.run(input);
            if (done !== undefined) after(done, 'The channel is told nothing any more.');
            return done !== undefined;
          }}
        >
          It is told nothing any more, for good. What it was told can still be read.
        </Confirm>
      )}
    </>
  );
}

function Standing({ route }: { readonly route: Route }) {
  const { status, pauseReason, notificationPubkey, channelId, detail } = route;
  const counts = Object.entries(detail.deliveryCounts as Readonly<Record<string, number>>);
  const shown = counts
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${enumName(state).toLowerCase()}`);
  return (
    <>
      {status === 'PENDING_AUTHORIZATION' && (
        <Note mood="warn" title="Its key is no member of the channel yet.">
          Add <code>{breakable(notificationPubkey)}</code> to the members of the channel, then send a test.
        </Note>
      )}
      {pauseReason === 'DELIVERY_FAILURES' && (
        <Note mood="bad" title="Its relay has refused too much.">
          See the errors below, and resume it once the channel takes messages again.
        </Note>
      )}
      <Facts
        facts={[
          ['Channel', <code key="channel">{breakable(channelId)}</code>],
          ['Projects', route.projectScope === 'ORG' ? 'All of the organization' : route.projectIds.join(', ')],
          ['Events', route.eventTypes === null ? 'All that may be told' : route.eventTypes.join(', ')],
          ['On call', route.onCallPubkey === null ? 'Nobody' : (route.onCallDisplayName ?? route.onCallPubkey)],
          ['Public key', <code key="key">{breakable(notificationPubkey)}</code>],
          ['Messages', shown.length === 0 ? 'None yet' : shown.join(', ')],
          ['Made', <When key="made" at={route.createdAt} />],
        ]}
      />
    </>
  );
}

function Deliveries({ rows }: { readonly rows: readonly Delivery[] }) {
  return (
    <Table
      label="Messages, newest first"
      rows={rows}
      keyOf={({ deliveryId }) => deliveryId}
      columns={[
        {
          id: 'event',
          name: 'Event',
          cell: ({ kind, eventType }) => (kind === 'TEST' ? 'Test' : enumName(eventType)),
        },
        { id: 'status', name: 'Status', cell: ({ status }) => <StateBadge value={status} /> },
        { id: 'attempts', name: 'Attempts', align: 'end', cell: ({ attemptCount }) => attemptCount },
        { id: 'error', name: 'Last error', grows: true, cell: ({ lastError }) => lastError ?? '' },
        {
          id: 'at',
          name: 'When',
          cell: ({ createdAt, nextAttemptAt }) => (
            <>
              <When at={createdAt} />
              {nextAttemptAt !== null && (
                <span className="quiet small">
                  {' '}
                  next <When at={nextAttemptAt} />
                </span>
              )}
            </>
          ),
        },
      ]}
      empty={
        <State icon={Send} title="Nothing was told yet">
          What the channel is told of is listed here.
        </State>
      }
    />
  );
}
