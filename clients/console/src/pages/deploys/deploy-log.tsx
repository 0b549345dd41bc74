import { useEffect, useRef } from 'react';
import { type DeployEvent, factsOf, isLine, phaseNames } from './deploy-events.ts';

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** How near to the end a reader is taken to follow it, in pixels. */
const nearPx = 40;

/** What was told of a deploy, line by line. It keeps to its end while a reader is there. */
export function DeployLog({ events }: { readonly events: readonly DeployEvent[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lines = events.filter(isLine);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end.
  useEffect(() => {
    if (follows.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [lines.length]);
  return (
    <div
      ref={frame}
      className="deploy-log"
      role="log"
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < nearPx;
      }}
    >
      {lines.map((event, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added at the end.
        <p key={at} className={event.status === 'failed' ? 'bad' : undefined}>
          <span className="deploy-log-time">
            {event.created_at !== undefined && clock.format(new Date(event.created_at))}
          </span>
          <span className="deploy-log-phase">{phaseNames[event.phase ?? ''] ?? event.phase}</span>
          <span dir="auto">{textOf(event)}</span>
        </p>
      ))}
    </div>
  );
}

function textOf(event: DeployEvent): string {
  if (event.type === 'log') return `${event.resource}: ${event.line}`;
  if (event.phase === 'ready') return 'the release is served';
  return [event.status, event.message, factsOf(event)].filter((part) => part != null && part !== '').join(' · ');
}
