import { memo, useState } from 'react';
import { useAsk } from '../graph/use-live-query.ts';
import { type Tail, useTail } from '../graph/use-tail.ts';
import { Card } from '../parts/card.tsx';
import { Dropped } from '../parts/dropped.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loading } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import {
  type EventLineFragment,
  type EventSource,
  FollowOrgEventsDocument,
  FollowProjectEventsDocument,
  LastOrgEventsDocument,
  LastProjectEventsDocument,
  OrganizationProjectsDocument,
} from './events.graphql.ts';
import { useOrg } from './use-org.ts';

interface Filter {
  readonly source: EventSource | null;
  readonly types: readonly string[] | null;
  readonly project: string | null;
}

const everything: Filter = { source: null, types: null, project: null };

/** Events of an organization as they occur. */
export default function Events({ org }: { readonly org: string }) {
  const [filter, setFilter] = useState(everything);
  const [follows, setFollows] = useState(true);
  const { crumbs } = useOrg(org);
  const projects = useAsk(OrganizationProjectsDocument, { org }).data?.organization?.projects.edges ?? [];
  const names = new Map(projects.map(({ node }) => [node.projectId, node.name]));
  return (
    <Page title="Events" crumbs={crumbs}>
      <Card title="Filter">
        <Form
          label="Filter"
          className="row"
          send={(values) => {
            const named = textOf(values, 'types')
              .split(/[\s,]+/)
              .filter((type) => type !== '');
            setFilter({
              source: (textOf(values, 'source') || null) as EventSource | null,
              types: named.length === 0 ? null : named,
              project: textOf(values, 'project') || null,
            });
            return false;
          }}
        >
          <Field label="Project">
            <select name="project">
              <option value="">All, and the organization</option>
              {projects.map(({ node }) => (
                <option key={node.id} value={node.projectId}>
                  {node.name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Source">
            <select name="source">
              <option value="">Any</option>
              <option value="PLATFORM">Platform</option>
              <option value="APP">App</option>
            </select>
          </Field>
          <Field label="Types">
            <input name="types" placeholder="for example order_paid" />
          </Field>
          <button type="submit">Show</button>
        </Form>
        <label className="check">
          <input type="checkbox" checked={follows} onChange={(event) => setFollows(event.target.checked)} />
          Follow: show events as they happen
        </label>
      </Card>
      <Card title="Events">
        {filter.project === null ? (
          <OrgEvents org={org} filter={filter} follows={follows} names={names} />
        ) : (
          <ProjectEvents project={filter.project} filter={filter} follows={follows} names={names} />
        )}
      </Card>
    </Page>
  );
}

interface Shown {
  readonly filter: Filter;
  readonly follows: boolean;
  /** Names of projects by id. */
  readonly names: ReadonlyMap<string, string>;
}

function OrgEvents({ org, filter: { source, types }, follows, names }: Shown & { readonly org: string }) {
  const tail = useTail({
    variables: { org, source, types },
    query: LastOrgEventsDocument,
    page: ({ organization }) => organization?.events,
    feed: FollowOrgEventsDocument,
    event: ({ events: { cursor, reset, event } }) => ({ cursor, reset, node: event }),
    follows,
  });
  return <EventList tail={tail} names={names} />;
}

function ProjectEvents({ project, filter: { source, types }, follows, names }: Shown & { readonly project: string }) {
  const tail = useTail({
    variables: { project, source, types },
    query: LastProjectEventsDocument,
    page: ({ project: found }) => found?.events,
    feed: FollowProjectEventsDocument,
    event: ({ events: { cursor, reset, event } }) => ({ cursor, reset, node: event }),
    follows,
  });
  return <EventList tail={tail} names={names} />;
}

function EventList({ tail, names }: Pick<Shown, 'names'> & { readonly tail: Tail<EventLineFragment> }) {
  return (
    <>
      <ErrorNote error={tail.error} retry={tail.again} />
      {tail.rows === undefined && tail.error === undefined && <Loading />}
      {tail.rows?.length === 0 && (
        <Empty title="Nothing happened yet">What fits the filter shows up here by itself.</Empty>
      )}
      {tail.rows !== undefined && tail.rows.length > 0 && (
        <div role="log" aria-label="Events, newest first">
          <ol className="feed">
            {tail.rows.toReversed().map((event) => (
              <EventLine key={event.eventId} event={event} project={names.get(event.projectId ?? '')} />
            ))}
          </ol>
        </div>
      )}
      {tail.earlier !== undefined && (
        <div>
          <button type="button" onClick={tail.earlier}>
            Earlier events
          </button>
          {tail.dropped && <Dropped />}
        </div>
      )}
    </>
  );
}

interface EventLineProps {
  readonly event: EventLineFragment;
  readonly project: string | undefined;
}

/** Memoized: a new event does not render the others again. */
const EventLine = memo(({ event, project }: EventLineProps) => {
  return (
    <li className="arrives" data-event={event.eventId}>
      <div className="line">
        <strong className="grows">{event.type}</strong>
        {project !== undefined && <span className="small">{project}</span>}
        <Tag value={event.source} mood={event.source === 'APP' ? 'accent' : 'plain'} />
        <Tag value={event.class} mood="plain" />
        <When at={event.occurredAt} />
      </div>
      <details>
        <summary className="small">
          Payload <span className="seen-by-readers">of {event.type}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
        <pre tabIndex={0}>{JSON.stringify(event.payload, null, 2)}</pre>
      </details>
    </li>
  );
});
