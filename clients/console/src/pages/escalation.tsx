import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useLiveQuery } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, type Pages, usePages } from '../parts/more-pages.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { may } from '../session/may.ts';
import {
  AcknowledgeDocument,
  EscalationDocument,
  type EscalationQuery,
  FollowEscalationDocument,
  ResolveDocument,
} from './escalation.graphql.ts';
import { useOrg } from './use-org.ts';

interface EscalationProps {
  readonly org: string;
  readonly escalation: string;
}

type Found = NonNullable<EscalationQuery['escalation']>;

/** Polling interval in milliseconds: pages are sent in the background, and there is no feed of them. */
const askEveryMs = 10_000;

/** One escalation: its subject, its responder, and the delivery of its pages. */
export default function EscalationPage({ org, escalation }: EscalationProps) {
  const attempts = usePages();
  const { crumbs, role } = useOrg(org);
  const asked = { org, escalation, attemptsAfter: attempts.after };
  const answer = useLiveQuery(EscalationDocument, asked, FollowEscalationDocument, {
    following: { org, escalation },
    from: (data) => data.escalations?.cursor,
    everyMs: askEveryMs,
  });
  return (
    <Page title="Escalation" crumbs={[...crumbs, ['Escalations', `/orgs/${org}/escalations`]]}>
      <Loaded answer={answer}>
        {({ escalation: found }) =>
          found !== null && (
            <>
              <Facts org={org} found={found} answers={may(role, 'escalation:answer')} />
              <Deliveries found={found} pages={attempts} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface FactsProps {
  readonly org: string;
  readonly found: Found;
  /** Whether the caller may answer it. */
  readonly answers: boolean;
}

function Facts({ org, found, answers }: FactsProps) {
  const acknowledge = useChange(AcknowledgeDocument);
  const resolve = useChange(ResolveDocument);
  // The status after a button was pressed, shown until the gateway answers.
  const [pressed, setPressed] = useState<Found['status']>();
  const status = pressed ?? found.status;
  const escalation = found.escalationId;
  const answerIt = async (next: Found['status'], run: () => Promise<unknown>) => {
    setPressed(next);
    const answered = await run();
    setPressed(undefined);
    return answered !== undefined;
  };
  return (
    <Card
      title={found.reason}
      side={
        <span className="line">
          {found.severity === 'HIGH' && <Tag value="HIGH" />}
          <Tag value={status} />
        </span>
      }
    >
      <dl className="facts">
        <dt>Raised</dt>
        <dd>
          <When at={found.raisedAt} /> by {found.presenceName ?? <code>{found.raisedBy}</code>}
        </dd>
        {status === 'OPEN' && (
          <>
            <dt>Next level</dt>
            <dd>
              after level {found.level}, <When at={found.deadlineAt} />
            </dd>
          </>
        )}
        {found.acknowledgedAt !== null && (
          <>
            <dt>Acknowledged</dt>
            <dd>
              <When at={found.acknowledgedAt} />{' '}
              {found.acknowledgedByEmail !== null && `by ${found.acknowledgedByEmail}`}
            </dd>
          </>
        )}
        {found.resolvedAt !== null && (
          <>
            <dt>Resolved</dt>
            <dd>
              <When at={found.resolvedAt} /> {found.resolvedByEmail !== null && `by ${found.resolvedByEmail}`}{' '}
              {found.resolvedNote}
            </dd>
          </>
        )}
      </dl>
      {Object.keys(found.details).length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
        <pre tabIndex={0}>{JSON.stringify(found.details, null, 2)}</pre>
      )}
      {status === 'OPEN' && answers && (
        <div>
          <button
            type="button"
            className="main"
            onClick={() => void answerIt('ACKNOWLEDGED', () => acknowledge.run({ org, escalation }))}
          >
            Acknowledge
          </button>
        </div>
      )}
      {found.status !== 'RESOLVED' && answers && (
        // Hidden, not removed, while the request is under way: the typed text remains if the gateway refuses it.
        <div hidden={status === 'RESOLVED'}>
          <Form
            label="Resolve"
            className="row"
            send={(values) => {
              const note = textOf(values, 'note');
              return answerIt('RESOLVED', () => resolve.run({ org, escalation, ...(note === '' ? {} : { note }) }));
            }}
          >
            <Field label="Resolution">
              <input name="note" maxLength={4000} />
            </Field>
            <button type="submit">Resolve</button>
          </Form>
        </div>
      )}
      <ErrorNote error={acknowledge.error ?? resolve.error} />
    </Card>
  );
}

interface DeliveriesProps {
  readonly found: Found;
  /** The current position in the list. */
  readonly pages: Pages;
}

function Deliveries({ found: { deliveryAttempts, climbs }, pages }: DeliveriesProps) {
  return (
    <Card title="Notifications">
      {deliveryAttempts.edges.length === 0 ? (
        <Empty title="No notifications yet">They are being sent, or the organization has no escalation contacts.</Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
        <section className="scrolls" tabIndex={0} aria-label="Notifications, one a row">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">To</th>
                <th scope="col">By</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {deliveryAttempts.edges.map(({ node }) => (
                <tr key={`${node.at} ${node.email} ${node.channel}`}>
                  <td>
                    <When at={node.at} />
                  </td>
                  <td>{node.email}</td>
                  <td>{node.channel.toLowerCase()}</td>
                  <td>
                    <Tag value={node.status} /> {node.error}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <MorePages pages={pages} info={deliveryAttempts.pageInfo} list="notifications" />
      {climbs.length > 0 && (
        <ul className="list" aria-label="Changes of level">
          {climbs.map((climb) => (
            <li key={climb.at} className="line">
              <span className="grows">
                From level {climb.fromLevel} to {climb.toLevel}: {climb.reason}
              </span>
              <When at={climb.at} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
