import { X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { Badge, enumName } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Skeleton } from '../../design/status.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import type { EventLineFragment } from './events.graphql.ts';
import { roomKeyOf, Sentence } from './sentences.tsx';

interface EventDetailsProps {
  readonly org: string;
  /** Undefined while it is not among the loaded events. */
  readonly event: EventLineFragment | undefined;
  /** Names of projects by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly isLoading: boolean;
  readonly close: () => void;
}

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'long' });

/** One event in full, beside the list. Escape closes it. */
export function EventDetails({ org, event, names, isLoading, close }: EventDetailsProps) {
  const onEscape = useEffectEvent((pressed: KeyboardEvent) => {
    if (pressed.key === 'Escape' && !pressed.defaultPrevented) close();
  });
  useEffect(() => {
    const press = (pressed: KeyboardEvent) => onEscape(pressed);
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <aside className="event-details" aria-label="Details of the event">
      <div className="event-details-head">
        <h2>{event?.type ?? 'Event'}</h2>
        <Tooltip text="Close">
          <IconButton small icon={X} label="Close the details" onPress={close} />
        </Tooltip>
      </div>
      {event === undefined ? (
        isLoading ? (
          <Skeleton lines={5} />
        ) : (
          <p className="quiet">This event is not among those that are loaded. Load earlier events to see it.</p>
        )
      ) : (
        <>
          <p dir="auto">
            <Sentence org={org} event={event} room={names.get(roomKeyOf(event))} />
          </p>
          <Facts
            facts={[
              ['Time', full.format(new Date(event.occurredAt))],
              ['Source', <Badge key="source">{enumName(event.source)}</Badge>],
              ['Class', event.class],
              [
                'Project',
                event.projectId === null
                  ? null
                  : (names.get(event.projectId) ?? <code key="project">{event.projectId}</code>),
              ],
              ['Event', <code key="event">{event.eventId}</code>],
            ]}
          />
          <CodeBlock title="Payload" code={JSON.stringify(event.payload, null, 2)} />
        </>
      )}
    </aside>
  );
}
