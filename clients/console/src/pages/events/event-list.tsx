import { Activity } from 'lucide-react';
import { Fragment, memo } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Day } from '../../design/day.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { rowsKept, type Tail } from '../../graph/use-tail.ts';
import { useSearch } from '../../search.ts';
import { EventDetails } from './event-details.tsx';
import type { EventLineFragment } from './events.graphql.ts';
import { iconOf, roomKeyOf, Sentence } from './sentences.tsx';

interface EventListProps {
  readonly org: string;
  readonly tail: Tail<EventLineFragment>;
  /** Names of projects by id. */
  readonly names: ReadonlyMap<string, string>;
}

const dayOf = (at: string) => new Date(at).toDateString();

/** Events, newest first, with the details of one beside them. */
export function EventList({ org, tail, names }: EventListProps) {
  const [opened, setOpened] = useSearch('event', '');
  const rows = tail.rows?.toReversed();
  return (
    <div className={opened === '' ? 'events' : 'events has-details'}>
      <div className="events-main">
        <ErrorNote error={tail.error} retry={tail.again} />
        {rows === undefined && tail.error === undefined && <Skeleton lines={9} />}
        {rows?.length === 0 && (
          <State icon={Activity} title="Nothing happened yet">
            Events that match the filter are shown here as they occur.
          </State>
        )}
        {rows !== undefined && rows.length > 0 && (
          <div role="log" aria-label="Events, newest first">
            <ol>
              {rows.map((event, index) => {
                const previous = rows[index - 1];
                const isNewDay = previous === undefined || dayOf(previous.occurredAt) !== dayOf(event.occurredAt);
                return (
                  <Fragment key={event.eventId}>
                    {isNewDay && (
                      <li>
                        <Day at={event.occurredAt} />
                      </li>
                    )}
                    <EventLine
                      org={org}
                      event={event}
                      project={names.get(event.projectId ?? '')}
                      room={names.get(roomKeyOf(event))}
                      isOpen={event.eventId === opened}
                      open={setOpened}
                    />
                  </Fragment>
                );
              })}
            </ol>
          </div>
        )}
        {tail.earlier !== undefined && (
          <div className="events-earlier">
            <Button small onPress={tail.earlier}>
              Earlier events
            </Button>
            {tail.dropped && (
              <p className="quiet small">
                This page keeps the last {rowsKept.toLocaleString()}. Older ones made room for new ones.
              </p>
            )}
          </div>
        )}
      </div>
      {opened !== '' && (
        <EventDetails
          org={org}
          event={tail.rows?.find(({ eventId }) => eventId === opened)}
          names={names}
          isLoading={rows === undefined}
          close={() => setOpened('')}
        />
      )}
    </div>
  );
}

interface EventLineProps {
  readonly org: string;
  readonly event: EventLineFragment;
  readonly project: string | undefined;
  readonly room: string | undefined;
  readonly isOpen: boolean;
  readonly open: (event: string) => void;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Memoized: a new event does not render the others again. */
const EventLine = memo(
  ({ org, event, project, room, isOpen, open }: EventLineProps) => {
    const { eventId, type, source, occurredAt } = event;
    const Icon = iconOf(type);
    const at = new Date(occurredAt);
    return (
      <li className={isOpen ? 'event is-open' : 'event arrives'} data-event={eventId}>
        <Icon className="icon" aria-hidden="true" />
        <div className="event-text" dir="auto">
          <Sentence org={org} event={event} room={room} />
        </div>
        <span className="event-end">
          {source === 'APP' && <Badge mood="accent">App</Badge>}
          {project !== undefined && (
            <span className="event-project small quiet" dir="auto" title={project}>
              {project}
            </span>
          )}
          <time dateTime={occurredAt} title={full.format(at)} className="small quiet">
            {clock.format(at)}
          </time>
        </span>
        <button
          type="button"
          className="event-open"
          aria-expanded={isOpen}
          aria-label={`Details of ${type}, ${clock.format(at)}`}
          onClick={() => open(isOpen ? '' : eventId)}
        />
      </li>
    );
  },
  // The function that opens an event does the same each time.
  (before, after) =>
    before.event === after.event &&
    before.project === after.project &&
    before.room === after.room &&
    before.isOpen === after.isOpen,
);
